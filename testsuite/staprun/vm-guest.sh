# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2046,SC2016,SC2010
# Run by vm.sh as root in a guest, in busybox's shell. Each test prints a heading and what it saw.
cd /suite || exit 1
PATH=/suite:$PATH
pkill() { kill "$1" $(pidof "$2"); }
t() { echo "## $*"; }
st() { echo "status $?"; }
# Runs t_tick in the background, as process $pid, and comes back when it is at work.
tick() {
	rm -f /tmp/o
	"$@" ./t_tick.ko >/tmp/o & pid=$!
	until grep -qs tick /tmp/o; do sleep 0.1; done
}
loaded() { echo "loaded: $(ls /sys/module | grep -c ^t_)"; }

t hello
staprun ./t_hello.ko
st
loaded

t hello -R
staprun -R ./t_hello.ko
st
loaded

t command
staprun -c 'cat /etc/passwd' ./t_count.ko | tail -n 2
loaded

t failing command
staprun -c 'sh -c "exit 7"' ./t_count.ko
st

t set
staprun ./t_set.ko x=5 s=hi
st
staprun ./t_set.ko y=5
st
loaded

t error
staprun ./t_error.ko
st
loaded

t system
staprun ./t_system.ko
st

t interrupt
tick staprun
kill -INT $pid
wait $pid
st
sed -n '1p;$p' /tmp/o
loaded

t term to staprun
tick staprun
kill -TERM $pid
wait $pid
st
tail -n 1 /tmp/o
loaded

t stapio killed
tick staprun
pkill -KILL stapio
wait $pid
st
loaded

t staprun killed
tick staprun
kill -KILL $pid
wait $pid
while pidof stapio >/tmp/p; do sleep 0.1; done
tail -n 1 /tmp/o
loaded
staprun -d t_tick
st
loaded

t twice
tick staprun
staprun ./t_tick.ko
st
staprun -A t_tick
st
staprun -d t_tick
st
pkill -INT stapio
wait
loaded

t target
sleep 1 & staprun -x $! ./t_tick.ko | sed -n '1p;$p'
loaded

t detach attach
staprun -L ./t_tick.ko
st
loaded
sleep 0.3
(sleep 1; pkill -INT stapio) & staprun -A t_tick >/tmp/o
st
sed -n '1p;$p' /tmp/o
loaded

t detach remove
staprun -L ./t_tick.ko
staprun -d t_tick
st
loaded

t head
staprun ./t_many.ko | head -n 1 | cut -d' ' -f2-
loaded

# 20 records a read, in order; what did not fit in the buffer is counted.
check() {
	awk 'NF != 3 || (($1 in last) && $2 != (last[$1] + 1) % 20) { print "line", NR, $0 }
		{ last[$1] = $2; n++ } END { print (n >= want), n % 20 }' want="$1" /tmp/o
}

t many
staprun -c 'dd if=/dev/zero of=/dev/null bs=1 count=50' ./t_many.ko >/tmp/o 2>/tmp/e
st
check 1000
loaded

t too many for a stopped reader
staprun -c 'sh -c "kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=5000; kill -CONT $PPID"' ./t_many.ko >/tmp/o 2>/tmp/e
st
# A hit makes one record of 20 lines.
awk '/There were/ { lost = $4 } NF == 3 { n++ }
	END { print "lost", (lost > 1000), "all", (n / 20 + lost >= 5000) }' /tmp/e /tmp/o
loaded

t end
staprun -c true ./t_end.ko >/tmp/o
st
awk '$2 != NR - 1 { print "line", NR } END { print NR }' /tmp/o

t end into slow pipe
staprun -c true ./t_end.ko | { sleep 3; awk '$2 != NR - 1 { bad++ } END { print bad + 0, NR }'; }

t output file
staprun -o /tmp/f.%%y ./t_hello.ko
cat /tmp/f.%y

t no rights
cp staprun stapio /tmp
chmod 755 /tmp/staprun /tmp/stapio
su user -c '/tmp/staprun /suite/t_hello.ko'
st

t setuid without group
chmod 4755 /tmp/staprun
su user -c '/tmp/staprun /suite/t_hello.ko'
st

t stapdev
echo 'stapdev:x:90:user' >>/etc/group
su user -c "/tmp/staprun -c 'id -u; grep Cap /proc/self/status' /suite/t_count.ko"
st
loaded

t stapdev system
su user -c "/tmp/staprun /suite/t_system.ko"
st
loaded

t stapdev interrupt
tick su user -c '/tmp/staprun "$0"'
pkill -TERM staprun
wait $pid
st
tail -n 1 /tmp/o
loaded

t stapdev env
su user -c 'SYSTEMTAP_STAPIO=/bin/echo /tmp/staprun /suite/t_hello.ko'
st

t stapdev unreadable
cp t_hello.ko /root/s.ko
chmod 700 /root
su user -c '/tmp/staprun /root/s.ko'
st

t stapusr
sed -i '/^stapdev/d' /etc/group
echo 'stapusr:x:91:user' >>/etc/group
su user -c '/tmp/staprun /suite/t_hello.ko'
st
su user -c '/tmp/staprun t_hello'
st
mkdir -p /lib/modules/$(uname -r)/systemtap
cp t_hello.ko /lib/modules/$(uname -r)/systemtap
su user -c '/tmp/staprun t_hello'
st
chmod 777 /lib/modules/$(uname -r)/systemtap
 su user -c '/tmp/staprun t_hello'
st
su user -c '/tmp/staprun -d t_hello'
st

t other kernel
staprun ./other.ko
st

t no modules
echo 1 >/proc/sys/kernel/modules_disabled
staprun ./t_hello.ko
st
