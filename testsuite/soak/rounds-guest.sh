# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: rounds-guest.sh ROUNDS PATIENCE LANES. Loads, runs and unloads the module of all system calls ROUNDS
# times in total, in LANES parallel lanes, each with its own module, each time in one of four ways, while other
# processes fork and make system calls. A lane whose round takes longer than PATIENCE seconds is reported with the
# stacks of all CPUs and all tasks in the kernel's log. Prints problems and "rounds N".
rounds=$1 patience=$2 lanes=$(seq "$3")
cd /t || exit 1
sysctl -q -w kernel.hung_task_timeout_secs=100 kernel.hung_task_all_cpu_backtrace=1 kernel.softlockup_all_cpu_backtrace=1 2>/dev/null
echo 1 >/proc/sys/kernel/sysrq
for lane in $lanes; do echo 0 >/tmp/round$lane; done

watch() {
	local lane now
	while sleep 5; do
		for lane in $lanes; do
			now=$(cat /tmp/round$lane)
			eval "[ \"$now\" = \"\${before$lane-}\" ] && still$lane=\$((still$lane + 5)) || still$lane=0; before$lane=$now"
			[ "$now" != done ] && [ $((still$lane)) -eq "$patience" ] || continue
			echo "lane $lane, round $now takes more than $patience s"
			for key in l w t; do echo $key >/proc/sysrq-trigger; done
		done
	done
}
forks() { while :; do (:); ls / | tail -n 1 >/dev/null; usleep 100000; done; }

# Runs a session that ends in one of four ways: the command exits; the session ends first; the session has no reader, and
# its module is removed; it is ended at a random time.
one_round() {
	local out=/tmp/out$lane err=/tmp/err$lane module=lane${lane}_calls
	case $((round % 4)) in
	0) timeout 100 staprun -R -c 'sh -c "ls -l / >/dev/null; usleep 30000"' ./$module.ko >$out 2>$err && grep -qx 1 $out ;;
	1) timeout 100 staprun -R -c 'timeout 50 sh -c "for i in 1 2 3; do (:); done"' ./$module.ko >$out 2>$err && grep -qx 1 $out ;;
	2) timeout 100 staprun -L ./$module.ko >$out 2>$err && usleep 50000 && staprun -d $module >$out 2>>$err ;;
	3)
		timeout 100 staprun -R -c 'usleep 90000000' ./$module.ko >$out 2>$err & pid=$!
		usleep $((round * 7919 % 500 * 1000))
		kill -TERM $pid
		wait $pid 2>/dev/null
		[ $? -le 143 ]
		;;
	esac || echo "lane $lane, round $round: status $?: $(head -n 3 $err)"
	[ -z "$(ls /sys/module | grep "^lane${lane}_")" ] || echo "lane $lane, round $round: left loaded"
}
some_rounds() {
	local round=0
	while [ $((round * LANES + lane)) -le "$rounds" ]; do
		one_round
		round=$((round + 1))
		echo $round >/tmp/round$lane
		[ $((round % 10)) -ne 0 ] || echo "lane $lane at $round, $(cut -d. -f1 /proc/uptime) s" >&2
	done
	echo done >/tmp/round$lane
	echo $round >/tmp/rounds$lane
}

LANES=$3
watch & others=$!
forks & others="$others $!"
./work 0 5000 & others="$others $!"
./work 1 5000 & others="$others $!"
for lane in $lanes; do
	some_rounds & pids="${pids-} $!"
done
wait $pids
kill $others
echo "rounds $(cat /tmp/rounds* | awk '{ n += $1 } END { print n }')"
