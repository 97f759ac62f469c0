# SPDX-License-Identifier: GPL-2.0-or-later
# --doctor, on this host and on this host without some parts, in a mount namespace. (Read by run.sh.)
running=$(uname -r)
without() { # SHELL-COMMANDS: commands for mounts before stap --doctor
	unshare -m sh -c "$1"'; "$0" --doctor; echo "status $?"' "$STAP"
}
expect doctor 0 "user runtime  yes      a script ran in a process" sh -c '"$0" --doctor; true' "$STAP"
if [ "$(id -u)" -eq 0 ] && [ -e /sys/kernel/btf/vmlinux ] && command -v clang >/dev/null; then
	expect doctor-bpf 0 "BPF           yes      a script ran as BPF programs" sh -c '"$0" --doctor; true' "$STAP"
	if [ ! -e /proc/modules ]; then
		expect doctor-bpf-chosen 0 "kernel run    limited  scripts run as BPF programs, which stap chooses here" sh -c '"$0" --doctor && echo ran' "$STAP"
	else
		skip options/doctor-bpf-chosen "a kernel that loads no modules"
	fi
else
	skip options/doctor-bpf "root, BTF of the running kernel, clang"
fi
expect doctor-status 0 '' bash -c '"$0" --doctor --json >"$1"; s=$?; python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
run = d[\"checks\"][-1]
sys.exit(d[\"runs\"] != (run[\"result\"] != \"no\") or d[\"runs\"] == bool(int(sys.argv[2])) or len(d[\"checks\"]) < 10)" "$1" $s' "$STAP" "$SCRATCH/doctor"
# apt knows each package that is recommended.
expect doctor-packages 0 '' bash -c '"$0" --doctor | sed -n "s/^ *-> .*is in the package //p" | while read -r package; do
	apt-cache -q show "$package" >/dev/null || exit 1
done' "$STAP"
# apt-cache takes a second if apt does not cache its lists, so it is run only once.
if command -v apt-cache >/dev/null && [ -e /etc/debian_version ]; then
	mkdir -p "$SCRATCH/apt" && printf '#!/bin/sh\necho >>"$0.asked"\nexec %s "$@"\n' "$(command -v apt-cache)" >"$SCRATCH/apt/apt-cache"
	chmod +x "$SCRATCH/apt/apt-cache"
	expect doctor-asks-apt-once 0 '' bash -c 'PATH="$1:$PATH" "$0" --doctor; [ ! -e "$1/apt-cache.asked" ] || [ "$(wc -l <"$1/apt-cache.asked")" -le 1 ]' "$STAP" "$SCRATCH/apt"
else
	skip options/doctor-asks-apt-once "apt"
fi
expect doctor-and-script 1 '--doctor checks this machine' "$STAP" --doctor -e "$begin"
expect doctor-and-vm 1 '--doctor checks this machine' "$STAP" --doctor --vm
if unshare -m true 2>"$SCRATCH/err"; then
	expect doctor-no-images 0 'VM            no       no kernel image in /boot to boot in a virtual machine
                       -> on Debian: apt install linux-image-cloud-amd64' without 'mount -t tmpfs none /boot'
	expect doctor-no-servers 0 'debuginfo     limited  not installed' without 'mount -t tmpfs none /usr/lib/debug; export DEBUGINFOD_URLS='
	expect doctor-no-headers 0 "headers       no       no build tree of kernel $running" without 'mount -t tmpfs none /lib/modules'
	expect doctor-no-headers-no-run 0 'status 1' without 'mount -t tmpfs none /lib/modules; mount -t tmpfs none /sys/kernel/btf'
	expect doctor-headers 0 'headers       yes      /' without "mount -t tmpfs none /lib/modules; mkdir /lib/modules/$running; ln -s '$(readlink -f "/lib/modules/$release/build")' /lib/modules/$running/build"
	mkdir -p "$SCRATCH/few" && ln -sf /bin/* "$SCRATCH/few" 2>/dev/null
	rm -f "$SCRATCH"/few/{gcc,gcc-*,cpio,make}
	expect doctor-no-gcc 0 'user runtime  no       cannot run gcc, which --runtime=user and --runtime=bpf require' without "export PATH='$SCRATCH/few' SYSTEMTAP_DIR='$SCRATCH/few-cache'"
	expect doctor-no-cpio 0 'the virtual machine needs more programs
                       -> on Debian: apt install cpio' without "export PATH='$SCRATCH/few' SYSTEMTAP_DIR='$SCRATCH/few-cache'"
	expect doctor-no-make 0 'compiler      no       "make"' without "mount -t tmpfs none /lib/modules; mkdir /lib/modules/$running; ln -s '$(readlink -f "/lib/modules/$release/build")' /lib/modules/$running/build; export PATH='$SCRATCH/few' SYSTEMTAP_DIR='$SCRATCH/few-cache'"
	expect doctor-locked-down 0 'signatures    limited  required: the kernel is locked down' without 'mount -t tmpfs none /sys/kernel; mkdir /sys/kernel/security; echo "none [integrity] confidentiality" >/sys/kernel/security/lockdown'
	expect doctor-signed 0 'signatures    limited  required (module.sig_enforce)' without 'mount -t tmpfs none /sys/module; mkdir -p /sys/module/module/parameters; echo Y >/sys/module/module/parameters/sig_enforce'
	expect doctor-no-types 0 'types         no       neither an image nor debuginfo' without 'mount -t tmpfs none /sys/kernel; mount -t tmpfs none /boot; mount -t tmpfs none /lib/modules'
	create=''
	getent group stapdev >/dev/null || create='groupadd -r stapdev && '
	expect doctor-user 0 "-> ${create}usermod -aG stapdev nobody" sh -c 'setpriv --reuid 65534 --regid 65534 --clear-groups env -u TMPDIR SYSTEMTAP_DIR=/nonexistent "$0" --doctor; true' "$STAP"
else
	skip options/doctor "unshare -m: $(<"$SCRATCH/err")"
fi
