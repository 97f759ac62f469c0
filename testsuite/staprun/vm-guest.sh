# SPDX-License-Identifier: GPL-2.0-or-later
# Run by vm.sh as root in a guest, in busybox's shell. Each test prints a heading and its results.
# shellcheck shell=sh disable=SC2046,SC2016,SC2010
cd /suite || exit 1
PATH=/suite:$PATH
pkill() { kill "$1" $(pidof "$2"); }
t() { echo "## $*"; }
st() { echo "status $?"; }
# Sorts lines of a command and of its children, whose order varies.
sorted() { "$@" >/tmp/lines; set -- $?; sort /tmp/lines; return $1; }
# Sends a signal to stapio after it has run for a second.
soon() { until pidof stapio >/dev/null; do sleep 0.1; done; sleep 1; pkill "$1" stapio; }
# Runs t_tick in the background, as process $pid, and returns when it is running.
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

staprun ./t_set.ko x=-0x10 s=
staprun ./t_set.ko x=1y
staprun ./t_set.ko x=99999999999999999999
staprun ./t_set.ko s=$(head -c 5000 /dev/zero | tr '\0' a)

t arguments
staprun -$(head -c 5000 /dev/zero | tr '\0' v) ./t_hello.ko 2>&1 | grep -x hello
staprun -u ./t_argv.ko 2>/tmp/e
cat /tmp/e
staprun -w -u/path -C always ./t_argv.ko argv_2=zwei 'argv_4=4 4'
staprun -C always ./t_error.ko 2>&1 | head -n 1 | cat -v
staprun -T 60000 -c 'A=b env' ./t_set.ko 2>/dev/null | grep '^A='
staprun -A nosuch
staprun -b 200 ./t_hello.ko
loaded

t two make /proc/systemtap at once
staprun ./t_slow.ko >/tmp/slow & slow=$!
until grep -qs slow /tmp/slow; do sleep 0.1; done
for i in 1 2; do staprun -R ./t_files.ko >/tmp/m$i 2>&1 & pids="$pids $!"; done
wait $pids
cat /tmp/m1 /tmp/m2
kill -INT $slow
wait $slow
loaded

t busy CPUs when a session begins
staprun ./t_late.ko >/tmp/late & late=$!
until grep -qs late /tmp/late; do sleep 0.1; done
staprun ./t_profile.ko 2>/dev/null     # samples are missed meanwhile
st
kill -INT $late
wait $late
cat /tmp/late
loaded

t error
staprun ./t_error.ko
st
loaded

t system
sorted staprun ./t_system.ko
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

# Waits for stapio, which alone remains to have the module removed.
gone() { while pidof stapio staprun >/tmp/p; do sleep 0.1; done; }
t staprun killed
tick staprun
kill -KILL $pid
wait $pid
gone
tail -n 1 /tmp/o
loaded
# Reproduces an event before stapio has registered for the notification: it is missed.
cat >/tmp/late <<-'END'
	#!/bin/sh
	kill -KILL $PPID
	exec /suite/stapio "$@"
END
chmod 755 /tmp/late
SYSTEMTAP_STAPIO=/tmp/late staprun ./t_tick.ko 2>/tmp/e | tail -n 1
gone
cat /tmp/e
loaded
staprun -L ./t_tick.ko >/tmp/o 2>/dev/null
SYSTEMTAP_STAPIO=/tmp/late staprun -A t_tick 2>/dev/null | tail -n 1
gone
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
rm -f /tmp/o
sleep 1000 & target=$!
(until grep -qs tick /tmp/o; do sleep 0.1; done; kill $target) & staprun -x $target ./t_tick.ko >/tmp/o
sed -n '1p;$p' /tmp/o
loaded

t detach attach
staprun -L ./t_tick.ko >/tmp/o
st
head -n 1 /tmp/o
loaded
sleep 0.3
soon -INT & staprun -A t_tick >/tmp/o
st
sed -n '1p;$p' /tmp/o
loaded

t detach remove
staprun -L ./t_tick.ko >/tmp/o
staprun -d t_tick >>/tmp/o
st
grep -v tick /tmp/o
loaded

t head
staprun ./t_many.ko | head -n 1 | cut -d' ' -f2-
loaded

# 20 records per read, in order; records that did not fit into the buffer are counted.
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

