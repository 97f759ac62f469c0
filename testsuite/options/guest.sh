# SPDX-License-Identifier: GPL-2.0-or-later
# A virtual machine whose guest does not boot is ended together with stap: QEMU is replaced by a program that
# sleeps. (Read by run.sh.)
fake=$SCRATCH/fake-qemu
mkdir -p "$fake/bin"
cat >"$fake/bin/qemu-system-$(uname -m)" <<SCRIPT
#!/bin/sh
echo \$\$ >'$fake/pid'
exec sleep 600
SCRIPT
chmod 755 "$fake/bin"/*

# Prints the message of stap for a signal during the boot of the guest, and whether QEMU has ended.
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

# A guest that dies: QEMU is replaced by a program that opens the lines, writes a kernel's log and the status of the
# command, and exits.
dying=$SCRATCH/dying-qemu
mkdir -p "$dying"
cat >"$dying/qemu-system-$(uname -m)" <<'SCRIPT'
#!/bin/sh
for word; do case $word in file:*/log) log=${word#file:} ;; esac; done
: >"${log%/log}/out"; : >"${log%/log}/err"
printf '%b' "$DEATH_LOG" >"$log"
printf '%b' "$DEATH_STATUS" >"${log%/log}/ctl.out"
[ -z "$DEATH_SIGNAL" ] || kill -"$DEATH_SIGNAL" $$
SCRIPT
chmod 755 "$dying"/*
died() { # LOG STATUS SIGNAL OPTION...
	DEATH_LOG=$1 DEATH_STATUS=$2 DEATH_SIGNAL=$3 PATH=$dying:$PATH "$STAP" --vm="$release" "${@:4}" -e "$begin"
}
if [ "$(uname -m)" = x86_64 ] && command -v qemu-system-x86_64 >/dev/null && [ -e "/boot/vmlinuz-$release" ]; then
	panic='[ 1.0] before\n[ 2.0] Kernel panic - not syncing: of a test\n[ 2.1] a frame\n'
	expect guest-panics 1 'the guest died: Kernel panic - not syncing: of a test
stap-vm: -v prints its kernel'"'"'s log' died "$panic" 'started\n' ''
	expect guest-panics-verbose 1 '  [ 2.1] a frame' died "$panic" 'started\n' '' -v
	expect guest-out-of-memory 1 'the guest died: out of memory (1024 MB): Kernel panic' died '[ 2.0] Kernel panic - not syncing: System is deadlocked on memory\n' 'started\n' ''
	expect guest-kills-for-memory 1 'the guest ran out of memory (1024 MB): Out of memory: Killed process 7 (staprun)' died '[ 2.0] Out of memory: Killed process 7 (staprun)\n' 'started\nstatus 137\n' ''
	expect guest-killed 1 'the guest died: qemu-system-x86_64 was killed by signal 9 before the command did' died '[ 1.0] x\n' 'started\n' KILL
else
	skip options/guest-panics "qemu, and a kernel in /boot"
fi

# Programs in the guest find their libraries as here. QEMU is replaced by a program that prints files of the
# initial file system.
showing=$SCRATCH/showing-qemu
mkdir -p "$showing"
cat >"$showing/qemu-system-$(uname -m)" <<'SCRIPT'
#!/bin/sh
for word; do case $word in */initrd) initrd=$word ;; file:*/log) log=${word#file:} ;; esac; done
: >"${log%/log}/err"
cpio -i --quiet --to-stdout $SHOWN <"$initrd" >"${log%/log}/out"
echo booted >"$log"
printf 'started\nstatus 0\n' >"${log%/log}/ctl.out"
SCRIPT
chmod 755 "$showing"/*
shown() { # FILE OF THE GUEST
	SHOWN=$1 LD_LIBRARY_PATH="/opt/it's here" PATH=$showing:$PATH "$SOURCE/translator/run/stap-vm" -r "$release" -- true
}
if [ "$(uname -m)" = x86_64 ] && command -v qemu-system-x86_64 >/dev/null && [ -e "/boot/vmlinuz-$release" ]; then
	expect guest-library-cache 0 '' cmp <(shown etc/ld.so.cache) /etc/ld.so.cache
	expect guest-library-path 0 "export LD_LIBRARY_PATH='/opt/it'\\''s here'" shown .command
else
	skip options/guest-library-path "qemu, and a kernel in /boot"
fi
