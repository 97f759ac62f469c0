# SPDX-License-Identifier: GPL-2.0-or-later
# stap --monitor: snapshots without a terminal, and the screen in tmux. Sourced by run.sh, in its directory of output.
# The rates are those of two timers, which a busy machine may delay differently: they must agree in one of the
# snapshots.
agree() {
	awk '/^---/ { fast = ""; n++ } /^fast, 1/ { fast = $4 }
		/^timer.ms\(20\)/ && fast > 0 && $4 > 0 && $4 <= 1.5 * fast && fast <= 1.5 * $4 && n > 2 { found = 1 } END { exit !found }' snapshots
}
"$STAP" -w --runtime=user --monitor -T 600 "$here/monitor.stp" >snapshots 2>snapshots.err &
monitored=$!
for _ in $(seq 2500); do
	agree && break
	sleep 0.2
done
kill -TERM $monitored
wait $monitored
report report/monitor-snapshots "$(
	agree || echo "fewer than 3 snapshots, or no rate of hits agrees with that of values"
	for line in 'ticks  *value v  */s' 'often, 2  *[0-9]*  *[1-9][0-9.]*' 'size  *count v  *sum  *avg  */s' 'large  *[0-9]*  *[0-9]*  *5000 ' \
		'total  *[0-9]*' 'word  *now [0-9]*' 'timer.ms(20)  .*monitor.stp:4:7  *[0-9]*  *[1-9][0-9.]*' 'output [0-9]*' 'ended after 1'; do
		grep -q "^$line" snapshots || echo "no line $line"
	done
	# In one snapshot all rates of values must be for the same time, here of a timer that adds 1 and 3.
	awk '/^often, 2/ { often = $4 } /^fast, 1/ { fast = $4; if (fast && (often - 3 * fast > 0.4 || 3 * fast - often > 0.4)) print often " is not 3 * " fast }' snapshots
	awk '/^---/ { n++ } n == 1 && /^timer.ms\(20\)/ { found = 1 } END { exit !found }' snapshots || echo "the first snapshot has no hits"
	grep -q monitor_ snapshots && echo "a variable of the screen is shown"
	grep -v '^WARNING: Missed timer ticks' snapshots.err)"
"$STAP" -w --runtime=user --monitor -T 600 -e 'global n probe timer.ms(20) { n["inner+0x1/0x20 [/bin/a]\nmain+0x7/0x9 [/bin/a]\n", "a\nb"] = 2 }' >stacks.snapshots 2>&1 &
monitored=$!
for _ in $(seq 1500); do
	grep -q '^inner' stacks.snapshots && break
	sleep 0.2
done
kill -TERM $monitored
wait $monitored
report report/monitor-call-stacks "$(grep -q '^inner < main, a b  *2 ' stacks.snapshots || cat stacks.snapshots)"
# Sorting this array takes more work than a hit may do.
"$STAP" -w --runtime=user --monitor -T 600 -e 'global n[30000], k probe end { delete n }
	probe timer.ms(2) { for (i = 0; i < 300 && k < 30000; i++) n[k++] = 7 }' >large.snapshots 2>&1 &
monitored=$!
for _ in $(seq 1500); do
	[ "$(sed -n '/^k  *30000 /,$p' large.snapshots | grep -c '^---')" -ge 2 ] || ! kill -0 $monitored 2>/dev/null && break
	sleep 0.2
done
kill -TERM $monitored
wait $monitored
report report/monitor-large-array "$([ $? = 0 ] || echo "exit status"; grep -q '^k  *30000 ' large.snapshots || tail -n 30 large.snapshots; grep -a ERROR large.snapshots)"
# More lines come at once than the log keeps.
"$STAP" -w --runtime=user --monitor -DMAXACTION=100000 -e 'probe begin { for (i = 0; i < 5000; i++) println("line ", i); exit() }
	probe end { for (i = 0; i < 5000; i++) println("line ", i) }' >lines.snapshots 2>&1
report report/monitor-all-lines "$([ "$(grep -c '^line' lines.snapshots)" = 10000 ] || tail -n 3 lines.snapshots)"
"$STAP" -w --runtime=user --monitor -e 'probe begin { error("it ends") }' >failing 2>&1
status=$?
report report/monitor-error "$([ $status = 1 ] || echo "status $status"; grep -q '^ERROR: it ends' failing || cat failing)"
report report/monitor-reads-no-input "$("$STAP" -w --runtime=user --monitor -e 'probe input.char { println(char) }' </dev/null 2>&1 |
	grep -q 'the keys of the terminal are read by --monitor' || echo "it is accepted")"