t bulk
staprun -o /tmp/b -c 'sh -c "taskset 1 dd if=/dev/zero of=/dev/null bs=1 count=300; taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=300"' ./t_bulk.ko 2>/tmp/e
st
ls /tmp/b_cpu*
# Both CPUs' files have hits; the merged numbers are in order.
for i in 0 1; do stap-merge /tmp/b_cpu$i | awk '$1 != "all" { n++ } END { print (n >= 300) }'; done
stap-merge -o /tmp/b /tmp/b_cpu*
awk '$1 == "all" { all = $2; next } $1 != NR { bad++ } { n++ } END { print "out of order", bad + 0, (n == all) }' /tmp/b
loaded

t switch by signal
staprun -o /tmp/u ./t_tick.ko & pid=$!
until grep -qs tick /tmp/u; do sleep 0.1; done
kill -USR2 $pid
until grep -qs tick /tmp/u.1; do sleep 0.1; done
kill -INT $pid
wait $pid
st
head -n 1 /tmp/u
tail -n 1 /tmp/u.1

t daemon
staprun -D -o /tmp/d ./t_tick.ko >/tmp/p
st
until grep -qs tick /tmp/d; do sleep 0.1; done
kill -INT $(cat /tmp/p)
while kill -0 $(cat /tmp/p) 2>/dev/null; do sleep 0.1; done
tail -n 1 /tmp/d
loaded

t daemon that fails
staprun -D -o /nowhere/d ./t_tick.ko
st
loaded

t quit detaches, attached twice
tick staprun
kill -QUIT $pid
wait $pid
st
soon -QUIT & staprun -A t_tick 2>/dev/null | tail -n 1
loaded
staprun -d t_tick
loaded

t many of one module
for i in 1 2 3 4; do staprun -R ./stap_0123456789abcdef.ko v=$i >/tmp/m$i & done
until [ "$(grep -l tick /tmp/m? | wc -l)" -ge 4 ]; do sleep 0.1; done
echo "loaded: $(ls /sys/module | grep -c ^stap_)"
pkill -INT stapio
wait
for i in 1 2 3 4; do grep -c "tick $i" /tmp/m$i | awk '{ print ($1 > 0) }'; done
echo "loaded: $(ls /sys/module | grep -c ^stap_)"

t process IDs of two namespaces
for i in 1 2; do unshare -pf staprun -R ./stap_0123456789abcdef.ko v=$i >/tmp/m$i & done
until [ "$(grep -l tick /tmp/m[12] | wc -l)" -ge 2 ]; do sleep 0.1; done
ls /sys/module | grep ^stap_ | sed 's/_[0-9]*[0-9][0-9]$/_NUMBER/' | sort
pkill -INT stapio
wait
echo "loaded: $(ls /sys/module | grep -c ^stap_)"

t both killed
# The module frees its memory; the next staprun of its user unloads it. A running session is not affected.
kill_both() {
	local both="$(pidof staprun) $(pidof stapio)"
	kill -STOP $both
	kill -KILL $both
	wait $pid
	while [ "$(cat /sys/module/t_tick/parameters/_stp_state)" = open ]; do sleep 0.1; done
}
areas() { awk '/\[t_tick\]/ { sub(/\+.*/, "", $3); print $3, $2 }' /proc/vmallocinfo; }
staprun -L ./t_count.ko 2>/dev/null
tick staprun
kill_both 2>/dev/null
cat /sys/module/t_tick/parameters/_stp_state
areas
staprun -A t_tick
st
staprun ./t_hello.ko
staprun ./t_hello.ko
cat /sys/module/t_count/parameters/_stp_state
staprun -d t_count
loaded
# Before the start, only staprun has a module's device open; here, insmod loads the module, so no process has.
insmod ./t_tick.ko
cat /sys/module/t_tick/parameters/_stp_state
staprun ./t_hello.ko
loaded

