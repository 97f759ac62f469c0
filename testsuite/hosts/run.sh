#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --merge with simulated hosts: stand_in.py replaces ssh and sends known data, so that the result is known.
# hosts/guests: the same with virtual machines of 6.1 and 6.12, which are reached by OpenSSH.
set -u
. "$TESTS/lib.sh"

release=$(basename "$(dirname "$(ls -d /lib/modules/*/build 2>/dev/null | head -n 1)")")
[ -n "$release" ] || { skip hosts/merge "headers of a kernel"; exit; }
mkdir -p "$SCRATCH/bin"
ln -s "$TESTS/hosts/stand_in.py" "$SCRATCH/bin/ssh"
export HOSTS_RELEASE=$release

# merge NAME STATUS LINES-OF-OUTPUT LINES-OF-ERRORS OPTIONS...: the errors contain these lines, in any order; "": no
# errors.
merge() {
	local name=$1 status=$2 output=$3 errors=$4 found='' line rc
	shift 4
	wanted "$name" || return 0
	export HOSTS_DIR=$SCRATCH/$name
	mkdir -p "$HOSTS_DIR"
	PATH=$SCRATCH/bin:$PATH timeout 400 "$STAP" --merge "$@" >"$HOSTS_DIR/out" 2>"$HOSTS_DIR/err"
	rc=$?
	[ $rc -eq "$status" ] || found="exit status $rc"$'\n'
	[ "$(cat "$HOSTS_DIR/out")" = "$output" ] || found+="output: $(cat "$HOSTS_DIR/out")"$'\n'
	while read -r line; do
		[ -z "$line" ] || grep -qF -- "$line" "$HOSTS_DIR/err" || found+="no line of errors has: $line"$'\n'
	done <<<"$errors"
	[ -n "$errors" ] || [ ! -s "$HOSTS_DIR/err" ] || found+="errors: "
	[ -z "$found" ] || found+=$(cat "$HOSTS_DIR/err")
	report "hosts/$name" "$found"
}

sums='global n, by, who probe vfs.read { n++; by[execname()]++; who[hostname()] = execname() }
probe timer.ms(1500) { exit() } probe end { println(n) foreach (k in by- limit 2) println(k, " ", by[k]) foreach (h+ in who) println(h, " ", who[h]) }'
count='global n probe vfs.read { n++ } probe timer.ms(1500) { exit() } probe end { println(n) }'

# Each of five hosts has "shared" as the sixth element of its own.
merge sums 0 "$(printf '%s\n' 75 'shared 325' 'sums1-0 100' 'sums1 sh sums1' 'sums2 sh sums2' 'sums3 sh sums3' 'sums4 sh sums4' 'sums5 sh sums5')" '' \
	--remote=sums1 --remote=sums2 --remote=sums3 --remote=sums4 --remote=sums5 -e "$sums"
merge initial-value 0 120 '' --remote=sums1 --remote=sums2 -G n=93 -e "$count"
merge stats 0 "$(printf '%s\n' '10 2100157 -5 1048576' '195329145919 2')" '' --remote=stats1 --remote=stats2 -e '
global st probe vfs.read { st <<< $count } probe timer.ms(1500) { exit() }
probe end { printf("%d %d %d %d\n", @count(st), @sum(st), @min(st), @max(st))
	printf("%d %d\n", @variance(st), @hist_log(st)[85]) }'
merge lines 0 "$(printf '%s\n' '0: one of lines line' '0: and another' '0: the last')" '' --remote=lines --remote-prefix -e "
global n probe vfs.read { n++ } probe timer.ms(1500) { exit() } probe end { if (n) println(n) }"
merge slow 0 "$(printf '%s\n' begin 0)" '' --remote=slow -e "$count probe begin { println(\"begin\") }"
merge early 1 1012 'WARNING: early1: the run there ended early (status 1); the result has what it sent in the first' \
	--remote=sums0 --remote=early1 -e "$count"
merge early-allowed 0 1012 'WARNING: early1: the run there ended early' --remote=sums0 --remote=early1 --min-hosts=1 -e "$count"
merge fails 1 "$(printf '%s\n' timer 1012)" 'WARNING: fails: the run there ended early (status 1); the result has what it sent in the first' \
	--remote=sums0 --remote=fails -e "$count probe timer.ms(1400) { println(\"timer\") }"
merge unreached 0 12 'WARNING: down: nothing of this host is in the result: cannot determine' \
	--remote=down --remote=sums0 --min-hosts=1 -e "$count"
merge garbage 0 17 'WARNING: host 0 sent invalid data; it is ignored from here on' --remote=garbage --remote=sums0 -e "$count"
merge foreign 0 12 '' --remote=foreign --remote=sums0 -e "$count"
merge huge 0 12 'WARNING: host 0 sent invalid data' --remote=huge --remote=sums0 -e "$count"
merge exit-on-a-host 0 15 '' --remote=exits --remote=sums0 -e 'global n probe vfs.read { n++ } probe end { println(n) }'
merge all-lost 1 1000 'WARNING: early: the run there ended early' --remote=early -e "$count"
merge unmergeable 1 '' '"n" cannot be merged: this probe runs on each host, and each host may set another value' --remote=sums1 -e 'global n probe vfs.read { n = 1 } probe end { println(n) }'
merge too-large 1 '' '--merge: hosts cannot send the globals: an array takes more than 64 MB' \
	--remote=sums1 -e 'global a[1000000] probe vfs.read { a[execname(), pid()]++ } probe end { foreach ([e, p] in a limit 1) println(e) }'
merge monitor 1 '' '--merge cannot be used with --export, -x, -m, -t, --monitor or -u' --remote=sums1 --monitor -e "$count"
fifty=()
for ((i = 0; i < 50; i++)); do fifty+=(--remote="sums$i"); done
merge fifty 0 "$(printf '%s\n' 1825 'shared 3250')" '' "${fifty[@]}" -e '
global n, by probe vfs.read { n++; by[execname()]++ } probe timer.s(4) { exit() } probe end { println(n) foreach (k in by- limit 1) println(k, " ", by[k]) }'
merge json 0 '16' '' --remote=sums1 --remote=exits -e 'global n probe vfs.read { n++ } probe end { println(n) }'
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