if ! command -v tmux >/dev/null; then
	skip report/monitor-screen tmux
	return
fi

. "$TESTS/tmux.sh"
count() { lines | awk -v name="$1" '$1 ~ "^" name ",?$" { print $(name == "tail" || name == "beats" ? 2 : 3) }'; }
# A count does not change while that of another probe, NAME, grows by N. A switch takes effect some time after the
# key is pressed.
stands() { # COUNT NAME N
	local count end
	count=$(count "$1") end=$(($(count "$2") + $3))
	[ "$count" ] || return 1
	for _ in $(seq 3000); do
		[ "$(count "$2")" -ge $end ] && break
		sleep 0.1
	done
	[ "$(count "$2")" -ge $end ] && [ "$(count "$1")" = "$count" ]
}
# The hits of the probe that is switched off do not grow while the count NAME grows by N, and their rate is 0.
off_hits() { lines | awk '$1 == "[off]" { print $4, $5 }'; }
off_stands() { # NAME N
	local hits end
	hits=$(off_hits) end=$(($(count "$1") + $2))
	[ "$hits" ] || return 1
	for _ in $(seq 3000); do
		[ "$(count "$1")" -ge $end ] && break
		sleep 0.1
	done
	[ "$(count "$1")" -ge $end ] && [ "$(off_hits)" = "$hits" ] && [ "${hits#* }" = 0.0 ]
}
begin() { # ENVIRONMENT OPTIONS...: for stap
	local environment=$1
	shift
	session=$((session + 1))
	screen new-session -d -x 100 -y 40 "env $environment '$STAP' -w --monitor $* '${script:-$here/monitor.stp}' 2>&1; echo status \$?; sleep 600"
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
sorted() { lines | grep -A "$1" '^ticks' | tail -n "$1" | cut -d, -f1 | paste -sd' ' | grep -qx "$2"; }
report report/monitor-sort "$(await '^ticks v '; becomes sorted 3 'fast often slow')"
keys r
report report/monitor-reverse "$(await '^ticks ^ '; becomes sorted 1 slow)"
keys 0
report report/monitor-column-again "$(await '^ticks v '; becomes sorted 1 fast; keys 0; await '^ticks ^ '; becomes sorted 1 slow)"
keys 1
report report/monitor-column "$(await '^ticks  *value v '; becomes sorted 2 'often fast'; keys 1; await '^ticks  *value ^ '; keys 9; await '^ticks  *value ^ '; keys 0)"
keys '?'
report report/monitor-help "$(await '^/  *show only rows'; becomes hides '^ticks'; keys q; await '^ticks v '; becomes hides '^Any key')"
keys / o f t
report report/monitor-filter "$(await '^filter: oft'; becomes hides '^fast,'; await '^often, 2')"
keys Escape
report report/monitor-filter-ends "$(await '^fast, 1')"
keys o o
report report/monitor-off "$(await '^\[off\] timer.ms(20)'; becomes stands often slow 15; becomes off_stands slow 15)"
keys o
report report/monitor-on "$(await '^timer.ms(20)'; await '^often, 2  *[0-9]*  *[1-9][0-9.]*')"
keys Space
report report/monitor-pause "$(await PAUSED; sleep 0.5; a=$(lines); sleep 1.5; [ "$a" = "$(lines)" ] || echo "it goes on")"
keys Space Enter
report report/monitor-whole "$(await '^probe  '; becomes hides '^ticks')"
screen resize-window -x 60 -y 15
fits() { lines | awk 'length > 60 { wide = 1 } END { exit wide }'; }
report report/monitor-resize "$(await '^q quit'; becomes fits)"
keys Enter
report report/monitor-quit "$(end)"

script=$here/monitor-hard.stp begin 'LC_ALL=C.UTF-8' --runtime=user -DMAXSTRINGLEN=2048 -DMAXACTION=100000
screen set-option -g history-limit 20000                   # of the next window
screen new-window "env LC_ALL=C.UTF-8 '$STAP' -w --monitor --runtime=user -DMAXSTRINGLEN=2048 -DMAXACTION=100000 '$here/monitor-hard.stp' 2>&1; echo status \$?; sleep 600"
report report/monitor-same-name "$(await '^globals  *value'; await '^a  *[0-9][0-9]*  *[0-9.]*$'; await '^plain  *[0-9][0-9]*  *[0-9.]*$')"
report report/monitor-wide-characters "$(await '^漢字漢字.*漢  *[0-9][0-9]*  *10.0$'; await '^??\[31mé  *[0-9][0-9]*  *[0-9.]*$'; await '^text  *漢 [0-9]*$')"
report report/monitor-long-numbers "$(await '^max  *9223372036854775807  *0.0$')"
report report/monitor-long-keys "$([ "$(lines | grep -c '^called_function.*  1[12]  *0.0$')" = 2 ] || lines)"
report report/monitor-largest-elements "$(await '^many (the 200 largest) ')"
screen resize-window -x 30 -y 5
report report/monitor-small "$(await '^globals  *value v$'; await '^a  *[0-9]*$'; keys o; await '^probe  *hits$'; await '^timer.ms(100)  m  *[0-9]*$'
	keys BTab; await '^many .*value v$'; screen resize-window -x 1 -y 1; keys Tab; sleep 0.5; screen resize-window -x 100 -y 40; await '^probe  *hits')"