t killed at system calls
# Sets $count to the number of system calls of an undisturbed run.
count_calls() { "$@" 0 0 >/dev/null 2>&1; count=$(sed 's/count //' /tmp/r); }
# Each run also shows that the previous one, which was killed, left nothing that prevents it. Prints unexpected results.
killed_at() { # STEP COMMAND...
	local step=$1 k
	shift
	count_calls "$@"
	for k in $(seq $((1 + step / 2)) $step $count); do
		"$@" $k -9 >/dev/null 2>>/tmp/killed
		while pidof staprun stapio >/dev/null; do usleep 20000; done
	done
	[ "$count" -gt 60 ] || echo "only $count calls"
}
loader() { INJECT_ALL=1 ./inject $1 $2 /tmp/r staprun -c true ./t_count.ko; }
relay() { SYSTEMTAP_STAPIO=/tmp/relay K=$1 SIGNAL=$2 staprun -c true ./t_count.ko; }
printf '#!/bin/sh\nINJECT_ALL=1 exec /suite/inject $K $SIGNAL /tmp/r /suite/stapio "$@"\n' >/tmp/relay
chmod 755 /tmp/relay
: >/tmp/killed
killed_at ${KILL_STEP:-5} loader
staprun ./t_hello.ko 2>/dev/null
loaded
grep -c 'removed the module t_count\|removing the module t_count' /tmp/killed | awk '{ print ($1 > 0) }'
grep -v '^Killed\|^staprun: removed the module t_count of a session\|^WARNING: staprun was killed; removing the module t_count' /tmp/killed
: >/tmp/killed
killed_at ${KILL_STEP:-11} relay
loaded
sort -u /tmp/killed

t stopped and continued at system calls
# The results equal those of a run without a stop: output, status, no module. Differences are printed.
stopped_at() { # STEP COMMAND...
	local step=$1 k
	shift
	count_calls "$@"
	for k in $(seq $((1 + step / 2)) $step $count); do
		"$@" $k -19 >/tmp/o 2>&1
		[ "$? $(cat /tmp/o) $(ls /sys/module | grep ^t_)" = '0 1 ' ] || { echo "at call $k, $(cat /tmp/r):"; cat /tmp/o; loaded; }
	done
	[ "$count" -gt 60 ] || echo "only $count calls"
}
stopped_at ${KILL_STEP:-23} loader
stopped_at ${KILL_STEP:-23} relay

t remove
staprun -d loop
st
insmod ./dummy.ko
staprun -d dummy
st
rmmod dummy
staprun -L ./t_tick.ko 2>/dev/null | head -n 1
staprun -R -L ./stap_0123456789abcdef.ko >/dev/null 2>&1
staprun ./t_count.ko & pid=$!
until grep -qs open /sys/module/t_count/parameters/_stp_state; do sleep 0.1; done
staprun -d '*'
st
ls /sys/module | grep -E '^(t_|stap_)'
kill -INT $pid
wait $pid

t remote
staprun -r 3:ssh://host ./t_remote.ko
staprun ./t_remote.ko

t installed without a translator
mkdir -p /tmp/usr
path=$PATH PATH=/suite/usr/bin:/busybox
mv stapio staprun /tmp/usr
staprun t_hello.ko
tick staprun
kill -KILL $pid
wait $pid
gone
PATH=$path
cp /tmp/usr/stapio /tmp/usr/staprun .
loaded

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

t stapdev is_myproc
cp guard /tmp/guard
cp guard /tmp/guard-root && chmod 4755 /tmp/guard-root
su user -c "/tmp/staprun -c 'sh -c \"/tmp/guard; /tmp/guard-root; true\"' /suite/t_mine.ko"
staprun -c "su user -c /tmp/guard-root" ./t_mine.ko

t stapdev system
sorted su user -c "/tmp/staprun /suite/t_system.ko"
st
loaded

t stapdev stopped and continued
# A user who may stop a privileged staprun may not inspect it while it is stopped; $1: its process ID.
cat >/tmp/look <<-'END'
	#!/bin/sh
	[ "$(readlink /proc/$1/exe)" != /tmp/staprun ] || ! su user -c "/suite/hostile trace $1" 2>&1 | grep -v "not permitted\\|denied"
END
chmod 755 /tmp/look
by_user() { INJECT_STOPPED=/tmp/look INJECT_ALL=1 ./inject $1 $2 /tmp/r /bin/busybox su user -c 'exec /tmp/staprun -c true /suite/t_count.ko'; }
stopped_at ${KILL_STEP:-41} by_user

t stapdev interrupt
tick su user -c '/tmp/staprun "$0"'
pkill -TERM staprun
wait $pid
st
tail -n 1 /tmp/o
loaded

t stapdev killed
tick su user -c '/tmp/staprun "$0"'
su user -c "kill -KILL $(pidof staprun)"
wait $pid
gone
tail -n 1 /tmp/o
loaded

t stapdev both killed
tick su user -c '/tmp/staprun "$0"'
kill_both 2>/dev/null
staprun ./t_hello.ko
loaded
su user -c '/tmp/staprun ./t_hello.ko'
loaded
tick staprun
kill_both 2>/dev/null
su user -c '/tmp/staprun ./t_hello.ko'
loaded
staprun -d t_tick

