# In the guest: runs the modules of /t/run, six at a time for two seconds, with the target of /t/target/NAME. The
# output and exit status of each module are written as a tar file when it has ended, so that earlier results remain
# if a guest crashes.
# shellcheck shell=dash
cd /t/run && mkdir -p /out
ip link set lo up
busy() {
	while :; do
		cat.host /etc/passwd >/tmp/copy
		ls -l /proc/1 >/dev/null 2>&1
		ping -c 1 127.0.0.1 >/dev/null 2>&1
		usleep 20000
	done
}
reading() { grep -qs "^PPid:.$1\$" /proc/[0-9]*/status; }     # when stapio runs, the two seconds begin
tell() { # NAME
	cd /out || return
	head -c 20000 "$1.out" >"$1.head" && mv "$1.head" "$1.out"
	until mkdir /tmp/telling 2>/dev/null; do usleep 20000; done        # one writer at a time
	tar cf - "$1.out" "$1.err" "$1.rc"
	rmdir /tmp/telling
}
one() { # NAME
	local pid killer name=$1
	echo "<5>example $name" >/dev/kmsg
	case $(cat "/t/target/$name" 2>/dev/null) in
	-c) set -- -c 'sleep 2' ;;
	-x) set -- -x $busy ;;
	*) set -- ;;
	esac
	(
		staprun "$@" "./$name.ko" </dev/null >"/out/$name.out" 2>"/out/$name.err" &
		pid=$!
		for _ in $(seq 40); do
			kill -0 $pid 2>/dev/null && ! reading $pid || break
			sleep 1
		done
		sleep 2
		kill -TERM $pid 2>/dev/null
		(sleep 150; kill -KILL $pid 2>/dev/null && echo "ERROR: had to be killed" >>"/out/$name.err") &
		killer=$!
		wait $pid
		echo $? >"/out/$name.rc"
		kill $killer
		tell "$name"
	)
}
busy &
busy=$!
set -- *.ko
while [ $# -gt 0 ]; do
	jobs=
	for _ in 1 2 3 4 5 6; do
		[ $# -eq 0 ] && break
		one "${1%.ko}" &
		jobs="$jobs $!"
		shift
	done
	wait $jobs
done
kill $busy
ls /sys/module | grep '^stap_' >/out/left
cd /out && exec tar cf - left
