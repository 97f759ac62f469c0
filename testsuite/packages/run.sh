#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The packages of debian/ and packaging/: each installed file belongs to exactly one of them, their requirements are
# those of the build, and an installation in an empty /usr/local works and can be removed. This is done with
# chroot(8) in a directory tree that shares only /usr with this host, by the scripts of the Debian package.
set -u
. "$TESTS/lib.sh"
dest=$SCRATCH/installed root=$SCRATCH/root prefix=$(sed -n 's/^prefix = //p' "$BUILD/Makefile")

if ! make -s -C "$BUILD" install DESTDIR="$dest" >"$SCRATCH/made" 2>&1; then
	not_ok packages/install "$(tail -n 20 "$SCRATCH/made")"
	exit 0
fi
python3 "$TESTS/packages/contents.py" "$SOURCE" "$dest$prefix"

# A production host installs quicktap-runtime alone.
cd "$dest$prefix" || exit
strip bin/staprun bin/stap-merge libexec/quicktap/stapio
size=$(du -c --apparent-size -k bin/staprun bin/stap-merge libexec/quicktap/stapio share/man/man8/staprun.8 | tail -n 1 | cut -f 1)
report packages/runtime-size "$([ "$size" -lt 300 ] || echo "$size KB")"

if ! make -s -C "$BUILD" staprun-static >"$SCRATCH/made" 2>&1; then
	not_ok packages/static "$(tail -n 20 "$SCRATCH/made")"
elif [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
	skip packages/static "root"
	skip packages/clean-root "root"
	exit 0
else
	mkdir "$SCRATCH/bare"
	cp "$BUILD"/build/static/* "$SCRATCH/bare"
	report packages/static "$(chroot "$SCRATCH/bare" /staprun -V 2>&1 | grep -v '^Quicktap')"
fi

[ "$prefix" = /usr/local ] || { skip packages/clean-root "a build that was configured for /usr/local"; exit 0; }
release=
for build in $(printf '%s\n' /lib/modules/6.1.*/build | sort -V); do
	[ ! -d "$build" ] || release=$(basename "$(dirname "$build")")
done

# Runs in a separate mount namespace, whose mounts are removed with it.
unshare -m bash -s "$root" "$BUILD" "$SOURCE" "$release" >"$SCRATCH/out" 2>&1 <<'END'
set -u
root=$1 build=$2 source=$3 release=$4
mkdir "$root"
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root" || exit
mkdir usr boot proc dev tmp var root run
cp -a /etc etc
cp -a /bin /sbin /lib /lib64 .          # links into /usr
mount --bind -o ro /usr usr
mount -t tmpfs -o mode=755 tmpfs usr/local
mount --bind -o ro /boot boot
mount -t proc proc proc
mount --rbind /dev dev
mkdir -p var/lib/dpkg tmp/home
touch var/lib/dpkg/statoverride
sed -i '/^stap/d' etc/group etc/gshadow
inside() { timeout 100 chroot . env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/home DPKG_MAINTSCRIPT_PACKAGE=quicktap-runtime "$@"; }
script() { sed 's|/usr/bin/|/usr/local/bin/|; /^#DEBHELPER/d' "$source/debian/quicktap-runtime.$1" | inside sh -s "$2"; }
files() { find usr/local etc var root \( -type f -o -type l \) ! -name '*-' -exec sha256sum {} + 2>&1 | sort -k 2; }
expect() { # NAME TEXT COMMAND...: the output has the text
	local name=$1 text=$2 out
	shift 2
	out=$("$@" 2>&1)
	if [[ $out == *"$text"* ]]; then echo "ok $name"; else printf 'not ok %s\n%s\n' "$name" "$out" | sed '2,$s/^/    /'; fi
}

files >tmp/before
make -s -C "$build" install DESTDIR="$root" || exit
script postinst configure
script postinst configure
expect groups 'stapusr stapsys stapdev' echo $(grep -o '^stap[a-z]*' etc/group)
expect mode '4754 root stapusr' inside stat -c '%a %U %G' /usr/local/bin/staprun
expect staprun-root Quicktap inside staprun -V
expect staprun-member Quicktap inside setpriv --reuid nobody --regid nogroup --groups stapusr sh -c 'staprun -V'
expect staprun-other 'Permission denied' inside setpriv --reuid nobody --regid nogroup --clear-groups sh -c 'staprun -V'
expect stap 'version' inside stap -V
expect user-runtime 'hello' inside stap --runtime=user -e 'probe begin { println("hello") exit() }'
# A message refers to a page where man finds it, and only if the page says more.
if [ -x usr/bin/man ]; then
	expect page-named 'Pass 2: analysis failed.  [man error::pass2]' inside stap --runtime=user -p2 -e 'probe nosuch { }'
	expect page-found /usr/local/share/man/man3/error::pass2.3stap inside man -w error::pass2
	expect page-by-path '[man /usr/local/share/man/man3/error::pass2.3stap]' inside env MANPATH=/tmp stap --runtime=user -p2 -e 'probe nosuch { }'
	expect no-page '<Pass 2: analysis failed.>' inside sh -c 'echo "<$(stap --runtime=user -p2 -e "probe begin { nosuch() }" 2>&1 | tail -n 1)>"'
	mv usr/local/share/man/man3/error::pass2.3stap tmp/
	expect page-missing '<Pass 2: analysis failed.>' inside sh -c 'echo "<$(stap --runtime=user -p2 -e "probe nosuch { }" 2>&1 | tail -n 1)>"'
	mv tmp/error::pass2.3stap usr/local/share/man/man3/
else
	echo 'skip page-named # man'
fi
if [ -n "$release" ]; then
	expect module installed.ko inside sh -c "cd /tmp && stap -r $release -m installed -p4 -e 'probe vfs.read { println(1) exit() }'"
else
	echo 'skip module # the headers of a kernel 6.1'
fi
# The unit runs a script as stap@reads.service would, without a service manager.
unit=usr/local/lib/systemd/system/stap@.service
mkdir -p etc/stap/scripts var/cache/stap
echo 'probe begin { println("read") } probe timer.ms(100) { println("ended by itself") exit() }' >etc/stap/scripts/reads.stp
echo 'OPTIONS=--runtime=user' >etc/stap/scripts/reads.env
ln -s reads.stp etc/stap/scripts/verified.stp
expect unit-runs 'ended by itself' inside sh -c ". /etc/stap/scripts/reads.env; SYSTEMTAP_DIR=/var/cache/stap exec $(sed -n 's/^ExecStart=//p' "$unit" | sed 's/%i/reads/g; s/[$][$]/$/g')"
if [ -x usr/bin/systemd-analyze ]; then
	expect unit-verified '<>' inside sh -c 'echo "<$(systemd-analyze verify --man=no /usr/local/lib/systemd/system/stap@verified.service 2>&1)>"'
else
	echo 'skip unit-verified # systemd-analyze'
fi
rm -r etc/stap var/cache/stap
make -s -C "$build" uninstall DESTDIR="$root"
script postrm remove
script postrm purge
files >tmp/after
diff tmp/before tmp/after >tmp/rests && echo 'ok removal' || { echo 'not ok removal'; sed 's/^/    /' tmp/rests; }
END
sed -E 's/^(ok|not ok|skip) /&packages\//' "$SCRATCH/out"
