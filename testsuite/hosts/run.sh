#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --merge with simulated hosts: stand_in.py replaces ssh and the hosts' staprun, and sends known data, so that the result
# is known. hosts/guests: the same with virtual machines of 6.1 and 6.12, which are reached by OpenSSH.
set -u
. "$TESTS/lib.sh"

release=$(basename "$(dirname "$(ls -d /lib/modules/*/build 2>/dev/null | head -n 1)")")
[ -n "$release" ] || { skip hosts/merge "headers of a kernel"; exit; }
mkdir -p "$SCRATCH/bin"
ln -s "$TESTS/hosts/stand_in.py" "$SCRATCH/bin/ssh"
ln -s "$TESTS/hosts/stand_in.py" "$SCRATCH/bin/srun"
ln -s "$TESTS/hosts/stand_in.py" "$SCRATCH/played"
ln -s "$BUILD/staprun/staprun" "$SCRATCH/bin/staprun"
# Python itself, since wrappers of it may take seconds to start, in which a host would end its session.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$SCRATCH/bin/python3"
export HOSTS_RELEASE=$release HOSTS_STAPRUN=$SCRATCH/played

# Prints the text of records as HOST: TEXT, and errors of the schema.
json_text() {
	python3 "$TESTS/report/check.py" schema "$SOURCE/doc/json-schema.json" "$1" 2>&1
	jq -j 'select(.type == "print") | (.host // "here"), ": ", .text' "$1"
}

# merge NAME STATUS LINES-OF-OUTPUT LINES-OF-ERRORS OPTIONS...: the errors contain these lines, in any order; "": no
# errors. show: the command that prints the output; default: cat.
merge() {
	local name=$1 status=$2 output=$3 errors=$4 found='' line rc
	shift 4
	wanted "$name" || return 0
	export HOSTS_DIR=$SCRATCH/$name
	mkdir -p "$HOSTS_DIR"
	PATH=$SCRATCH/bin:$PATH timeout 400 "$STAP" --merge "$@" >"$HOSTS_DIR/out" 2>"$HOSTS_DIR/err"
	rc=$?
	[ $rc -eq "$status" ] || found="exit status $rc"$'\n'
	[ "$(${show:-cat} "$HOSTS_DIR/out")" = "$output" ] || found+="output: $(cat "$HOSTS_DIR/out")"$'\n'
	while read -r line; do
		[ -z "$line" ] || grep -qF -- "$line" "$HOSTS_DIR/err" || found+="no line of errors has: $line"$'\n'
	done <<<"$errors"
	[ -n "$errors" ] || [ ! -s "$HOSTS_DIR/err" ] || found+="errors: "
	[ -z "$found" ] || found+=$(cat "$HOSTS_DIR/err")
	report "hosts/$name" "$found"
}

sums='global n, by, who probe vfs.read { n++; by[execname()]++; who[hostname()] = execname() }
probe timer.ms(1500) { exit() } probe end { println(n) foreach (k in by- limit 1) println(k, " ", by[k]) foreach (h+ in who) println(h, " ", who[h]) }'
count='global n probe vfs.read { n++ } probe timer.ms(1500) { exit() } probe end { println(n) }'

# On each of five hosts, "shared" is the sixth element of the array, after five that only this host has.
merge sums 0 "$(printf '%s\n' 75 'shared 325' 'sums1 sh sums1' 'sums2 sh sums2' 'sums3 sh sums3' 'sums4 sh sums4' 'sums5 sh sums5')" '' \
	--remote=sums1 --remote=sums2 --remote=sums3 --remote=sums4 --remote=sums5 -e "$sums"
merge initial-value 0 120 '' --remote=sums1 --remote=sums2 -G n=93 -e "$count"
merge stats 0 "$(printf '%s\n' '10 2100157 -5 1048576' '195329145919 2')" '' --remote=stats1 --remote=stats2 -e '
global st probe vfs.read { st <<< $count } probe timer.ms(1500) { exit() }
probe end { printf("%d %d %d %d\n", @count(st), @sum(st), @min(st), @max(st))
	printf("%d %d\n", @variance(st), @hist_log(st)[85]) }'
merge parts 0 "$(printf '%s\n' '40 1099511627775 1 549755813888' '1 1 40 1')" '' --remote=parts -e '
global st, total probe vfs.read { st <<< $count } probe timer.ms(1500) { exit() }
probe end { printf("%d %d %d %d\n", @count(st), @sum(st), @min(st), @max(st))
	foreach (b in @hist_log(st)) total += @hist_log(st)[b]
	printf("%d %d %d %d\n", @hist_log(st)[65], @hist_log(st)[104], total, @variance(st) > 0) }'
merge lines 0 "$(printf '%s\n' '0: one of lines line' '0: and another' '0: the last')" '' --remote=lines --remote-prefix -e "
global n probe vfs.read { n++ } probe timer.ms(1500) { exit() } probe end { if (n) println(n) }"
# In JSON, each line of a host is an object with its name, and a call stack is one object.
show=json_text merge json-hosts 0 "$(printf '%s\n' 'lines: 0: one of lines line' 'lines: 0: and another' 'lines: 0: the last' 'here: end')" '' \
	--remote=lines --remote-prefix -f json -e 'global n probe vfs.read { n++ } probe timer.ms(1500) { exit() } probe end { if (!n) println("end") }'
show=json_text merge json-stacks 0 "$(printf '%s\n' 'stacks: first' 'stacks:  0x1000 : f+0x1/0x2 [/no/file]' ' 0x2000 : g' 'stacks: last' 'here: 3')" '' \
	--remote=stacks --remote=exits -f json -e 'global n probe vfs.read { n++ } probe end { println(n) }'
# The build IDs of files are those of the host that has printed a stack; values to which several hosts have added have none.
stack_builds() {
	jq -r 'select(.stack) | "\(.host) \(.stack[0].build_id)"' "$1" | sort
	jq -r 'select(.stacks) | "\(.stacks["0"][0] | .function, .build_id)"' "$1"
}
show=stack_builds merge build-ids 0 "$(printf 'builds%d %s\n' 1 "$(printf '01%.0s' {1..20})" 2 "$(printf '02%.0s' {1..20})"; printf 'f\nnull\n')" \
	'WARNING: the hosts have different builds of /no/file; in values to which several hosts may have added, its functions are not looked up' \
	--remote=builds1 --remote=builds2 -f json -e '
global by probe vfs.read { by[execname()]++; print_backtrace() } probe timer.ms(1500) { exit() } probe end { foreach (k in by) println(by[k]) }'
merge slow 0 "$(printf '%s\n' begin 0)" '' --remote=slow -e "$count probe begin { println(\"begin\") }"
merge early 1 1012 'WARNING: early1: the run there ended early (status 1); the result has what it sent in the first' \
	--remote=sums0 --remote=early1 -e "$count"
merge early-allowed 0 1012 'WARNING: early1: the run there ended early' --remote=sums0 --remote=early1 --min-hosts=1 -e "$count"
# All outputs have the warning and the exit status.
lost_hosts() { jq -r 'select(.type == "warning" or .type == "end") | .text // .status | tostring | sub("( \\(status|: cannot).*"; "")' "$1"; }
show=lost_hosts merge early-json 1 $'early1: the run there ended early\n1' 'WARNING: early1: the run there ended early' --remote=sums0 --remote=early1 -f json -e "$count"
show=lost_hosts merge unreached-json 0 $'down: nothing of this host is in the result\n0' 'WARNING: down: nothing of this host is in the result' \
	--remote=down --remote=sums0 --min-hosts=1 -f json -e "$count"
merge fails 1 "$(printf '%s\n' timer 1012)" 'WARNING: fails: the run there ended early (status 1); the result has what it sent in the first' \
	--remote=sums0 --remote=fails -e "$count probe timer.ms(1400) { println(\"timer\") }"
merge unreached 0 12 'WARNING: down: nothing of this host is in the result: cannot determine' \
	--remote=down --remote=sums0 --min-hosts=1 -e "$count"
# Hosts that do not answer, or are not armed in time.
merge timeout 0 "$(printf '%s\n' begin 43)" 'WARNING: stuck: nothing of this host is in the result: its probes were not armed within 20 s (--timeout)
WARNING: unarmed: nothing of this host is in the result: its probes were not armed within 20 s (--timeout)
WARNING: silent: nothing of this host is in the result: that host has not answered within 20 s (--timeout)' \
	--remote=stuck --remote=sums10 --remote=unarmed --remote=silent --remote=sums9 --min-hosts=2 --timeout=20 -e "$count probe begin { println(\"begin\") }"
# Hosts that send much before all are armed have to wait: 32 MB of each here, and 8 MB that the host stores.
merge eager 1 '' 'WARNING: unarmed: nothing of this host is in the result' --remote=eager --remote=unarmed --timeout=15 -e "$count"
if wanted eager; then
	sent=$(find "$SCRATCH/eager" -name '*.megabyte*' | wc -l)
	report hosts/eager-waits "$([ "$sent" -gt 20 ] && [ "$sent" -lt 60 ] || echo "sent $sent MB")"
fi
merge timeout-all 1 '' 'WARNING: unarmed: nothing of this host is in the result: its probes were not armed within 6 s (--timeout)
--timeout=6: only 1 of 2 hosts have armed their probes in time; --min-hosts=N runs the script on those' \
	--remote=exits --remote=unarmed --timeout=6 -e "$count probe begin { println(\"begin\") }"
merge timeout-few 1 '' '--min-hosts=2: only 1 of 3 hosts can be used' \
	--remote=silent1 --remote=silent2 --remote=sums --min-hosts=2 --timeout=3 -e "$count"
# Connections that end before probes are armed: within the module, before the first message, and after it. A session of
# which stap has received nothing ends there.
merge cutstart 0 20 'WARNING: cutmodule: nothing of this host is in the result: the run there failed (status 255)
WARNING: cuthello: nothing of this host is in the result: the run there failed (status 255)' \
	--remote=cutmodule --remote=cuthello --remote=cutstart --remote=sums1 --min-hosts=2 -e "$count"
if wanted cutstart; then
	for ((i = 0; i < 300; i++)); do [ ! -e "$SCRATCH/cutstart/cuthello.ended" ] || break; sleep 0.1; done
	report hosts/cutstart-ends "$([ -e "$SCRATCH/cutstart/cuthello.ended" ] || echo "staprun was not stopped")"
fi
merge garbage 0 17 'WARNING: host 0 sent invalid data; it is ignored from here on' --remote=garbage --remote=sums0 -e "$count"
merge foreign 0 12 '' --remote=foreign --remote=sums0 -e "$count"
merge huge 0 12 'WARNING: host 0 sent invalid data' --remote=huge --remote=sums0 -e "$count"
merge exit-on-a-host 0 15 '' --remote=exits --remote=sums0 -e 'global n probe vfs.read { n++ } probe end { println(n) }'
merge all-lost 1 1000 'WARNING: early: the run there ended early' --remote=early -e "$count"
# Connections that end every second, or are silent: nothing is lost or counted twice.
numbers=$(seq 0 299)
again='global n, by probe vfs.read { n++; by[execname()]++ } probe timer.s(10) { exit() }
probe end { println(n) foreach (k+ in by) println(k, " ", by[k]) }'
result=$(printf '%s\n' 1300 'k0 43' 'k1 43' 'k2 43' 'k3 43' 'k4 43' 'k5 43' 'k6 42' 'shared 44850')
merge cut 0 "$numbers"$'\n'"$result" '' --remote=cut -e "$again"
merge stall 0 "$numbers"$'\n'"$result" '' --remote=stall -e "$again"
# So do connections that close their output, while ssh goes on.
merge closes 0 "$numbers"$'\n'"$result" '' --remote=closes -e "$again"
# A shared connection (ControlMaster) that is silent is not used again.
merge shared 0 "$numbers"$'\n'"$result" '' --remote=shared -e "$again"
# Connections that end after some number of bytes: within a message's head, within a record, between messages. BYTES:
# other numbers, from 60 on, since a session of which stap has received nothing ends.
hosts=()
for i in ${BYTES:-61 99 160 203 290 377}; do hosts+=(--remote="byte$i"); done
show='sort' merge cut-at-bytes 0 "$(printf '%s\n' $((101 * ${#hosts[@]})) ${BYTES:-61 99 160 203 290 377} "shared $((10 * ${#hosts[@]}))" | sort)" '' "${hosts[@]}" -e '
global n, by probe vfs.read { n++; by[execname()]++ } probe timer.s(2) { exit() } probe end { println(n) foreach (k in by) println(k, " ", by[k]) }'
# Messages of hosts that nobody reads for 7 seconds: the host still receives orders, without which it ends after 4.
if wanted loud; then
	export HOSTS_DIR=$SCRATCH/loud
	mkdir -p "$HOSTS_DIR"
	{ PATH=$SCRATCH/bin:$PATH "$STAP" --merge --remote=loud -e 'global n probe vfs.read { n++ } probe timer.s(10) { exit() } probe end { println(n) }' \
		2>&1 >"$HOSTS_DIR/out"; echo "status $?"; } |
		{ for ((i = 0; i < 600; i++)); do [ ! -e "$HOSTS_DIR/loud.began" ] || break; sleep 0.1; done; sleep 7; cat; } >"$HOSTS_DIR/err"
	report hosts/loud "$([ "$(cat "$HOSTS_DIR/out")" = 5 ] && [ "$(grep -c '^WARNING: message' "$HOSTS_DIR/err")" = 5000 ] &&
		[ "$(grep -v '^WARNING: message' "$HOSTS_DIR/err")" = "status 0" ] || { cat "$HOSTS_DIR/out"; grep -v '^WARNING: message' "$HOSTS_DIR/err"; })"
fi
# The order to stop is repeated if it was lost with its connection.
merge unstopped 0 0 '' --remote=unstopped -e "$count"
hosts=(--remote=sums0)
for ((i = 0; i < 40; i++)); do hosts+=(--remote="hostile$i"); done
merge hostile 0 12 'received invalid data instead of messages of staprun; the host is ignored from here on' "${hosts[@]}" --min-hosts=1 -e "$count"
merge unmergeable 1 '' '"n" cannot be merged: this probe runs on each host, and each host may set another value' --remote=sums1 -e 'global n probe vfs.read { n = 1 } probe end { println(n) }'
merge too-large 1 '' '--merge: hosts cannot send the globals: an array takes more than 64 MB' \
	--remote=sums1 -e 'global a[1000000] probe vfs.read { a[execname(), pid()]++ } probe end { foreach ([e, p] in a limit 1) println(e) }'
. "$TESTS/hosts/live.sh"
fifty=()
for ((i = 0; i < 50; i++)); do fifty+=(--remote="sums$i"); done
merge fifty 0 "$(printf '%s\n' 1825 'shared 3250')" '' "${fifty[@]}" -e '
global n, by probe vfs.read { n++; by[execname()]++ } probe timer.s(4) { exit() } probe end { println(n) foreach (k in by- limit 1) println(k, " ", by[k]) }'
merge json 0 '16' '' --remote=sums1 --remote=exits -e 'global n probe vfs.read { n++ } probe end { println(n) }'
# The nodes of an allocation of Slurm, of which srun starts a step each.
printf '#!/bin/sh\n[ "$*" = "show hostnames" ] && printf "%%s\\n" sums1 sums2\n' >"$SCRATCH/bin/scontrol"
chmod +x "$SCRATCH/bin/scontrol"
SLURM_JOB_ID=7 merge slurm 0 "$(printf '%s\n' 27 'shared 130' 'sums1 sh sums1' 'sums2 sh sums2')" '' --hosts=@slurm -e "$sums"
! wanted slurm || report hosts/slurm-steps "$(cd "$SCRATCH/slurm" && printf '%s\n' *.step | diff <(printf '%s\n' sums1.step sums2.step) -)"
SLURM_JOB_ID=7 merge slurm-node 0 12 '' --remote=srun://sums0 -e "$count"
merge slurm-outside 1 '' '--remote=srun://sums0 requires an allocation of Slurm' --remote=srun://sums0 -e "$count"
# Without --merge, each host has a session of its own: two print long lines in parts, between which the other prints.
# apart NAME STATUS CHECK ERROR OPTIONS...: CHECK prints what is wrong in the output.
apart() {
	local name=$1 status=$2 check=$3 error=$4 found='' rc
	shift 4
	wanted "$name" || return 0
	export HOSTS_DIR=$SCRATCH/$name
	mkdir -p "$HOSTS_DIR/bin"
	cp -P "$SCRATCH"/bin/{ssh,python3} "$HOSTS_DIR/bin"
	ln -s "$TESTS/hosts/stand_in.py" "$HOSTS_DIR/bin/staprun"
	PATH=$HOSTS_DIR/bin:$PATH timeout 200 "$STAP" -e 'probe vfs.read { println(1) }' "$@" >"$HOSTS_DIR/out" 2>"$HOSTS_DIR/err"
	rc=$?
	[ $rc -eq "$status" ] || found="exit status $rc"$'\n'
	[ ! -e "$HOSTS_DIR/file" ] || mv "$HOSTS_DIR/file" "$HOSTS_DIR/out"
	found+=$($check 2>&1)
	grep -qF -- "$error" "$HOSTS_DIR/err" || [ -z "$error" ] || found+="no line of errors has: $error"
	[ -z "$found" ] || found+=$(cat "$HOSTS_DIR/err")
	report "hosts/$name" "$found"
}
apart_json() {
	python3 "$TESTS/report/check.py" schema "$SOURCE/doc/json-schema.json" "$HOSTS_DIR/out"
	jq -rs '[.[] | select(.type == "print")] | group_by(.host)[] | .[0].host + " " + (map(.text) | join(""))' "$HOSTS_DIR/out" | tr -s x |
		diff <(for h in apart1 apart2; do printf '%s ' "$h"; printf 'x%d\n' {0..29}; echo; done) -
	jq -r '.type + " " + (.host // "none")' "$HOSTS_DIR/out" | grep -v ^print | sort |
		diff <(printf '%s\n' 'begin apart1' 'begin apart2' 'begin apartlost' 'end apart1' 'end apart2') -
}
apart_text() {
	tr -s x <"$HOSTS_DIR/out" | sort | diff <(printf '%s\n' {0,1}': x'{0..29} | sort) -
}
apart apart-json 1 apart_json 'WARNING: apartlost is incomplete: the end of the session is missing' \
	--remote=apart1 --remote=apart2 --remote=apartlost -f json
apart apart-text 0 apart_text '' --remote=apart1 --remote=apart2 -f text --remote-prefix
apart apart-file 1 apart_json 'WARNING: down: nothing ran there' \
	--remote=apart1 --remote=apart2 --remote=apartlost --remote=down --min-hosts=2 -f json -o "$SCRATCH/apart-file/file"
# Answers that are too long, contain control characters, or end before ssh does; a line that does not end.
apart noisy 1 true 'that host has sent more than 64 KB instead of the release of its kernel' --remote=noisy
apart escape 1 true 'unexpected answer "\033[2Jhello"' --remote=escape
apart mute 1 true 'WARNING: mute: that host has not answered within 3 s (--timeout)' --remote=mute --remote=apart1 --min-hosts=2 --timeout=3
endless_lines() {
	awk '{ print length($0) }' "$HOSTS_DIR/out" | sort -n | awk '$1 > 9000000 { print "a line has " $1 " bytes" } { n += $1 } END { if (n != 41943040) print n }'
}
apart endless 0 endless_lines '' --remote=endless1 --remote=endless2
# stap is killed while it runs a process for each of two kernels: the runs on all hosts end.
export OTHER_RELEASE
OTHER_RELEASE=$(ls -d /lib/modules/*/build | sed 's,/lib/modules/\(.*\)/build,\1,' | grep -vxF "$release" | head -n 1)
if wanted killed-kernels && [ -z "$OTHER_RELEASE" ]; then
	skip hosts/killed-kernels "headers of a second kernel"
elif wanted killed-kernels; then
	export HOSTS_DIR=$SCRATCH/killed-kernels
	mkdir -p "$HOSTS_DIR/bin"
	cp -P "$SCRATCH"/bin/{ssh,python3} "$HOSTS_DIR/bin"
	ln -s "$TESTS/hosts/stand_in.py" "$HOSTS_DIR/bin/staprun"
	PATH=$HOSTS_DIR/bin:$PATH "$STAP" --remote=waits1 --remote=waitsother2 -e 'probe vfs.read { println(1) }' >"$HOSTS_DIR/out" 2>&1 &
	stap=$!
	for ((i = 0; i < 1200; i++)); do [ "$(find "$HOSTS_DIR" -name "*.began" | wc -l)" -lt 2 ] || break; sleep 0.1; done
	kill -KILL $stap
	wait $stap 2>/dev/null
	for ((i = 0; i < 300; i++)); do [ "$(find "$HOSTS_DIR" -name "*.ended" | wc -l)" -lt 2 ] || break; sleep 0.1; done
	report hosts/killed-kernels "$(cd "$HOSTS_DIR" && printf '%s\n' *.began *.ended | diff <(printf '%s\n' waits1.began waitsother2.began waits1.ended waitsother2.ended) - || cat "$HOSTS_DIR/out")"
fi
# stap is killed while ssh connects: ssh ends, too.
for mode in merge apart slurm; do
	wanted "killed-connecting-$mode" || continue
	export HOSTS_DIR=$SCRATCH/killed-connecting-$mode
	mkdir -p "$HOSTS_DIR"
	options=(--remote=stuck1 --remote=stuck2 -e "$count")
	[ $mode = apart ] || options+=(--merge)
	[ $mode != slurm ] || options=("${options[@]/=stuck/=srun://stuck}")
	SLURM_JOB_ID=7 PATH=$SCRATCH/bin:$PATH "$STAP" "${options[@]}" >"$HOSTS_DIR/out" 2>&1 &
	stap=$!
	for ((i = 0; i < 1200; i++)); do [ "$(cat "$HOSTS_DIR"/*.ssh 2>/dev/null | wc -l)" -lt 2 ] || break; sleep 0.1; done
	kill -KILL $stap
	wait $stap 2>/dev/null
	mapfile -t left < <(cat "$HOSTS_DIR"/*.ssh)
	for ((i = 0; i < 300; i++)); do kill -0 "${left[@]}" 2>/dev/null || break; sleep 0.1; done
	report "hosts/killed-connecting-$mode" "$([ ${#left[@]} = 2 ] || { echo "ssh was not run"; cat "$HOSTS_DIR/out"; }
		kill -KILL "${left[@]}" 2>/dev/null && echo "ssh has not ended")"
done
# Invalid streams, read by a program that checks itself.
if wanted mutated; then
	hosts=()
	for ((i = 0; i < 80; i++)); do hosts+=(--remote="mutated$i"); done
	export HOSTS_DIR=$SCRATCH/mutated
	mkdir -p "$HOSTS_DIR"
	QUICKTAP_USER_CFLAGS='-g -fsanitize=address,undefined -fno-sanitize-recover=undefined' ASAN_OPTIONS=detect_leaks=0 PATH=$SCRATCH/bin:$PATH \
		timeout 300 "$STAP" --merge "${hosts[@]}" -e 'global n, by, st, who
probe vfs.read { n++; by[execname()]++; st <<< 1; who[hostname()] = execname() } probe timer.s(3) { exit() }
probe end { println("end ", @count(st) + @variance(st) + @hist_log(st)[5] != -1) foreach (k in by limit 1) println(n - n) foreach (h in who limit 1) println(0) }
' >"$HOSTS_DIR/out" 2>"$HOSTS_DIR/err"
	report hosts/mutated "$(grep -q '^end 1' "$HOSTS_DIR/out" && ! grep -qi 'sanitizer\|runtime error' "$HOSTS_DIR/err" ||
		{ tail -n 5 "$HOSTS_DIR/out"; tail -n 40 "$HOSTS_DIR/err"; })"
fi
! wanted guests || bash "$TESTS/hosts/guests.sh"
