#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run.sh. --sysroot: a root directory with copies of a kernel, a program, a library and links. The
# program and the library differ from those of this host.
root=$SCRATCH/root release=
for tree in /lib/modules/6.1.*/build; do
	[ ! -e "$tree" ] || release=$(basename "${tree%/build}")
done
program() { # NAME WORD: a program that calls visit() of the library, which returns the word's length
	printf 'int visit(int n);\nint entered(int %s) { return visit(%s); }\nint main(int c, char **v) { return entered(c); }\n' "$2" "$2" |
		gcc -g -O1 -fno-inline -x c - -o "$1" -L"$root/opt/lib" -lvisit
}
# Files are copied: a hard link changes the ctime of the file, which is in keys of the cache, so that all other tests
# would compile their runtime again. The debuginfo's key is its build-id.
make_root() {
	mkdir -p "$root"/{etc,boot,opt/lib,usr/bin,usr/lib,usr/src,usr/local/bin,lib/modules,usr/lib/debug/boot}
	cp -a "/lib/modules/$release" "$root/lib/modules/" || return
	cp -a /usr/src/linux-headers-"${release%%-cloud*}"* "$root/usr/src/" || return
	cp -a "$(realpath "$(readlink -f "/lib/modules/$release/build/scripts")/..")" "$root/usr/lib/" || return
	cp -a "/boot/vmlinuz-$release" "/boot/config-$release" "$root/boot/" || return
	[ ! -e "/usr/lib/debug/boot/vmlinux-$release" ] || ln "/usr/lib/debug/boot/vmlinux-$release" "$root/usr/lib/debug/boot/" || return
	echo 'int visit(int visitor) { return visitor; }' | gcc -g -shared -fPIC -O1 -x c - -o "$root/opt/lib/libvisit.so" || return
	program "$root/usr/bin/true" ours && program "$root/usr/local/bin/other" ours || return
	ln -s /usr/bin/true "$root/usr/bin/link" && ln -s ../../../../../../../../usr/bin/true "$root/usr/bin/up"
	echo 'include /etc/more.conf' >"$root/etc/ld.so.conf" && echo /opt/lib >"$root/etc/more.conf"
}
# Prints the files of this host that stap opened, except those of the compiler and of stap itself.
outside() { # OPTION...
	strace -f -qq -e trace=open,openat -o "$SCRATCH/trace" "$STAP" --sysroot="$root" "$@" >"$SCRATCH/built" 2>&1 </dev/null || cat "$SCRATCH/built"
	grep -v ENOENT "$SCRATCH/trace" | grep -oE '"/(boot|lib/modules|usr/src|usr/lib/debug|usr/lib/linux-kbuild)[^"]*"' | sort -u
	echo outside: none
}
if [ -z "$release" ]; then
	skip cross/sysroot "a kernel 6.1 with headers"
elif ! command -v strace >/dev/null; then
	skip cross/sysroot strace
elif ! make_root >"$SCRATCH/out" 2>&1; then
	not_ok cross/sysroot "$(<"$SCRATCH/out")"
