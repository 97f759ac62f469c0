# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: guest.sh SECONDS CYCLES STEP DIRECTORY. The modules are in /t, to which DIRECTORY is a link, since a
# script refers to a program by the path at which it was built. Prints a line for each part on standard output, and
# problems on standard error.
seconds=$1 cycles=$2 step=$3 here=$4
mkdir -p "${here%/*}" && ln -s /t "$here" && cd /t

workers=
work() { # PAUSE: starts a process on each CPU
	local cpu
	for cpu in 0 1 2 3; do
		"$here/work" $cpu $1 &
		workers="$workers $!"
	done
}
rest() { kill $workers; wait $workers 2>/dev/null; workers=; }
loaded() { ls /sys/module | grep -c '^t_'; }
seed=1
random() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); }

# free() and own(): free memory, and memory that the kernel uses itself, in kB, when nothing runs. The latter hardly
# depends on earlier runs: it shows a leak of a page in each of 500 cycles. (Memory of the runtime is counted to the
# byte, with a message in the log.) kept() is the memory allocated by kmalloc() and similar functions, to some 20
# kB: it shows a leak of a page per cycle after a few cycles.
own() { awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { own += $2 } END { print own }' /proc/meminfo; }
available() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 2
	echo 3 >/proc/sys/vm/drop_caches
	# Pages in per-CPU lists are free, too.
	awk '/^MemFree/ { free = $2 } /^ *count:/ { free += 4 * $2 } END { print free }' /proc/meminfo /proc/zoneinfo
}

kept() {
	local cache
	sync
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*/shrink; do echo 1 >"$cache"; done 2>/dev/null
	sleep 1
	awk '/^(VmallocUsed|Percpu):/ { kept += $2 } /^kmalloc-/ { kept += $2 * $4 / 1024 } END { printf "%d\n", kept }' /proc/meminfo /proc/slabinfo
}

# Waits until its probes are hit, since a signal that arrives before staprun waits for it is lost.
start() {
	: >/tmp/out
	staprun ./t_mixed.ko >/tmp/out 2>/tmp/err & pid=$!
	until [ -s /tmp/out ] || ! kill -0 $pid; do usleep 100000; done
}

# Mixed probes with all CPUs busy.
mixed() { # SECONDS
	start
	sleep "$1"
	kill -INT $pid
	wait $pid
	echo "mixed $? $(grep -c '^end 1$' /tmp/out) loaded $(loaded)"
	grep -v WARNING /tmp/err | head -n 5 >&2
	rm -f /tmp/out
}

# Waits until no loader of one module runs, by its name and its file's name; reports a loader that does not end within
# two minutes with its kernel stack.
alive() { # NAME
	local p
	for p in $(grep -ls -e "$1" -e "t_lane$lane.ko" /proc/[0-9]*/cmdline | tr -dc '0-9\n'); do
		grep -q 'State:.[^Z]' /proc/$p/status 2>/dev/null && echo $p
	done
}
gone() { # NAME: waits for staprun, which is $pid, first; if it was killed, a stapio may remain
	local i=0 p
	while kill -0 $pid || [ "$(alive $1)" ]; do
		usleep 50000
		[ $((i += 1)) = ${patience:-1200} ] || continue
		for p in $(alive $1); do
			echo "$(cat /proc/$p/cmdline | tr '\0' ' ')$(grep State /proc/$p/status) $(head -n 4 /proc/$p/stack | tr '\n' ' ')"
		done
		kill -KILL $(alive $1)
	done
}