t stapdev env
su user -c 'SYSTEMTAP_STAPIO=/bin/echo /tmp/staprun /suite/t_hello.ko'
st

t stapdev unreadable
cp t_hello.ko /root/s.ko
chmod 700 /root
su user -c '/tmp/staprun /root/s.ko'
st

t capabilities of the file
# File capabilities replace setuid root.
./hostile setcap /tmp/usr/staprun
c() { su user -c "/tmp/usr/staprun $*"; st; }
c -c "'id -u; grep Cap /proc/self/status'" ./t_count.ko
c -L ./t_tick.ko >/tmp/o
c -d t_tick
c -d dummy
tick su user -c '/tmp/usr/staprun "$0"'
grep -E '^(Uid|CapPrm|CapEff)' /proc/$(pidof staprun)/status
su user -c "/suite/hostile trace $(pidof staprun); kill -KILL $(pidof staprun)"
wait $pid
gone
loaded
su user -c 'LD_PRELOAD=/suite/evil.so SYSTEMTAP_STAPIO=/bin/echo /tmp/usr/staprun ./t_hello.ko'
su nobody -s /bin/sh -c '/tmp/usr/staprun ./t_hello.ko'

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

t owner
# A user may attach to and remove only the user's own running sessions, not those of others or of root.
chmod 755 /lib/modules/$(uname -r)/systemtap
cp t_tick.ko /lib/modules/$(uname -r)/systemtap
u() { su user -c "/tmp/staprun $*"; st; }
u -L t_tick >/tmp/o
soon -QUIT & u -A t_tick >/tmp/o 2>/dev/null
grep -q tick /tmp/o && tail -n 1 /tmp/o
chown root /dev/systemtap/t_tick
u -A t_tick
u -d t_tick
chown user /dev/systemtap/t_tick
# No other staprun may lock the name at the end of an attachment either.
./hostile names /run/staprun.lock & names=$!
soon -INT & u -A t_tick >/tmp/o
kill $names
u -d t_tick
loaded
# Killed after the module is loaded and before the owner of its node is changed.
./hostile load-killed /tmp/staprun t_tick
st
loaded
u -d t_tick
./hostile load-killed /tmp/staprun t_tick
u -d "'*'"
loaded
/tmp/staprun -L t_tick >/tmp/o
u -d "'*'"
u -d t_tick
/tmp/staprun -d t_tick
chown user /lib/modules/$(uname -r)/systemtap/t_tick.ko
u t_tick

t few descriptors
# One descriptor must remain for the file that staprun reads before it unloads.
for i in 4 5 6 7 8 9 10 12 16; do su user -c "ulimit -n $i; /tmp/staprun t_hello" 2>&1 | head -n 1; done
loaded
rm /run/staprun.lock
ln -s /etc/shadow /run/staprun.lock
su user -c '/tmp/staprun t_hello'
rm /run/staprun.lock

t signed
# Without certificates no signature is accepted; with certificates, modules that are signed for the user's level
# are, for members of the group.
s() { su user -c "cd /suite; /tmp/staprun $*"; st; }
s ./t_user.ko
mkdir -p /etc/systemtap/staprun
cp cert.pem /etc/systemtap/staprun
s ./t_user.ko
s -R ./t_user.ko
s -b 4095 ./t_user.ko
s ./t_user.ko _stp_bufsize=4095
# A user may not use processes of other users.
(for i in 1 2 3 4 5 6 7 8; do ./stap-merge -o /dev/null /dev/null; sleep 0.1; done) & su user -c 'cd /suite; /tmp/staprun -c "sleep 1" ./t_own.ko' | sort -u
wait
staprun -c 'sh -c "./stap-merge -o /dev/null /dev/null"' ./t_own.ko | sort -u
# Nor processes that have the user's ID, but that the kernel does not allow the user to inspect: programs of another
# group, programs that gave up root's rights, that cannot be read, or that are not dumpable.
for name in plain group root unreadable; do cp guard /tmp/guard-$name; done
chgrp 90 /tmp/guard-group && chmod 2755 /tmp/guard-group && chmod 4755 /tmp/guard-root && chmod 711 /tmp/guard-unreadable
s "-c 'sh -c \"/tmp/guard-plain; /tmp/guard-group; /tmp/guard-root; /tmp/guard-unreadable; /tmp/guard-plain guard-prctl\"' ./t_guard.ko"
s ./t_level.ko
s ./t_hello.ko
s ./t_set.ko
sed -i 's/^stapusr/stapsys/' /etc/group
s ./t_level.ko
s ./t_user.ko
s ./t_hello.ko
loaded

