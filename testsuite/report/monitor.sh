# SPDX-License-Identifier: GPL-2.0-or-later
# stap --monitor: snapshots without a terminal, and the screen in tmux. Sourced by run.sh, in its directory of output.
"$STAP" -w --runtime=user --monitor -T 3 "$here/monitor.stp" >snapshots 2>snapshots.err
report report/monitor-snapshots "$(
	[ "$(grep -c '^--- .* s, lost: ' snapshots)" -ge 2 ] || echo "fewer than 2 snapshots"
	for line in 'ticks  *value v  */s' 'often, 2  *[0-9]*  *[1-9][0-9.]*' 'size  *count v  *sum  *avg  */s' 'large  *[0-9]*  *[0-9]*  *5000 ' \
		'total  *[0-9]*' 'word  *now [0-9]*' 'timer.ms(20)  .*monitor.stp:4:7  *[0-9]*  *[1-9][0-9.]*' 'output [0-9]*' 'ended after 1'; do
		grep -q "^$line" snapshots || echo "no line $line"
	done
	# In one snapshot all rates are those of the same time, here of a timer that adds 1 and 3.
	awk '/^often, 2/ { often = $4 } /^fast, 1/ { fast = $4; if (fast && (often - 3 * fast > 0.4 || 3 * fast - often > 0.4)) print often " is not 3 * " fast }
		/^timer.ms\(20\)/ { if (fast && $4 && ($4 > 1.5 * fast || fast > 1.5 * $4)) print "hits at " $4 ", values at " fast }' snapshots
	grep -q monitor_ snapshots && echo "a variable of the screen is shown"
	cat snapshots.err)"
"$STAP" -w --runtime=user --monitor -e 'probe begin { error("it ends") }' >failing 2>&1
status=$?
report report/monitor-error "$([ $status = 1 ] || echo "status $status"; grep -q '^ERROR: it ends' failing || cat failing)"
report report/monitor-reads-no-input "$("$STAP" -w --runtime=user --monitor -e 'probe input.char { println(char) }' </dev/null 2>&1 |
	grep -q 'the keys of the terminal are those of --monitor' || echo "it is accepted")"

if ! command -v tmux >/dev/null; then
	skip report/monitor-screen tmux
	return
fi

session=0
screen() { tmux -L "stap-$$-$session" -f /dev/null "$@"; }
keys() { screen send-keys "$@"; }
lines() { screen capture-pane -p; }
await() { # PATTERN: waits up to 20 s for a line
	local i
	for i in $(seq 200); do
		lines | grep -q -- "$1" && return
		sleep 0.1
	done
	echo "no line $1 in:"
	lines
}
begin() { # ENVIRONMENT OPTIONS...: of stap
	local environment=$1
	shift
	session=$((session + 1))
	screen new-session -d -x 100 -y 40 "env $environment '$STAP' -w --monitor $* '$here/monitor.stp' 2>&1; echo status \$?; sleep 60"
}
end() {
	keys q
	await '^ended after 1'
	await '^status 0'
	lines | grep -q '5000\|4096' || echo "no histogram of the end"
	screen kill-server
}

begin 'LC_ALL=C.UTF-8' --runtime=user
report report/monitor-tables "$(await '^often, 2  *[0-9]*  *[1-9][0-9.]*'; await '^timer.ms(20)  .*monitor.stp:4:7  *[0-9]'; await '^output [0-9]'; await '^nothing lost\|^lost: ')"
keys Tab
report report/monitor-histogram "$(await '^size large'; await '^  *4K  *[0-9]*  *100.0% █')"
keys BTab '<'
report report/monitor-sort "$(await '^ticks v '; lines | grep -A 3 '^ticks v' | tail -n 3 | cut -d, -f1 | paste -sd' ' | grep -qx 'fast often slow' || lines)"
keys r
report report/monitor-reverse "$(await '^ticks ^ '; lines | grep -A 1 '^ticks' | grep -q '^slow' || lines)"
keys r / o f t
report report/monitor-filter "$(await '^filter: oft'; lines | grep -q '^fast,' && lines; lines | grep -q '^often, 2' || lines)"
keys Escape
report report/monitor-filter-ends "$(await '^fast, 1')"
keys o o
report report/monitor-off "$(await '^\[off\] timer.ms(20)'
	sleep 1.5; a=$(lines | grep '^often'); sleep 1.5; b=$(lines | grep '^often')
	[ "$(echo "$a" | awk '{ print $3 }')" = "$(echo "$b" | awk '{ print $3 }')" ] || printf 'it is still on:\n%s\n%s\n' "$a" "$b")"
keys o
report report/monitor-on "$(await '^timer.ms(20)'; await '^often, 2  *[0-9]*  *[1-9][0-9.]*')"
keys Space
report report/monitor-pause "$(await PAUSED; a=$(lines); sleep 1.5; [ "$a" = "$(lines)" ] || echo "it goes on")"
keys Space Enter
report report/monitor-whole "$(await '^probe  '; sleep 0.5; lines | grep -q '^ticks' && lines)"
screen resize-window -x 60 -y 15
report report/monitor-resize "$(await '^q quit'; lines | awk 'length > 60 { print "a longer line: " $0 }')"
keys Enter
report report/monitor-quit "$(end)"

begin 'TERM=vt100 LC_ALL=C' --runtime=user
keys Tab
report report/monitor-vt100 "$(await '^often, 2'; await '^  *4K  *[0-9]*  *100.0% #'; screen capture-pane -e -p | grep -q $'\033\[[0-9;]*3[1-7]m' && echo "colours"; end)"
begin 'NO_COLOR=1' --runtime=user
report report/monitor-without-colours "$(await '^often, 2'; screen capture-pane -e -p | grep -q $'\033\[[0-9;]*3[1-7]m' && echo "colours"; end)"
begin 'TERM=unknown-terminal' --runtime=user
report report/monitor-unknown-terminal "$(await '^--- .* s, lost'; keys C-c; await '^status 0'; screen kill-server)"

if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/btf/vmlinux ] && command -v clang >/dev/null; then
	printf 'global opens probe syscall.openat { if (execname() == "tail") opens[execname()]++ } probe end { delete opens println("ended after 1 4096") }\n' >opens.stp
	session=$((session + 1))
	screen new-session -d -x 100 -y 30 "'$STAP' -w --monitor --runtime=bpf opens.stp 2>&1; echo status \$?; sleep 60"
	report report/monitor-bpf "$(for i in 1 2 3 4 5 6 7 8 9 10; do
			lines | grep -q '^tail' && break
			for k in 1 2 3 4 5; do tail -n 1 opens.stp >/dev/null; sleep 0.3; done
		done
		await '^tail  *[0-9]'; await '^syscall.openat  *opens.stp:1:20  *[1-9]'
		keys o o; await '^\[off\] syscall.openat'; sleep 1.2; a=$(lines | grep '^tail' | awk '{ print $2 }')
		for k in 1 2 3; do tail -n 1 opens.stp >/dev/null; done; sleep 1.5
		[ "$a" = "$(lines | grep '^tail' | awk '{ print $2 }')" ] || lines; end)"
else
	skip report/monitor-bpf 'BPF programs, as root'
fi
