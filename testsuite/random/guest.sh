# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest: loads each module of /t in turn, while its script runs, with a little load and readers and writers of
# its procfs files; prints modules that the kernel or the loader rejects, and resources that a module does not
# release. $1: directory of programs to run.
cd /t || exit 1
ifconfig lo 127.0.0.1 up 2>/dev/null
loaded=0
for module in t_m*.ko; do
	name=${module%.ko}
	echo "<5>module $name" >/dev/kmsg
	timeout -s KILL 120 staprun "$module" </dev/null >/tmp/out 2>/tmp/err &
	run=$!
	usleep 60000
	for file in $(find /proc/systemtap -type f 2>/dev/null); do
		timeout 5 cat "$file" >/dev/null 2>&1
		echo 5 >"$file"
	done 2>/dev/null
	for program in known kinds marks; do timeout 5 "$1/$program" /dev/null >/dev/null 2>&1; done </dev/null
	wait $run
	status=$?
	# A script with errors exits with status 1; with --strict and losses, with status 3.
	case $status in
	0 | 1 | 3) loaded=$((loaded + 1)) ;;
	*) echo "$name: status $status: $(head -n 3 /tmp/err)" ;;
	esac
	# A guest has no processor events to count, and counters require -c.
	if grep -v -e '^WARNING' -e "does not support the event" -e 'in the process of -c or -x' /tmp/err | grep -v '^ERROR: .* at [^ ]*:[0-9]*:[0-9]*$' | grep -qE "insert|kernel refuse|Invalid|failed|not permitted|can't|cannot"; then
		echo "$name: $(head -n 3 /tmp/err)"
	fi
	[ ! -d "/sys/module/$name" ] || { echo "$name: left loaded"; rmmod "$name"; }
	rm -f /tmp/out /tmp/err
done
echo "$loaded loaded"