t attacks on signatures
sed -i 's/^stapsys/stapusr/' /etc/group
mkdir -m 777 /tmp/a
# A module that was changed after it was signed is also rejected for root.
sed 's/hello /HELLO /' t_user.ko >/tmp/a/t_user.ko
cp t_user.ko.sgn /tmp/a
s /tmp/a/t_user.ko
staprun /tmp/a/t_user.ko
st
# Tries the signature of another module, links, a missing signature, invalid data, and a special file.
ln -s /suite/t_hello.ko.sgn /tmp/a/t_set.ko.sgn
ln -s /suite/t_set.ko /tmp/a/t_set.ko
s /tmp/a/t_set.ko
: >/tmp/a/t_empty.ko.sgn
cp t_user.ko /tmp/a/t_empty.ko
s /tmp/a/t_empty.ko
dd if=/dev/zero of=/tmp/a/t_empty.ko.sgn bs=1k count=20 2>/dev/null
s /tmp/a/t_empty.ko
mkfifo /tmp/a/fifo.ko
s /tmp/a/fifo.ko
s /tmp/a
s ../lib/t_user
s "'../x.ko'"
s "'t_user;id'"
# Parameters and options are never passed to a shell.
s ./t_user.ko "'a=;id'"
s ./t_user.ko "'_stp_x=1 2'"
s -r "'1:;id'" ./t_user.ko
# Hostile environment variables.
printf '%s\n' 'openssl_conf = i' '[i]' 'providers = p' '[p]' 'evil = e' '[e]' 'module = /suite/evil.so' 'activate = 1' >/tmp/a/conf
LD_PRELOAD=/suite/evil.so ./stap-merge -o /dev/null /dev/null
su user -c 'cd /suite; LD_PRELOAD=/suite/evil.so LD_AUDIT=/suite/evil.so LD_LIBRARY_PATH=/tmp/a GCONV_PATH=/tmp/a OPENSSL_CONF=/tmp/a/conf OPENSSL_MODULES=/tmp/a \
	SYSTEMTAP_STAPIO=/bin/echo IFS=/ TMPDIR=/nowhere PATH=/tmp/a /tmp/staprun ./t_user.ko'
st
# Paths in /proc, truncated files, and names that are paths.
su user -c 'cd /suite; /tmp/staprun /proc/self/fd/9 9<t_user.ko'
s /proc/self/mem
ln -s /root/secret /tmp/a/t_link.ko.sgn
cp t_user.ko /tmp/a/t_link.ko
s /tmp/a/t_link.ko
rm /tmp/a/t_link.ko.sgn
mkfifo /tmp/a/t_link.ko.sgn
s /tmp/a/t_link.ko
s "''"
s ..
s $(head -c 300 /dev/zero | tr '\0' x)
s ./t_user.ko "'_stp_x $(head -c 60 /dev/zero | tr '\0' y)=1'"
# Certificates are used only while they are valid.
now=$(date +%s)
date -s 2099-01-01 >/dev/null
s ./t_user.ko
date -s @$now >/dev/null
# The checked module is replaced by another file: the bytes that were read once are loaded.
for i in 1 2 3 4 5; do
	cp t_user.ko /tmp/a/t_race.ko
	cp t_user.ko.sgn /tmp/a/t_race.ko.sgn
	(for j in 1 2 3 4 5 6 7 8; do cp /suite/t_hello.ko /tmp/a/.n; mv /tmp/a/.n /tmp/a/t_race.ko; cp /suite/t_user.ko /tmp/a/.n; mv /tmp/a/.n /tmp/a/t_race.ko; done) &
	su user -c '/tmp/staprun /tmp/a/t_race.ko' 2>&1 | grep -vE '^hello 1000$|^ERROR: the signature'
	wait
