# SPDX-License-Identifier: GPL-2.0-or-later
# --merge with --monitor and --export: values of all hosts while the script runs. Read by run.sh.
growing='global n, by, st, own # reads
probe vfs.read { n++; by[execname()]++; st <<< $count; own[tid()] = n2++; if (own[tid()]) delete own[tid()] } global n2
probe timer.ms(100) { ticks++ } global ticks probe end { print(@hist_log(st)); println("ended ", n > 0) }'
awaited() { # COMMAND...: waits five minutes until it succeeds
	local end=$((SECONDS + ${AWAIT:-300}))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}
in_file() { grep -q -- "$1" "$HOSTS_DIR/out"; }

# Without a terminal: a snapshot each second. A global that the hosts alone use is not shown.
if wanted live-snapshots; then
	export HOSTS_DIR=$SCRATCH/live-snapshots
	mkdir -p "$HOSTS_DIR"
	PATH=$SCRATCH/bin:$PATH "$STAP" -w --merge --monitor --remote=grows1 --remote=grows2 --remote=down --min-hosts=1 -e "$growing" </dev/null >"$HOSTS_DIR/out" 2>"$HOSTS_DIR/err" &
	stap=$!
	report hosts/live-snapshots "$(awaited in_file '^shared  *[1-9][0-9]*  *[1-9]' || echo "no rate"
		for line in '2 of 3 hosts, not reached: down' 'n  *[1-9]' 'grows2  *[1-9]' 'st  *count  *sum  *avg' 'timer.ms(100)  *<input>:3:7  *[1-9]'; do
			awaited in_file "^$line" || echo "no line $line"
		done
		touch "$HOSTS_DIR/grows2.leave"
		awaited in_file '^1 of 3 hosts, lost: grows2, not reached: down' || echo "the lost host is not named"
		in_file '^own' && echo "a global of the hosts is shown"
		kill -INT $stap
		awaited in_file '^ended 1' || echo "no end"
		grep -q '^WARNING: grows2: the run there ended early (status 1)' "$HOSTS_DIR/err" || cat "$HOSTS_DIR/err" "$HOSTS_DIR/out")"
	wait $stap
fi

# On a terminal: the histogram of all hosts, the state of the hosts, and a probe of this host that is switched off.
if wanted live-screen && ! command -v tmux >/dev/null; then
	skip hosts/live-screen tmux
elif wanted live-screen; then
	. "$TESTS/tmux.sh"
	export HOSTS_DIR=$SCRATCH/live-screen
	mkdir -p "$HOSTS_DIR"
	printf '%s\n' "$growing" >"$HOSTS_DIR/growing.stp"
	screen new-session -d -x 100 -y 40 "PATH='$SCRATCH/bin':\$PATH LC_ALL=C.UTF-8 '$STAP' -w --merge --monitor --remote=grows1 --remote=grows2 '$HOSTS_DIR/growing.stp'; echo status \$?; sleep 600"
	off_rate() { lines | awk '$1 == "[off]" { print $5 }' | grep -qx 0.0; }
	report hosts/live-screen "$(await '^nothing lost   2 of 2 hosts'; await '^shared  *[1-9][0-9]*  *[1-9]'; await '^timer.ms(100) '
		keys Tab; await '^  *256  *[1-9][0-9]* .*█'
		keys o o; await '^\[off\] timer.ms(100)'; becomes off_rate; keys o; await '^timer.ms(100)'
		touch "$HOSTS_DIR/grows2.leave"; await '1 of 2 hosts, lost: grows2'
		keys q; await '^ended 1'; await 'WARNING: grows2: the run there ended early'; await '^status 1')"
	screen kill-server
fi

# The metrics are those of all hosts.
metrics() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "http://127.0.0.1:$port/metrics" 2>/dev/null; }
has_metric() { metrics | grep -q -- "$1"; }
if wanted live-export; then
	export HOSTS_DIR=$SCRATCH/live-export
	mkdir -p "$HOSTS_DIR"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	PATH=$SCRATCH/bin:$PATH "$STAP" -w --merge --export=prometheus:"$port" --remote=sums1 --remote=grows2 -e "$growing" </dev/null >"$HOSTS_DIR/out" 2>"$HOSTS_DIR/err" &
	stap=$!
	report hosts/live-export "$(for line in 'n [1-9]' 'by{execname="sums1-0"} 100' 'by{execname="shared"} [1-9]' 'st_bucket{le="1023"} [1-9]' 'st_bucket{le="+Inf"} [1-9]' 'st_count [1-9]' 'ticks [1-9]' \
			'# TYPE n counter' '# TYPE by counter' '# TYPE st histogram'; do
			awaited has_metric "^$line" || echo "no line $line"
		done
		metrics | grep -q '^own' && echo "a global of the hosts is exported"
		kill -INT $stap
		awaited in_file '^ended 1' || { echo "no end"; cat "$HOSTS_DIR/err"; })"
	wait $stap
fi
