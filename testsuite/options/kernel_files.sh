# SPDX-License-Identifier: GPL-2.0-or-later
# --headers and --image: packages are made from the files of the installed kernel, and a module is built from these
# packages alone, by an unprivileged user, with the kernel's files hidden. (Read by run.sh.)
packages=$SCRATCH/packages
mkdir -p "$packages"
own=linux-headers-$release common=$(sed -n 's|^include /usr/src/\(.*\)/Makefile$|\1|p' "/usr/src/$own/Makefile" 2>/dev/null)
tools=$(readlink -f "/usr/src/$own/scripts") tools=${tools%/scripts} tools=${tools##*/}

# Packs files of this machine as a package, with the fastest compression.
pack() { # NAME PATH...
	local name=$1 dir=$packages/$1.dir
	shift
	mkdir -p "$dir/DEBIAN"
	(cd / && tar cf - "${@#/}") | tar xf - -C "$dir"
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n' "$name" >"$dir/DEBIAN/control"
	dpkg-deb --root-owner-group -Zgzip -z1 -b "$dir" "$packages/$name.deb" >/dev/null && rm -rf "$dir"
}

# Runs in a separate mount namespace, if possible: without the kernel's files, as another user.
bare() {
	local hide='mount -t tmpfs none /usr/src && mount -t tmpfs none /lib/modules && mount -t tmpfs none /boot &&
		{ [ ! -e /usr/lib/debug ] || mount -t tmpfs none /usr/lib/debug; } && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
	if unshare -m true 2>/dev/null; then
		(cd "$packages/work" && unshare -m sh -c "$hide" sh env SYSTEMTAP_DIR="$packages/work/home" TMPDIR="$packages/work" "$@")
	else
		(cd "$packages/work" && SYSTEMTAP_DIR=$packages/work/home "$@")
	fi
}

if [ -z "$common" ] || [ -z "$tools" ] || ! command -v dpkg-deb >/dev/null; then
	skip options/packages "Debian's headers of $release, dpkg-deb"
else
	pack "$own" "/usr/src/$own" "/lib/modules/$release/build"
	pack "$common" "/usr/src/$common"
	pack "$tools" "/usr/lib/$tools"
	pack "linux-image-$release" "/boot/vmlinuz-$release" "/boot/config-$release"
	mkdir -p "$packages/work" && chmod 777 "$packages/work" && chmod a+x "$SCRATCH" "${SCRATCH%/*}" "$packages"
	headers=(--headers="$packages/$own.deb" --headers="$packages/$common.deb" --headers="$packages/$tools.deb")
	image=--image=$packages/linux-image-$release.deb
	probe='probe kernel.function("vfs_read") { println($count) }'
	expect packages-build 0 packaged.ko bare "$STAP" -r "$release" "${headers[@]}" "$image" -p4 -m packaged -e "$probe"
	expect packages-built-for 0 "$release" modinfo -F vermagic "$packages/work/packaged.ko"
	expect packages-of-the-only-kernel 0 packaged.ko bare "$STAP" "${headers[@]}" "$image" -p4 -m packaged -e "$probe"
	expect packages-unpacked-once 0 '2' bash -c "ls -d '$packages'/work/home/cache/trees/*[0-9a-f] | grep -c ."
	# shellcheck disable=SC2016
	expect packages-same-module 0 '' bash -c '[ "$(objdump -dr --no-show-raw-insn "$1" | tail -n +4 | cksum)" = "$(objdump -dr --no-show-raw-insn "$(SYSTEMTAP_DEBUGINFO_PATH= "$2" -r "$3" -p4 -m packaged -e "$4" >/dev/null && echo packaged.ko)" | tail -n +4 | cksum)" ]; s=$?; rm -f packaged.ko; exit $s' \
		sh "$packages/work/packaged.ko" "$STAP" "$release" "$probe"
	expect packages-types 0 '$count:' bare "$STAP" "$image" -L 'kernel.function("vfs_read")'
	# A package that was unpacked and then changed is unpacked again, and elsewhere if the disk of the cache is full.
	[ -e "$packages/work/home/cache" ] || bare "$STAP" "$image" -L 'kernel.function("vfs_read")' >/dev/null 2>&1
	unpacked=$(echo "$packages"/work/home/cache/trees/*/boot/vmlinuz-*)
	unpacked=${unpacked%/boot/vmlinuz-*}
	[ -d "$unpacked" ] || { not_ok options/packages-unpacked "no directory in $packages/work/home/cache/trees"; exit 1; }
	for damage in 'truncate -s 1000 @/boot/vmlinuz-*' 'rm -r @ && mkfifo @' 'rm -r @ && ln -s @ @' 'rm @/boot/vmlinuz-* && mkdir @/boot/vmlinuz-x'; do
		eval "${damage//@/$unpacked}"
		expect "packages-changed ${damage//@/TREE}" 0 "The directory $unpacked of the cache is rebuilt: " bare "$STAP" -v "$image" -L 'kernel.function("vfs_read")'
	done
	expect packages-repaired 1 '' bash -c "find '$packages/work/home/cache/trees' | grep new-"
	if [ "$(id -u)" -eq 0 ]; then          # which the user of the cache cannot remove
		chown 1:1 "$unpacked"
		expect packages-foreign 0 "The directory $unpacked of the cache is rebuilt: " bare "$STAP" -v "$image" -L 'kernel.function("vfs_read")'
		rm -rf "$packages"/work/home/cache/trees/*.new-*
	fi
	if unshare -m true 2>/dev/null; then
		expect packages-full-disk 0 '$count:' unshare -m sh -c 'mkdir -p "$0" && mount -t tmpfs -o size=1m none "$0" && exec env SYSTEMTAP_DIR="$0" "$@"' \
			"$packages/full" "$STAP" "$image" -L 'kernel.function("vfs_read")'
	else
		skip options/packages-full-disk 'mount namespaces'
	fi
	expect packages-missing 1 "$common, $tools are required by $own, but not in the packages of --headers; add them" bare "$STAP" "${headers[0]}" -p4 -e "$begin"
	expect packages-missing-tools 1 "$tools is required by $own, but not in the packages of --headers; add it" bare "$STAP" "${headers[@]:0:2}" -p4 -e "$begin"
	expect packages-missing-own 1 "no configured kernel (include/generated/autoconf.h) in these packages, only $common; add the package of the kernel's own headers, such as linux-headers-$release" \
		bare "$STAP" -r "$release" "${headers[1]}" -p4 -e "$begin"
	expect packages-of-another-kernel 1 "--headers is for the kernel $release, not for 6.99; give -r $release" bare "$STAP" -r 6.99 "${headers[@]}" -p4 -e "$begin"
	expect packages-image-of-another-kernel 1 "--image has no image of the kernel 6.99, only boot/vmlinuz-$release" bare "$STAP" -r 6.99 "$image" -p4 -e "$begin"
	expect packages-no-image 1 "has no kernel image" bare "$STAP" -r 6.99 --image="$packages/$tools.deb" -p4 -e "$begin"
	head -c 100000 "$packages/$common.deb" >"$packages/cut.deb"
	expect packages-cut 1 "--headers=$packages/cut.deb" bare "$STAP" --headers="$packages/cut.deb" -p4 -e "$begin"
	expect packages-nothing-half-unpacked 0 '' bash -c "! ls '$packages/work/home/cache/trees' | grep new-"
	expect packages-not-one 1 'is not a package that can be read (.deb, .rpm, or a tar file)' "$STAP" --headers="$STAP" -p4 -e "$begin"
	expect packages-image-is-not-one 1 'is not a kernel image' "$STAP" -r "$release" --image="/boot/config-$release" -L 'kernel.function("vfs_read")'
	expect packages-tree 0 '' bash -c "'$STAP' --headers='/usr/src/$own' -p4 -m tree -e '$begin'; s=\$?; rm -f tree.ko; exit \$s"
	tar cJf "$packages/kheaders.tar.xz" -C "/usr/src/$own" include
	expect packages-kheaders 1 'lack Makefile, scripts, Module.symvers, which modules are built with: an archive of headers alone (kheaders) is not enough' \
		"$STAP" --headers="$packages/kheaders.tar.xz" -p4 -e "$begin"
	expect packages-and-vm 1 '--headers or --image cannot be used with --vm' "$STAP" --vm "$image" -e "$begin"
	rm -rf "$packages"
fi
expect packages-missing-file 1 '--headers=/nosuch.deb: No such file' "$STAP" --headers=/nosuch.deb -p4 -e "$begin"
if wanted packages-hostile; then
	report options/packages-hostile "$(python3 "$TESTS/options/hostile_archives.py" "$STAP" "$SCRATCH/hostile" 2>&1)"
fi