done
# Certificates that other users may have written.
chmod 777 /etc/systemtap/staprun
s ./t_user.ko
chmod 755 /etc/systemtap/staprun
chown user /etc/systemtap/staprun/cert.pem
s ./t_user.ko
chown root /etc/systemtap/staprun/cert.pem
mv /etc/systemtap/staprun /etc/systemtap/real
ln -s real /etc/systemtap/staprun
s ./t_user.ko
rm /etc/systemtap/staprun
mv /etc/systemtap/real /etc/systemtap/staprun
# Tries a link in the installed directory, and a link instead of the directory.
chmod 755 /lib/modules/$(uname -r)/systemtap
ln -s /tmp/a/t_user.ko /lib/modules/$(uname -r)/systemtap/t_link.ko
s t_link
mv /lib/modules/$(uname -r)/systemtap /tmp/a/installed
ln -s /tmp/a/installed /lib/modules/$(uname -r)/systemtap
s t_hello
# Descriptors of the caller are closed in the command.
sed -i 's/^stapusr/stapdev/' /etc/group
su user -c "cd /suite; /tmp/staprun -c 'ls /proc/self/fd | wc -l' ./t_count.ko 7</etc/passwd 9</etc/group"
st
loaded

t attacks on the process
# With any environment it reports an error or works, and no module remains.
h() { su user -c "cd /suite; ./hostile $*"; st; }
h closed /tmp/staprun ./t_hello.ko
# If the standard descriptors cannot be replaced, no other file may be opened as one of them.
unshare -m sh -c 'mount -t tmpfs none /dev; exec ./hostile closed ./staprun ./t_hello.ko'
st
loaded
for limit in nofile nproc fsize core memlock data as stack; do
	h limit $limit /tmp/staprun ./t_hello.ko 2>&1 | cat >/tmp/o
	grep -q '^hello\|^ERROR\|status 139\|status 127\|status 4\|Killed' /tmp/o || { echo "limit $limit"; cat /tmp/o; }
done
loaded
h nothing /tmp/staprun
h ignored /tmp/staprun ./t_hello.ko
h alarm /tmp/staprun -c "'sleep 2'" ./t_tick.ko | tail -n 1
h many /tmp/staprun ./t_hello.ko
su user -c 'cd /suite; TZ=:/etc/shadow /tmp/staprun ./t_hello.ko'
tick su user -c '/tmp/staprun "$0"'
su user -c "/suite/hostile trace $(pidof staprun)"
for sig in SEGV ABRT ALRM USR1 CHLD PIPE; do su user -c "kill -$sig $(pidof staprun)"; done
pkill -TERM staprun
wait $pid
loaded
h traced /tmp/staprun ./t_hello.ko
# Root of a user namespace, where setuid and file capabilities have no effect; a name that is a path; a truncated
# module.
for p in /tmp/staprun /tmp/usr/staprun; do
	su user -c "cd /suite; unshare -Ur $p ./t_set.ko; unshare -Urm sh -c 'mount -t tmpfs none /etc; $p t_hello'"
done
su user -c 'cd /suite; for m in named half; do /tmp/staprun ./$m.ko; /tmp/staprun -R ./$m.ko; done'
loaded
# Another relay next to a link to the loader: it belongs to the user and has only the rights of the user.
mkdir /tmp/mine
ln /tmp/staprun /tmp/mine/staprun
cp hostile /tmp/mine/stapio
su user -c 'cd /suite; /tmp/mine/staprun ./t_many.ko'
st
loaded
t other kernel
staprun ./other.ko
st
staprun ./build.ko
staprun ./lied.ko
staprun ./symbol.ko
staprun ./version.ko
staprun ./t_hello.ko _stp_bufsize=x
staprun ./t_big.ko
# Only root may read the kernel log.
echo 1 >/proc/sys/kernel/dmesg_restrict
su user -c '/tmp/staprun ./symbol.ko'

t FIPS mode
echo 1 >/tmp/fips
mount --bind /tmp/fips /proc/sys/crypto/fips_enabled
staprun ./t_hello.ko
st
STAP_FIPS_OVERRIDE=1 staprun ./t_hello.ko
chmod 4755 /tmp/staprun
su user -c 'STAP_FIPS_OVERRIDE=1 /tmp/staprun ./t_hello.ko'
umount /proc/sys/crypto/fips_enabled

t locked down
mount -t securityfs none /sys/kernel/security
if echo integrity >/sys/kernel/security/lockdown; then staprun ./t_hello.ko; fi
st
if echo confidentiality >/sys/kernel/security/lockdown; then staprun ./t_hello.ko; fi
st

t signed modules only
echo 1 >/sys/module/module/parameters/sig_enforce && staprun ./t_hello.ko
st

t no modules
echo 1 >/proc/sys/kernel/modules_disabled
staprun ./t_hello.ko
st
