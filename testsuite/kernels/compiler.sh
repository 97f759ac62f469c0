#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's cross compiler for arm64, unpacked into a cache: it cannot be installed together with Debian's
# gcc-multilib, which 32-bit tests require.
# Usage: compiler.sh DIR
# Prints the directory to prepend to PATH: nothing if aarch64-linux-gnu-gcc is in PATH already.
set -eu
! command -v aarch64-linux-gnu-gcc >/dev/null || exit 0
dir=$1/compiler-arm64
if [ ! -e "$dir/done" ]; then
	. "${0%/*}/archive.sh"
	. /etc/os-release
	rm -rf "$dir"
	mkdir -p "$dir"
	archive_open "$dir" "$VERSION_CODENAME" arm64
	# The package of the default version depends on the packages of that version.
	gcc=$(depends gcc-aarch64-linux-gnu | grep -E '^gcc-[0-9]+-aarch64-linux-gnu$' | head -n 1)
	version=${gcc//[!0-9]/}
	version=${version%64}
	packages=(gcc-aarch64-linux-gnu "$gcc" "cpp-$version-aarch64-linux-gnu" "libgcc-$version-dev-arm64-cross" libgcc-s1-arm64-cross
		binutils-aarch64-linux-gnu)
	unpack "$dir" "${packages[@]}" || { tail -n 5 "$dir/log" >&2; exit 1; }
	# The libraries of the unpacked programs are in directories next to them.
	mkdir "$dir/bin"
	for program in "$dir"/usr/bin/aarch64-linux-gnu-*; do
		printf '#!/bin/sh\nLD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec %s "$@"\n' \
			"$dir/usr/lib/$(uname -m)-linux-gnu" "$program" >"$dir/bin/${program##*/}"
	done
	chmod +x "$dir"/bin/*
	archive_close
	: >"$dir/done"
fi
echo "$dir/bin"