# Killed at any time between its first system call and its end, after which the leftover module can be removed. The
# module has the process ID in its name, so that several can run at the same time.
one_cycle() {
	local name
	random
	staprun -R ./t_lane$lane.ko >/dev/null 2>&1 & pid=$!
	name=t_mi_$pid
	usleep $((seed / 7 % 1500000))
	case $((seed / 1000 % 4)) in
	0) kill -TERM $pid ;;      # a shell starts background processes with SIGINT ignored
	1) kill -KILL $pid ;;
	2) kill -KILL $(alive $name | grep -v "^$pid$") || kill -TERM $pid ;;
	3) kill -TERM $pid; kill -INT $pid ;;
	esac
	gone $name
	wait $pid
	[ -d /sys/module/$name ] || return
	echo "$name" >>/tmp/left
	# If only stapio remains, it removes the module itself; while it executes staprun the owner is unknown.
	staprun -d $name || [ ! -d /sys/module/$name ] || echo "$name: not removed"
}
some_cycles() { # CYCLES: runs a third of them
	local i=0
	seed=$lane
	ln t_mixed.ko t_lane$lane.ko
	while [ $((i += 1)) -le $((($1 + lane - 1) / 3)) ]; do one_cycle 2>/dev/null; echo "<5>soak: lane $lane cycle $i" >/dev/kmsg; done
}
in_lanes() { # COMMAND: runs it three times in parallel, each with its $lane
	local lane lanes=
	for lane in 1 2 3; do
		"$@" &
		lanes="$lanes $!"
	done
	wait $lanes
}
killed() { # CYCLES
	: >/tmp/left
	in_lanes some_cycles "$1"
	echo "killed: loaded $(loaded)"
	echo "of $1 killed ones $(grep -c . /tmp/left) were left loaded, and removed" >&2
}

# Removed while its probes are hit on all CPUs.
unload() { # TIMES
	local i=0
	while [ $((i += 1)) -le "$1" ]; do
		random
		staprun -L ./t_mixed.ko >/dev/null 2>/tmp/err || echo "unload $i: $(head -n 1 /tmp/err)"
		usleep $((seed / 7 % 500000))
		if [ $((seed / 1000 % 2)) = 0 ]; then rmmod t_mixed; else staprun -d t_mixed; fi || echo "unload $i: not removed"
	done
	echo "unload: loaded $(loaded)"
}

# The n-th allocation and all later ones fail, for n = 1, 1 + STEP, ... until none fails.
some_failing() {
	local n=$((1 + (lane - 1) * step)) status=1
	while [ $status -ne 0 ] && [ $n -lt 2000 ]; do
		timeout 300 staprun -R ./t_few.ko _stp_fail=$n >/tmp/out$lane 2>/tmp/err$lane & pid=$!
		wait $pid
		status=$?
		[ $status -eq 0 ] || grep -q 'ERROR' /tmp/err$lane || echo "allocation $n: status $status, no ERROR"
		[ ! -d /sys/module/t_fe_$pid ] || { echo "allocation $n: left loaded"; rmmod t_fe_$pid; }
		echo $n >/tmp/n$lane
		n=$((n + 3 * step))
	done
}
failing() {
	in_lanes some_failing
	echo "failing: $(($(cat /tmp/n1) > 20)) $(cat /tmp/out[123] | grep -cx 1)"
	echo "with $(sort -n /tmp/n? | head -n 1) allocations all goes well" >&2
}

# Loading and unloading does not leak memory. Memory that is allocated only once is in one half of the repetitions;
# a leak in each repetition is in both. The limit is half a page per repetition.
some_again() {
	local i=0
	while [ $((i += 3)) -le "$1" ]; do staprun -R ./t_few.ko 2>/dev/null; done
}
again() { # TIMES, a multiple of 3, then the same number again
	local first second third
	in_lanes some_again 6 >/dev/null
	first=$(kept)
	in_lanes some_again "$1" >/tmp/again
	second=$(kept)
	in_lanes some_again "$1" >>/tmp/again
	third=$(kept)
	echo "again: $((second - first < $1 * 2 || third - second < $1 * 2)) $(($(grep -cx 1 /tmp/again) == 2 * $1)) loaded $(loaded)"
	echo "allocated $first kB, $1 times later $second kB, as many later $third kB" >&2
}

# A script that needs more memory than is available.
huge() {
	for i in 1 2 3; do staprun ./t_huge.ko >/dev/null 2>/tmp/huge && echo "huge: loaded"; done
	echo "huge: $(grep -c "ERROR: not enough memory for the script" /tmp/huge) loaded $(loaded)"
}

start            # the first run allocates memory that is not freed
kill -INT $pid; wait $pid
work 0; sleep 1; rest
before=$(available) own_before=$(own)
work 0
mixed "$seconds"
rest
work 500         # still frequent, but leaves processor time to the process that removes the module
unload $((cycles / 5))
rest
work 100000
killed "$cycles"
rest
failing
huge
again $((15 + cycles / 15 * 3))
after=$(available) own_after=$(own)
echo "memory $((before - after < 16000)) $((own_after - own_before < 2000))"
echo "free before $before kB, after $after kB; the kernel's own $own_before kB, $own_after kB" >&2
