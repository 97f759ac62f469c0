#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --merge on virtual machines of 6.1 and 6.12 that are reached by OpenSSH: known numbers of events on each host, and
# a host that dies. Called by run.sh; reads of /proc/version are counted, and a read of /proc/uptime ends the
# session.
set -u
. "$TESTS/lib.sh"

for command in sshd ssh ssh-keygen qemu-system-x86_64; do
	PATH=$PATH:/usr/sbin command -v "$command" >/dev/null || { skip hosts/guests "$command"; exit 0; }
done
releases=()
for series in 6.1 6.12; do
	for image in /boot/vmlinuz-"$series".*; do
		[ ! -e "/lib/modules/${image#*-}/build" ] || { releases+=("${image#*-}"); break; }
	done
done
[ ${#releases[@]} -eq 2 ] || { skip hosts/guests "kernels 6.1 and 6.12 with headers"; exit 0; }

dir=$SCRATCH/guests
mkdir -p "$dir/bin"
printf '#!/bin/sh\nexec %s -F %s/config "$@"\n' "$(command -v ssh)" "$dir" >"$dir/bin/ssh"
chmod +x "$dir/bin/ssh"
export PATH=$dir/bin:$PATH
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait' EXIT

boot() { # NAME RELEASE
	local port
	for port in $(shuf -i 20000-30000 -n 5); do
		pids+=("$("$TESTS/hosts/guest.sh" "$dir" "$2" "$port" "$1")") && [ -n "${pids[-1]}" ] && return
		unset 'pids[-1]'
	done
	return 1
}

boot one "${releases[0]}" && boot two "${releases[1]}" || { not_ok hosts/guests "a guest does not boot"; exit; }

# Waits until the session has printed this line.
printed() { # LINE
	for ((i = 0; i < 600; i++)); do
		! grep -qx "$1" "$dir/out" || return 0
		kill -0 $session 2>/dev/null || return 1
		sleep 0.2
	done
	return 1
}

reads() { # HOST NUMBER
	ssh "$1" "i=0; while [ \$i -lt $2 ]; do cat /proc/version || exit; i=\$((i + 1)); done" >/dev/null
}

script='
global n, by, sizes, last, said, wide
probe timer.ms(200) { if (n == 12 && !said++) println("12 received") }
probe begin { println("begin") }
probe kernel.function("version_proc_show") { n++; by[execname(), hostname()]++; sizes <<< 10 * n_of_host(); last[hostname()] = execname()
	for (i = 0; i < 3500; i++) wide <<< i }       // more than 8 KB: the values of a host are in several records
probe kernel.function("uptime_proc_show") { exit() }
function n_of_host() { return strlen(hostname()) }
probe end {
	printf("%d %d %d %d\n", n, @count(sizes), @sum(sizes), @percentile(sizes, 50))
	foreach (b in @hist_linear(wide, 0, 4000, 1)) values += @hist_linear(wide, 0, 4000, 1)[b]
	printf("%d %d\n", @count(wide), values)
	foreach ([e, h+] in by) printf("%s %s %d\n", e, h, by[e, h])
	foreach (h+ in last) printf("%s %s\n", h, last[h])
}'

# Begins with an empty file, since the background process empties it only later, and the last session has printed
# the same lines.
session() { # OPTIONS...
	: >"$dir/out"
	"$STAP" --merge -DMAXACTION=20000 -DSTP_MAX_BUCKETS=4100 "$@" -e "$script" >"$dir/out" 2>"$dir/err" &
	session=$!
	printed begin
}

finish() { # NAME STATUS OUTPUT ERROR
	local found='' rc
	wait $session
	rc=$?
	[ $rc -eq "$2" ] || found="exit status $rc"$'\n'
	[ "$(grep -vx '12 received' "$dir/out")" = "$3" ] || found+="output: $(cat "$dir/out")"$'\n'
	[ -z "$4" ] || grep -qF -- "$4" "$dir/err" || found+="no line of errors has: $4"$'\n'
	[ -z "$found" ] || found+=$(cat "$dir/err")
	report "hosts/$1" "$found"
}

session --remote=one --remote=two && reads one 30 && reads two 12 && ssh two cat /proc/uptime >/dev/null || kill $session
finish guests-sums 0 "$(printf '%s\n' begin '42 42 1260 30' '147000 147000' 'cat one 30' 'cat two 12' 'one cat' 'two cat')" ''
left=$(for name in one two; do ssh $name 'cat /proc/modules | grep -v "^virtio\|failover" | grep "^stap\|^t_"; ls /tmp'; done)
report hosts/guests-nothing-left "$left"

# A guest that dies: the values that it has sent are counted, and its name is printed.
session --remote=one --remote=two && reads one 5 && reads two 7 && printed '12 received' && { kill -USR1 "${pids[1]}"; sleep 2; reads one 1; ssh one cat /proc/uptime >/dev/null; } || kill $session
finish guests-host-dies 1 "$(printf '%s\n' begin '13 13 390 30' '45500 45500' 'cat one 6' 'cat two 7' 'one cat' 'two cat')" 'WARNING: two: the connection was lost'

# stap is killed: the module is unloaded.
session --remote=one && kill -KILL $session
wait $session 2>/dev/null
for ((i = 0; i < 50; i++)); do
	left=$(ssh one 'grep "^stap_\|^t_" /proc/modules')
	[ -n "$left" ] || break
	sleep 0.2
done
report hosts/guests-stap-is-killed "$left"

# The end of the guest reports whether its kernel printed messages.
kill -TERM "${pids[0]}"
for ((i = 0; i < 300; i++)); do kill -0 "${pids[0]}" 2>/dev/null || break; sleep 0.1; done
report hosts/guests-kernel-log "$([ -s "$dir/one.log" ] || echo 'no kernel log'; grep -A40 'reported a fault\|guest died' "$dir/one.out")"