# The keys arrive at once.
report report/monitor-keys-at-once "$(keys / m x Escape q; await '^status 0')"
report report/monitor-end-whole "$([ "$(screen capture-pane -p -S - | grep -c '^end')" = 5000 ] || screen capture-pane -p -S -
	screen kill-server)"
session=$((session + 1))
screen new-session -d -x 100 -y 40 "'$STAP' -w --monitor --runtime=user -e 'probe timer.s(2) { warn(\"careful\"); error(\"it ends\") }' 2>&1; echo status \$?; sleep 600"
report report/monitor-messages-once "$(await '^status 1'; [ "$(lines | grep -c 'careful\|it ends')" = 2 ] || lines; screen kill-server)"

# A large table has the rows that small ones do not need.
session=$((session + 1))
screen new-session -d -x 100 -y 40 "'$STAP' -w --monitor --runtime=user -e 'global large, a, b, c, d, i probe timer.ms(50) {
	large[\"row\", i++ % 50]++; a[1]++; b[1]++; c[1]++; d[1]++ } probe end { println(\"5000 ended after 1\") }' 2>&1; sleep 600"
many_rows() { [ "$(lines | grep -c '^row, ')" -ge 12 ]; }
report report/monitor-rows "$(becomes many_rows; await '^d  '; await '^output'; screen kill-server)"

begin 'TERM=vt100 LC_ALL=C' --runtime=user
keys Tab
report report/monitor-vt100 "$(await '^often, 2'; await '^  *4K  *[0-9]*  *100.0% #'; screen capture-pane -e -p | grep -q $'\033\[[0-9;]*3[1-7]m' && echo "colours"; end)"
begin 'NO_COLOR=1' --runtime=user
report report/monitor-without-colours "$(await '^often, 2'; screen capture-pane -e -p | grep -q $'\033\[[0-9;]*3[1-7]m' && echo "colours"; end)"
for terminal in unknown-terminal dumb; do
	begin "TERM=$terminal" --runtime=user
	report report/monitor-$terminal "$(await '^--- .* s, lost'; keys C-c; await '^status 0'; screen kill-server)"
done

if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/btf/vmlinux ] && command -v clang >/dev/null; then
	printf 'global opens, beats probe syscall.openat { if (execname() == "tail") opens[execname()]++ } probe timer.ms(100) { beats++ }
probe end { delete opens println("ended after 1 4096") }\n' >opens.stp
	"$STAP" -w --monitor --runtime=bpf -p4 opens.stp >/dev/null        # compiling in advance, since it takes
									   # longer than await() waits
	session=$((session + 1))
	screen new-session -d -x 100 -y 30 "'$STAP' -w --monitor --runtime=bpf opens.stp 2>&1; echo status \$?; sleep 600"
	for _ in $(seq 3000); do tail -n 1 opens.stp >/dev/null; sleep 0.1; done &
	opening=$!
	report report/monitor-bpf "$(await '^tail  *[0-9]'; await '^syscall.openat  *opens.stp:1:27  *[1-9]'
		keys o o; await '^\[off\] syscall.openat'; becomes stands tail beats 15; becomes off_stands beats 15; end)"
	kill $opening
else
	skip report/monitor-bpf 'BPF programs, as root'
fi
