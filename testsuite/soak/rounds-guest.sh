# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: rounds-guest.sh ROUNDS PATIENCE. Loads, runs and unloads the module of all system calls ROUNDS times, each time
# in one of four ways, while other processes fork and call. A round that takes longer than PATIENCE seconds is reported with
# the stacks of all CPUs and all tasks in the kernel's log. Prints "rounds N", and what went wrong.
rounds=$1 patience=$2
cd /t || exit 1
sysctl -q -w kernel.hung_task_timeout_secs=100 kernel.hung_task_all_cpu_backtrace=1 kernel.softlockup_all_cpu_backtrace=1 2>/dev/null
echo 1 >/proc/sys/kernel/sysrq
round=0
: >/tmp/round

watch() {
	local before='' now still=0
	while sleep 5; do
		now=$(cat /tmp/round)
		[ "$now" = "$before" ] && still=$((still + 5)) || still=0
		before=$now
		[ $still -eq "$patience" ] || continue
		echo "round $now takes more than $patience s"
		for key in l w t; do echo $key >/proc/sysrq-trigger; done
	done
}
forks() { while :; do (:); ls / | tail -n 1 >/dev/null; usleep 20000; done; }

# The command ends by itself; the session ends first; nobody reads it, and it is removed; it is removed while it is attached.
one_round() {
	case $((round % 4)) in
	0) timeout 100 staprun -R -c 'sh -c "ls -l / >/dev/null; usleep 30000"' ./t_calls.ko >/tmp/out 2>/tmp/err && grep -qx 1 /tmp/out ;;
	1) timeout 100 staprun -R -c 'timeout 50 sh -c "for i in 1 2 3; do (:); done"' ./t_calls.ko >/tmp/out 2>/tmp/err && grep -qx 1 /tmp/out ;;
	2) timeout 100 staprun -L ./t_calls.ko >/tmp/out 2>/tmp/err && usleep 50000 && staprun -d t_calls 2>>/tmp/err ;;
	3)
		timeout -s TERM 1 staprun -R -c 'usleep 90000000' ./t_calls.ko >/tmp/out 2>/tmp/err
		[ $? -le 143 ]
		;;
	esac || echo "round $round: status $?: $(head -n 3 /tmp/err)"
	[ -z "$(ls /sys/module | grep -e '^t_ca')" ] || echo "round $round: left loaded"
}

watch & watcher=$!
forks & fork1=$!
./work 0 2000 & work0=$!
./work 1 2000 & work1=$!
while [ $round -lt "$rounds" ]; do
	one_round
	round=$((round + 1))
	echo $round >/tmp/round
	[ $((round % 50)) -ne 0 ] || echo "at $round, $(cut -d. -f1 /proc/uptime) s" >&2
done
kill $watcher $fork1 $work0 $work1
echo "rounds $round"
