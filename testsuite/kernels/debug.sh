#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that detects errors of its modules (lockdep, KASAN, sleeping in atomic context, ...: debug.config), built
# once from Debian's source package into a cache, which takes half an hour of two idle processors. The package is
# unpacked, not installed; the programs and libraries that the build requires must be installed: flex bison bc
# libelf-dev libssl-dev dwarves.
# Usage: debug.sh DIR SERIES    (debug.sh ~/.cache/x 6.12)
# Prints what fetch.sh prints. After an interruption or a change of debug.config, only the remaining files are built.
set -eu
cache=$1 series=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$cache/debug-$series
tree=$(find "$dir/root/usr/src" -maxdepth 1 -name 'linux-headers-*' 2>/dev/null | head -n 1)
if [ -e "$dir/done" ] && cmp -s "$here/debug.config" "$tree/kernel/configs/quicktap.config"; then
	cat "$dir/done"
	exit 0
fi
missing=
for command in flex bison bc pahole xz; do command -v $command >/dev/null || missing="$missing $command"; done
[ -z "$missing" ] || { echo "debug.sh: missing:$missing; on Debian: apt install flex bison bc dwarves xz-utils libelf-dev libssl-dev" >&2; exit 1; }

rm -f "$dir/done"
mkdir -p "$dir/package" "$dir/root/usr/src"
if [ -z "$tree" ]; then
	(cd "$dir/package" && apt-get download "linux-source-$series" >"$dir/log" 2>&1 </dev/null && dpkg -x ./*.deb . && rm ./*.deb) ||
		{ tail -n 3 "$dir/log" >&2; exit 1; }
	tar -C "$dir/package" -xf "$dir/package/usr/src/linux-source-$series.tar.xz"
	version=$(make -s -C "$dir/package/linux-source-$series" kernelversion)
	tree=$dir/root/usr/src/linux-headers-$version-debug
	mv "$dir/package/linux-source-$series" "$tree"
	rm -rf "$dir/package"
fi

# Options of the fragment that the kernel's dependencies do not permit are reported.
cp "$here/debug.config" "$tree/kernel/configs/quicktap.config"
make -C "$tree" tinyconfig quicktap.config >"$dir/log" 2>&1 </dev/null || { tail -n 5 "$dir/log" >&2; exit 1; }
grep -v '^# [A-Z a-z]*[^t]$' "$here/debug.config" | grep CONFIG_ | while read -r line; do
	case $line in
	CONFIG_*) grep -qxF -- "$line" "$tree/.config" || echo "debug.sh: $series has no $line" >&2 ;;
	esac
done
nice make -C "$tree" -j"${JOBS:-2}" bzImage modules >>"$dir/log" 2>&1 </dev/null || { grep -m 5 -A 5 'error' "$dir/log" >&2; exit 1; }
make -C "$tree" modules_install INSTALL_MOD_PATH="$dir/root" >>"$dir/log" 2>&1 </dev/null || { tail -n 5 "$dir/log" >&2; exit 1; }
release=$(make -s -C "$tree" kernelrelease)
ln -sfn "$tree" "$dir/root/lib/modules/$release/build"
{
	echo "release=$release"
	echo "tree=$tree"
	echo "image=$tree/arch/x86/boot/bzImage"
} >"$dir/done"
cat "$dir/done"