else
	in_root=("$STAP" "--sysroot=$root")
	for name in /usr/bin/true true /usr/bin/link /usr/bin/up '/usr/bin/t*e' "$root/usr/bin/true"; do
		expect "sysroot-program $name" 0 'process("/usr/bin/true").function("entered@' "${in_root[@]}" -p2 -e "probe process(\"$name\").function(\"entered\") { println(\$ours) }"
	done
	expect sysroot-path 0 'process("/usr/local/bin/other").function' "${in_root[@]}" -p2 -e 'probe process("other").function("entered") { println($ours) }'
	expect sysroot-path-given 1 'program "other" not found in PATH' "${in_root[@]}" --sysenv=PATH=/usr/bin:/bin -p2 -e 'probe process("other").function("entered") { println($ours) }'
	expect sysroot-library 0 'process("/opt/lib/libvisit.so").function("visit@' "${in_root[@]}" -p2 -e 'probe process("true").library("libvisit.so").function("visit") { println($visitor) }'
	ln -s ../../../../../../../../etc/passwd "$root/usr/bin/climb" && ln -s /proc/self/exe "$root/usr/bin/self" && mkfifo "$root/usr/bin/fifo"
	for name in climb self fifo; do
		expect "sysroot-program-$name" 1 "file \"/usr/bin/$name\" not found" timeout 300 "${in_root[@]}" -p2 -e "probe process(\"/usr/bin/$name\").function(\"entered\") { println(1) }"
	done
	# A FIFO is also rejected outside of the root, and as a package.
	expect sysroot-fifo-here 1 "cannot probe $root/usr/bin/fifo: not a file" timeout 300 "$STAP" -r "$release" -p2 -e "probe process(\"$root/usr/bin/fifo\").function(\"entered\") { println(1) }"
	expect sysroot-fifo-headers 1 'is neither a file nor a directory' timeout 300 "$STAP" --headers="$root/usr/bin/fifo" -p2 -e "$begin"
	expect sysroot-fifo-image 1 'is neither a file nor a directory' timeout 300 "$STAP" --image="$root/usr/bin/fifo" -p2 -e "$begin"
	# Links to files that are missing below DIR, but exist on this host.
	hollow=$SCRATCH/hollow
	mkdir -p "$hollow/lib/modules/$release" "$hollow/boot" && ln -s "$(readlink -f "/lib/modules/$release/build")" "$hollow/lib/modules/$release/build" && ln -s "/boot/vmlinuz-$release" "$hollow/boot/"
	expect sysroot-hollow-tree 1 "no build tree of kernel $release" "$STAP" --sysroot="$hollow" -p4 -e "$begin"
	expect sysroot-hollow-image 1 "neither an image nor debuginfo of the kernel $release was found" "$STAP" --sysroot="$hollow" -p2 -e 'probe kernel.function("vfs_read") { println(1) }'
	# The name of DIR is not interpreted as a pattern; kbuild requires a path without blanks.
	mkdir -p "$SCRATCH/r[x] *t/lib" "$SCRATCH/r[x] *t/usr" && cp -al "$root/usr/bin" "$root/usr/src" "$SCRATCH/r[x] *t/usr/" && cp -al "$root/lib/modules" "$SCRATCH/r[x] *t/lib/"
	expect sysroot-special-pattern 0 'process("/usr/bin/true").function("entered@' "$STAP" --sysroot="$SCRATCH/r[x] *t" --headers="/lib/modules/$release/build" -r "$release" -p2 -e 'probe process("/usr/bin/t*e").function("entered") { println($ours) }'
	expect sysroot-special-tree 1 'has a blank or a special character in its path' "$STAP" --sysroot="$SCRATCH/r[x] *t" -p4 -e "$begin"
	rm "$root/etc/ld.so.conf"
	expect sysroot-library-nowhere 1 'has no library "libvisit.so"' "${in_root[@]}" -p2 -e 'probe process("true").library("libvisit.so").function("visit") { println($visitor) }'
	expect sysroot-library-path 0 'process("/opt/lib/libvisit.so").function("visit@' "${in_root[@]}" --sysenv=LD_LIBRARY_PATH=/opt/lib -p2 \
		-e 'probe process("true").library("libvisit.so").function("visit") { println($visitor) }'
	expect sysroot-relative 1 'file "./true" not found' bash -c "cd '$root/usr/bin' && '$STAP' --sysroot='$root' -p2 -e 'probe process(\"./true\").function(\"entered\") { println(1) }'"
	expect sysroot-kernels 1 "--sysroot has several kernels (4.4.0, $release) in /lib/modules" bash -c "mkdir '$root/lib/modules/4.4.0'; '$STAP' --sysroot='$root' -p4 -e '$begin'"
	rmdir "$root/lib/modules/4.4.0" 2>/dev/null
	cd "$SCRATCH" || exit
	expect sysroot-build 0 'outside: none' outside -p4 -m in_root -e 'probe process("/usr/bin/true").function("entered") { println($ours) } probe kernel.function("vfs_read").call { println($count) }
		probe module("loop").function("lo_ioctl") { println(pp()) }'
	[ "$(<"$SCRATCH/out")" = 'outside: none' ] && ok cross/sysroot-own-files || not_ok cross/sysroot-own-files "$(head -n 5 "$SCRATCH/out")"
	expect sysroot-module-names 0 'no names of DIR' bash -c "strings in_root.ko | grep -F '$root' || strings in_root.ko | grep -qx /usr/bin/true && echo no names of DIR"
	expect sysroot-module-kernel 0 "$release" modinfo -F vermagic in_root.ko
fi
