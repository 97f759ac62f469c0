# SPDX-License-Identifier: GPL-2.0-or-later
# A virtual machine whose guest does not boot ends with stap: QEMU is a program that sleeps. (Read by run.sh.)
fake=$SCRATCH/fake-qemu
mkdir -p "$fake/bin"
cat >"$fake/bin/qemu-system-$(uname -m)" <<SCRIPT
#!/bin/sh
echo \$\$ >'$fake/pid'
exec sleep 600
SCRIPT
chmod 755 "$fake/bin"/*

# Prints what stap reports when it gets the signal while the guest boots, and whether QEMU has ended.
signal_at_boot() { # SIGNAL
	local pid n
	rm -f "$fake/pid"
	TMPDIR=$fake PATH=$fake/bin:$PATH "$STAP" --vm="$release" -e "$begin" &
	pid=$!
	for ((n = 0; n < 1200; n++)); do [ ! -s "$fake/pid" ] || break; sleep 0.1; done
	kill -"$1" $pid
	wait $pid 2>/dev/null
	for ((n = 0; n < 600; n++)); do kill -0 "$(cat "$fake/pid")" 2>/dev/null || { echo "QEMU has ended"; break; }; sleep 0.1; done
}
if command -v qemu-system-"$(uname -m)" >/dev/null && [ -e "/boot/vmlinuz-$release" ]; then
	expect guest-interrupted 0 'Interrupted in pass 5.
QEMU has ended' signal_at_boot INT
	if command -v setpriv >/dev/null; then expect guest-of-killed 0 'QEMU has ended' signal_at_boot KILL; else skip options/guest-of-killed setpriv; fi
else
	skip options/guest-interrupted "qemu, and a kernel in /boot"
fi
