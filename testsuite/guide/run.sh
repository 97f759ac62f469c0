#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of doc/guide.md give the output that it shows, in one boot of kernel 6.12, and the examples print
# output of the form that they describe, in one boot of 6.1 and 6.12 each (guide.py).
set -u
. "$TESTS/lib.sh"

newest() { # SERIES: a release with DWARF and a build tree
	local image
	for image in $(printf '%s\n' /usr/lib/debug/boot/vmlinux-"$1".* | sort -rV); do
		[ ! -d "/lib/modules/${image##*/vmlinux-}/build" ] || { echo "${image##*/vmlinux-}"; return; }
	done
}

for series in 6.1 6.12; do
	release=$(newest $series) documents=("$SOURCE"/examples/*/*.stp)
	if [ $series = 6.1 ]; then        # examples that run here, by BPF, run once
		mapfile -t documents < <(grep -L '^# \$ stap --runtime=bpf ' "${documents[@]}")
	else
		documents+=("$SOURCE/doc/guide.md")
	fi
	if [ -z "$release" ] || ! command -v qemu-system-x86_64 >/dev/null; then
		skip "guide/* on $series" "a kernel $series with image, headers and debuginfo, and qemu"
	else
		mkdir -p "$SCRATCH/guide-$series"
		python3 "$TESTS/guide/guide.py" "$STAP" "$release" "$SCRATCH/guide-$series" "${documents[@]}"
	fi
done
