#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels of Debian's other suites, for tests: image, headers and kbuild tools unpacked, not installed,
# into a cache. The machine's own package sources are not changed; only the name of the server is read from them.
# Usage: fetch.sh DIR SUITE SERIES FLAVOUR    (fetch.sh ~/.cache/x bullseye 5.10 cloud-amd64)
# Prints what a test needs: RELEASE, the build tree, the image. Rewrites the links and paths of the
# headers' package so that the tree works where it is. For another architecture (cloud-arm64) the tools
# run on this machine, and a userland is unpacked, with which programs are built and run.
# SUITE "debug": built by debug.sh.
set -eu
cache=$1 suite=$2 series=$3 flavour=$4
[ "$suite" != debug ] || exec "${0%/*}/debug.sh" "$cache" "$series"
dir=$cache/$suite-$series-$flavour
. "${0%/*}/archive.sh"
host=$(dpkg --print-architecture)
arch=$host
case $flavour in *-arm64|arm64) arch=arm64 ;; esac
# Packages with which programs for another architecture are built and run.
programs=({busybox-static,coreutils,libc6,libc6-dev,linux-libc-dev,libcap2,libcap-dev,libssl3,libssl-dev,libcrypt1,strace}":$arch")
unpack_userland() {
	rm -rf "$dir/userland"
	unpack "$dir/userland" "${programs[@]}" || { tail -n 5 "$dir/log" >&2; exit 1; }
	echo "${programs[*]}" >"$dir/userland/packages"
}
if [ -e "$dir/done" ]; then
	if [ "$arch" != "$host" ] && [ "$(cat "$dir/userland/packages" 2>/dev/null)" != "${programs[*]}" ]; then
		archive_open "$dir" "$suite" "$arch"
		unpack_userland
		archive_close
	fi
	cat "$dir/done"
	exit 0
fi
rm -rf "$dir"
mkdir -p "$dir/root"
archive_open "$dir" "$suite" "$arch"

# The newest release of the series, by the names of the headers' packages.
release=$(apt-cache "${apt[@]}" search --names-only "^linux-headers-${series}[.0-9+a-z~-]*-$flavour\$" | sed 's/ .*//; s/^linux-headers-//' |
	sort -V | tail -n 1)
[ -n "$release" ] || { echo "fetch.sh: $suite has no linux-headers-$series*-$flavour" >&2; exit 1; }
headers=linux-headers-$release
mapfile -t needed < <(depends "$headers:$arch" | grep -E '^linux-(headers|kbuild)-' | sed 's/:any$//' | sort -u)
unpack "$dir/root" "$headers:$arch" "${needed[@]}" || { tail -n 5 "$dir/log" >&2; exit 1; }

# The image of a signed kernel may be in a package with another name.
root=$dir/root tree=$dir/root/usr/src/$headers found=''
for name in "linux-binary-unsigned-$release" "linux-image-$release" "linux-image-$release-unsigned"; do
	[ -n "$found" ] || ! unpack "$dir/root" "$name:$arch" || found=$(find "$root" -name 'vmlinuz*' -type f | grep -F "$release" | head -n 1)
done
# Newer releases have their modules in a separate package, and all files below /usr.
unpack "$root" "linux-base-$release:$arch" "linux-modules-$release:$arch" || true
[ -e "$root/lib/modules" ] || { mkdir -p "$root/lib" && ln -s ../usr/lib/modules "$root/lib/modules"; }
# For programs that require a newer C library than this machine's, that library and a wrapper that uses it are installed.
tools=$(find "$root/usr/lib" "$root/usr/src" -type f -perm -100 -size +8k ! -name '*.sh' ! -name '*.so')
for tool in $tools; do
	ldd "$tool" 2>&1 | grep -q "version .* not found" || continue
	[ -e "$dir/libs" ] || unpack "$dir/libs" libc6 libelf1t64 zlib1g libzstd1 libssl3t64
	loader=$(find "$dir/libs" -name 'ld-linux-x86-64.so.2' | head -n 1) libc=$(find "$dir/libs" -name libc.so.6 | head -n 1)
	[ -n "$loader" ] && [ -n "$libc" ] || { echo "fetch.sh: no C library for $tool" >&2; exit 1; }
	mv "$tool" "$tool.real"
	printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$loader" "${libc%/*}" "$tool.real" >"$tool"
	chmod +x "$tool"
done
[ "$arch" = "$host" ] || unpack_userland
archive_close
[ -n "$found" ] || { echo "fetch.sh: no image of $release" >&2; exit 1; }
# Absolute paths of the packages are changed to paths in the unpacked tree. Those from the headers to the tools remain
# absolute, since the headers may be mounted at another path.
find "$root/usr/src" "$root/usr/lib" -type l | while read -r link; do
	to=$(readlink "$link")
	case $to in
	/usr/*) ln -sfn "$root$to" "$link" ;;
	../../lib/*) ln -sfn "$root/usr/lib/${to#../../lib/}" "$link" ;;
	esac
done
grep -rlE '/usr/(src|lib)/linux-' "$tree" "$root/usr/src" --include=Makefile --include='*.mk' 2>/dev/null | sort -u |
	xargs -r sed -i -E "s#([^a-zA-Z0-9/])/usr/(src|lib)/linux-#\\1$root/usr/\\2/linux-#g; s#^/usr/(src|lib)/linux-#$root/usr/\\1/linux-#"
ln -sfn "$found" "$tree/vmlinux"           # location where types are searched
{
	echo "release=$release"
	echo "tree=$tree"
	echo "image=$found"
	[ "$arch" = "$host" ] || echo "userland=$dir/userland"
} >"$dir/done"
cat "$dir/done"
