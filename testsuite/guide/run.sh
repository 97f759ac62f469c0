#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of doc/guide.md work as it shows them, in one boot of kernel 6.12 (guide.py).
set -u
. "$TESTS/lib.sh"
release=
for image in $(printf '%s\n' /usr/lib/debug/boot/vmlinux-6.12.* | sort -V); do
	[ ! -d "/lib/modules/${image##*/vmlinux-}/build" ] || release=${image##*/vmlinux-}
done
if [ -z "$release" ] || ! command -v qemu-system-x86_64 >/dev/null; then
	skip "guide/*" "a kernel 6.12 with image, headers and debuginfo, and qemu"
	exit 0
fi
mkdir -p "$SCRATCH/guide"
python3 "$TESTS/guide/guide.py" "$SOURCE/doc/guide.md" "$STAP" "$release" "$SCRATCH/guide"
