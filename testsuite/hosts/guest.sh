#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A host for --remote: a virtual machine with OpenSSH's server, which is reached at a port of the loopback.
#   guest.sh DIRECTORY RELEASE PORT NAME    boots it, and waits until it takes connections; it runs until its stap-vm is killed
# DIRECTORY contains the keys and ssh's configuration (DIRECTORY/config, in which the guest's name is NAME), shared
# by guests.
# Prints the process ID of stap-vm.
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$(dirname "$(dirname "$HERE")")}
dir=$1 release=$2 port=$3 name=$4
mkdir -p "$dir/$name/etc/ssh" "$dir/$name/root/.ssh" "$dir/$name/run/sshd" "$dir/$name/modules"
[ -e "$dir/key" ] || ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
ssh-keygen -q -t ed25519 -N '' -f "$dir/$name/etc/ssh/host_key" <<<y >/dev/null
cp "$dir/key.pub" "$dir/$name/root/.ssh/authorized_keys"
chmod 700 "$dir/$name/root/.ssh"
cat >"$dir/$name/etc/passwd" <<END
root:x:0:0:root:/root:/bin/sh
sshd:x:100:65534::/run/sshd:/bin/false
END
cat >"$dir/$name/etc/sshd_config" <<END
HostKey /etc/ssh/host_key
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
SetEnv PATH=/bin:/sbin:/usr/bin:/usr/sbin:/:/busybox
END
cat >>"$dir/config" <<END
Host $name
	HostName 127.0.0.1
	Port $port
	User root
	IdentityFile $dir/key
	UserKnownHostsFile $dir/known_hosts
	StrictHostKeyChecking accept-new
	LogLevel ERROR
END
# The network card's driver and the modules on which it depends, in the order of loading.
for file in $(sed -n 's,^\(.*/\(virtio_net\|virtio_pci\)\.ko[^:]*\): *,\1 ,p' "/lib/modules/$release/modules.dep" | awk '{ for (i = NF; i; i--) print $i }'); do
	module=$(basename "${file%%.ko*}").ko
	[ -e "$dir/$name/modules/$module" ] && continue
	echo "$module" >>"$dir/$name/modules/order"
	case $file in
	*.xz) xz -dc "/lib/modules/$release/$file" >"$dir/$name/modules/$module" ;;
	*) cp "/lib/modules/$release/$file" "$dir/$name/modules/$module" ;;
	esac
done
cat >"$dir/$name/start" <<END
#!/bin/sh
while read -r m; do insmod /modules/\$m; done </modules/order
hostname $name
chmod 755 / /root /run /run/sshd
chown -R root:root /root /run
mount -t devpts devpts /dev/pts
ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
exec /usr/sbin/sshd -D -e -f /etc/sshd_config
END
chmod 755 "$dir/$name/start"
"$(dirname "$(dirname "$HERE")")/translator/run/stap-vm" -n -t "${GUEST_SECONDS:-600}" -r "$release" -m 512 -s 1 \
	-q "-netdev user,id=n,restrict=on,hostfwd=tcp:127.0.0.1:$port-:22 -device virtio-net-pci,netdev=n" \
	-d "$dir/$name:/" -f /usr/sbin/sshd:/usr/sbin/sshd -f "$BUILD/staprun/staprun:/bin/staprun" -f "$BUILD/staprun/stapio:/bin/stapio" \
	-l "$dir/$name.log" -- /start >"$dir/$name.out" 2>&1 &
pid=$!
for ((i = 0; i < 300; i++)); do
	ssh -F "$dir/config" -o ConnectTimeout=1 "$name" true 2>/dev/null && break
	kill -0 $pid 2>/dev/null || { cat "$dir/$name.out" >&2; exit 1; }
	sleep 0.2
done
echo $pid
