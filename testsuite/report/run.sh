#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A session in each format of stap-report: values.stp on the user runtime in each format, read by common programs
# (check.py: a JSON validator, a CSV reader; jq; sqlite3), stacks.stp as profiles (check_profiles.py), and damaged
# sessions.
set -u
. "$TESTS/lib.sh"
here=$TESTS/report
out=$SCRATCH/report
mkdir -p "$out" && cd "$out" || exit 1
stap_user() { timeout 300 "$STAP" -w --runtime=user -T 1 "$@"; }

stap_user "$here/values.stp" >text 2>text.err
stap_user "$here/values.stp" --output=json:now.json --output=csv:now.csv >now.text 2>now.err
stap_user "$here/values.stp" --record -o session >/dev/null 2>&1
for format in text json csv folded html; do "$STAP" report -f $format session >later.$format 2>later.err; done
"$STAP" report --json-safe -f json session >safe.json

same() { # NAME FILE FILE
	report "report/$1" "$(cmp "$2" "$3" 2>&1)"
}
same text-is-unchanged text later.text
same text-beside-files text now.text
same csv-now-and-later now.csv later.csv
# The line of percentiles is printed by the runtime, with other outputs, and later from a recorded session.
stap_user --percentiles "$here/values.stp" >percentiles 2>/dev/null
stap_user --percentiles --output=json:now.json "$here/values.stp" >percentiles.now 2>/dev/null
"$STAP" report --percentiles session >percentiles.later
same percentiles-beside-files percentiles percentiles.now
same percentiles-later percentiles percentiles.later
report report/percentiles "$(diff text <(grep -av '^p50 .*, p90 .*, p99 ' percentiles); [ "$(grep -ac ^p50 percentiles)" = "$(grep -ac 'value |' text)" ] || echo "not a line for each histogram")"
report report/json-is-valid "$(python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" later.json now.json safe.json 2>&1)"
report report/json-has-all-values "$(python3 "$here/check.py" values later.json safe.json 2>&1)"
report report/csv-is-read "$(python3 "$here/check.py" csv later.csv 2>&1)"

if command -v jq >/dev/null; then
	report report/jq-reads-it "$(jq -r 'select(.type == "map" and .name == "both") | "\(.keys[0]) \(.value)"' later.json |
		diff - <(printf '0 40\n1 45\n2 50\n3 55\n') 2>&1)"
else
	skip report/jq-reads-it jq
fi
if command -v sqlite3 >/dev/null; then
	report report/sqlite-reads-it "$(sqlite3 :memory: "create table l(j); " ".mode ascii" ".separator \"\\001\" \"\\n\"" \
		".import later.json l" "select sum(json_extract(j, '\$.value')) from l where json_extract(j, '\$.name') = 'both'" 2>&1 |
		tr -d '\001\n' | grep -qx 190 || echo "another sum")"
else
	skip report/sqlite-reads-it sqlite3
fi

# The options of the translation; one of them requires more than one part of the record.
long=$(printf '%09000d' 1)
stap_user -f json -g --compatible=4.9 -DMAXACTION=77 "-DLONG=$long" -e 'probe begin { println(%{ LONG %}) exit() }' >options.json 2>options.err
report report/json-has-options "$(cat options.err; head -n 1 options.json | python3 -c '
import json, sys
got = json.load(sys.stdin)["options"]
if got != ["-g", "--compatible=4.9", "-DMAXACTION=77", "-DLONG=" + sys.argv[1]]: print(got)' "$long" 2>&1)"

report report/json-has-script "$(head -n 1 later.json | jq -j .script | diff - "$here/values.stp")"
# Histograms are statistics in records, also if their buckets are in several ones.
large='global s probe begin { for (i = 0; i < @N@; i++) s <<< i
	print(@hist_linear(s, 0, @N@, 1)) println("after ", @count(s)) exit() }'
large_is() { # N FILE
	jq -c 'select(.type == "hist" or .type == "stats") | [.type, .count, .sum, (.buckets | length, .[0].lo, .[-1].hi, (map(.count) | add))]' "$2" |
		diff - <(for type in hist stats; do echo "[\"$type\",$1,$(($1 * ($1 - 1) / 2)),$1,0,$(($1 - 1)),$1]"; done)
	jq -c 'select(.type == "print") | .text' "$2" | diff - <(echo "\"after $1\\n\"")
}
for n in 127 128 900 16383; do
	stap_user -DSTP_MAX_BUCKETS=16384 -DMAXACTION=1000000 -e "${large//@N@/$n}" >large.text 2>large.err
	stap_user -DSTP_MAX_BUCKETS=16384 -DMAXACTION=1000000 -e "${large//@N@/$n}" -o large --record >/dev/null 2>>large.err
	"$STAP" report large >large.later 2>>large.err
	"$STAP" report large -f json >large.json 2>>large.err
	for format in svg html csv; do "$STAP" report large -f "$format" >"large.$format" 2>>large.err; done
	report "report/histogram-of-$n" "$(diff large.text large.later | head -n 5; cat large.err; large_is "$n" large.json 2>&1 | head -n 5)"
done

# A session that is truncated is printed up to its end; a file without a session is rejected.
size=$(stat -c %s session)
head -c $((size * 3 / 4)) session >cut-session
"$STAP" report -f json cut-session >cut.json 2>cut.err
report report/cut-session "$(grep -q 'cut-session is incomplete: the end of the session is missing' cut.err || cat cut.err
	head -n 1 cut.json | grep -q '"type":"begin"' || echo "its beginning is not shown")"
{ head -c $((size - 40)) session; head -c 40 /dev/zero | tr '\0' '\377'; } >damaged
"$STAP" report damaged >damaged.text 2>damaged.err
status=$?
report report/damaged-session "$([ $status -eq 1 ] || echo "exit status"; cmp -n 100 text damaged.text; grep -q 'is damaged at byte' damaged.err || cat damaged.err)"
"$STAP" report /etc/passwd >none.text 2>none.err
status=$?
report report/other-file "$([ $status -eq 1 ] || echo "exit status"; grep -q 'is not a recorded session; record one with stap --record -o FILE' none.err || cat none.err)"
status=0
"$STAP" report </dev/null 2>empty.err || status=$?
report report/empty-input "$([ $status -eq 1 ] || echo "exit status $status"; grep -q 'standard input is not a recorded session' empty.err || cat empty.err)"
"$STAP" report -f yaml session >/dev/null 2>unknown.err
report report/unknown-format "$(grep -q 'unknown output format "yaml"' unknown.err || cat unknown.err)"
stap_user -f json -e 'probe begin { println(1) }' -c 'echo from the command' >command.json 2>command.err
report report/command-does-not-mix "$(grep -v '^{.*}$' command.json; grep -qx 'from the command' command.err || cat command.err)"

"$STAP" report -f json session >/dev/full 2>full.err
status=$?
"$STAP" report --output=csv:/dev/full session >/dev/null 2>>full.err
report report/full-disk "$([ $status$? = 11 ] && [ "$(grep -c 'No space left on device' full.err)" = 2 ] || cat full.err)"
"$STAP" report -f csv session session >twice.csv
report report/two-sessions "$(diff <(cat later.csv later.csv) twice.csv)"
echo keep >keep
"$STAP" report --output=jsn:keep session >/dev/null 2>&1
report report/misspelt-format-keeps-file "$(grep -x keep keep >/dev/null || echo lost)"
# A reader that closes one output does not end the others.
"$STAP" report -f text --output=json:rest.json session session session | head -c 10 >/dev/null
report report/closed-output "$(cat later.json later.json later.json | cmp - rest.json)"
# A reader that closes the output ends a script that prints nothing more, also with a format that is only written at
# the end.
for args in "-f json" "-f csv" "-f html" "-f text" ""; do
	timeout 300 "$STAP" -w --runtime=user $args -e 'global n probe begin { println(1) } probe timer.s(1) { n++ }' 2>closed.err | { sleep 1; exec <&-; }
	status=${PIPESTATUS[0]}
	report "report/closed-output-ends-script${args:+-${args#-f }}" "$([ $status != 124 ] || echo "it runs on"; cat closed.err)"
done
stap_user -f json -e 'probe begin { printf("x=%d x=%d\n", 1, 2); exit() }' >names.json
report report/argument-names-differ "$(jq -c 'select(.type == "print") | .args' names.json | diff - <(echo '{"x":1,"2":2}'))"
stap_user -f json -e 'probe begin { printf("s=%s s_base64=%s\n", "a\377", "b"); printf("n=%s\n", "c"); exit() }' >bytes.json
report report/arguments-that-are-not-text "$(jq -c 'select(.type == "print") | [.args, .args_base64]' bytes.json |
	diff - <(printf '%s\n' '[{"s":"a\ufffd","s_base64":"b"},{"s":"Yf8="}]' '[{"n":"c"},null]' | jq -c .)
	python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" bytes.json)"
# An error before the session begins is in the output; a program that is killed is named.
stap_user -f json -DMAXSTRINGLEN=65536 -e 'global a[33554432] probe begin { a["x", "y", "z"] = 1 println(a["x", "y", "z"]) }' >early.json 2>early.err
report report/error-before-the-session "$(jq -r .type early.json | diff - <(printf '%s\n' begin error end); grep -v '^ERROR: not enough memory\|^Pass 5' early.err)"
for program in stapio stap-report; do
	"$STAP" -w --runtime=user -f json -e 'probe begin { println(1) }' >killed.json 2>killed.err &
	timeout 100 sh -c 'until grep -q print killed.json; do sleep 0.1; done'
	pkill -KILL -x -P $! "$program"
	wait $!
	report "report/killed-$program" "$(grep -q 'was ended by signal 9 (Killed)$' killed.err || cat killed.err)"
done

stap_user -f json -DMAXSTRINGLEN=16385 "$here/long-elements.stp" \
	>long.json 2>long.err
report report/long-elements "$(grep -q 'Values of globals not recorded: 2 (' long.err || cat long.err
	[ "$(jq -r 'select(.type == "print") | .text | length' long.json | paste -sd+ | bc)" -gt 16000 ] || echo "the text is cut"
	jq -r 'select(.type == "lost" or .name == "texts") | "\(.type) \(.value // .count)"' long.json | diff - <(printf 'map short\nlost 2\n'))"

stap_user --record -o gaps "$here/gaps.stp" 2>/dev/null
stap_user --record -o stacks-cut -DMAXSTRINGLEN=16 -e 'global n probe begin { n[@1 . @2] = 1; delete n; exit() }' 'inner+0x1/0x2' 'outer+0x1/0x2' 2>/dev/null
"$STAP" report -f json gaps >gaps.json
report report/losses-at-their-place "$(jq -r 'select(.args.n == 3 or .args.n == 4 or .text == "Strings cut: 1") | .type + " " + (.args.n // .count | tostring)' gaps.json |
	diff - <(printf '%s\n' 'print 3' 'gap 1' 'print 4' 'lost 1')
	python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" gaps.json
	"$STAP" report -f chrome gaps | grep '"lost here"' >/dev/null || echo "not in trace events")"
report report/losses-in-all-formats "$("$STAP" report -f csv gaps | grep -v '^"Missed timer ticks' | tail -n 2 | diff - <(printf 'lost,count\r\n"Strings cut: 1",1\r\n')
	"$STAP" report -f folded stacks-cut 2>/dev/null | diff - <(echo '[lost];Strings cut: 1 1')
	"$STAP" report -f speedscope stacks-cut 2>/dev/null | jq -c '[.profiles[] | select(.name == "lost") | .weights], [.shared.frames[].name]' |
		diff - <(printf '%s\n' '[[1]]' '["[lost]","Strings cut: 1"]')
	"$STAP" report -f pprof stacks-cut 2>/dev/null | gzip -dc | grep -aq 'Strings cut: 1' || echo "not in pprof"
	"$STAP" report -f svg gaps | python3 "$here/check_svg.py" /dev/stdin >gaps.out 2>&1; grep -qx 'Strings cut: 1' gaps.out || cat gaps.out)"

printf 'probe begin { x = 0 ; println(1 / x) }' >failing.stp
stap_user -f json failing.stp 2>/dev/null >failing.json
report report/error-has-its-place "$(jq -r 'select(.type == "error") | .probe, .place' failing.json | diff - <(printf '%s\n' begin failing.stp:1:33)
	python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" failing.json)"

# The folded frames of a stack begin with the outermost one; keys besides the stack are frames, too.
stap_user -f folded -e 'global n probe begin {
	n["inner+0x1/0x2 [kernel]\n 0xffff : middle+0x5/0x6\nmain+0x0/0x1\n", "cat"] = 7; n["no stack", "x"] = 3 }' >folded
report report/folded "$(echo 'main;middle;inner;cat 7' | diff - folded)"
stap_user -f folded -e 'global n probe begin { n["cat", "", "inner+0x1/0x2\nmain+0x0/0x1\n"] = 7 }' >empty-key.folded
stap_user -f json -e 'global n probe begin { n["sh -c x\ny"] = 1; n["f+0x1/0x2\nmain+0x0/0x1"] = 2; n["f\nmain\n"] = 3; exit() }' >newlines.json
report report/newline-is-no-stack "$(jq -c 'select(.type == "map") | [.value, (.stacks | length)]' newlines.json | diff - <(printf '%s\n' '[1,0]' '[2,1]' '[3,1]'))"
report report/empty-key-is-no-frame "$(echo 'cat;main;inner 7' | diff - empty-key.folded)"

# The kernel's stack follows the program's frames; an address in a file has the name of the file.
stap_user -f folded -e 'global n probe begin {
	n["schedule+0x1/0x2 [kernel]\ndo_wait+0x5/0x6 [kernel]\n", "wait4+0x13/0xa3 [/usr/lib/libc.so.6]\n0x559c48346cc0 [/usr/bin/sh+0xbcc0/0x17000]\n"] = 7 }' >kernel.folded
report report/kernel-inside-program "$(echo 'sh+0xbcc0;wait4;do_wait;schedule 7' | diff - kernel.folded)"

# Frames get names, lines and inlined functions from their file. The stack is that of a program that has exited; the
# file is assumed to be the one that ran if the size of the function is the same.
if command -v g++ >/dev/null && command -v c++filt >/dev/null; then
	g++ -O2 -g -o inlined "$here/inlined.cc" -ldl && read -r offset size address < <(./inlined)
	read -r symbol symbol_size symbol_name < <(nm -S inlined | awk '/_Z4workIiE/ { print $1, $2, $4 }')
	by_name="$symbol_name+$(printf '%#x/%#x' $((address - 0x$symbol)) $((0x$symbol_size))) [$out/inlined]"
	by_offset="0x7f1200001234 [$out/inlined+$offset/$size]"
	other_build="$symbol_name+$(printf '%#x/%#x' $((address - 0x$symbol)) $((0x$symbol_size + 16))) [$out/inlined]"
	for place in "$by_name" "$by_offset" "$other_build"; do
		stap_user --record -o inlined.rec -e 'global n probe begin { n["inner+0x0/0x10 [/nonexistent]\n" . @1 . "\n"] = 2
			println("inner+0x0/0x10 [/nonexistent]\n" . @1); exit() }' "$place"
		"$STAP" report -f folded inlined.rec >>inlined.folded
		"$STAP" report -f json inlined.rec >>inlined.json
		"$STAP" report -f pprof inlined.rec | gzip -dc >>inlined.pprof
		"$STAP" report inlined.rec >>inlined.text
	done
	report report/inlined-frames "$(diff - inlined.folded <<<"work<int>;twice;inner 2
work<int>;twice;inner 2
$symbol_name;inner 2" 2>&1)"
	report report/lines-of-frames "$(
		jq -c 'select(.type == "map") | .stacks["0"][:-1] | map([.function, (.file // "" | split("/") | last), .line, .inlined])' inlined.json |
			diff - <(printf '[["work<int>","inlined.cc",41,null],["twice","inlined.cc",34,true]]\n%.0s' 1 2; printf '[["%s",null,null,null]]\n' "$symbol_name") 2>&1
		jq -e 'select(.type == "print" and (.stack | length) < 2)' inlined.json && echo "no stack of the printed text"
		python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" inlined.json 2>&1
		grep -q inlined.cc inlined.pprof || echo "no source in pprof")"
	report report/text-of-stacks-is-unchanged "$(grep -F work inlined.text | grep -v = | diff - <(printf '%s\n' "$by_name" "$other_build"))"
	# A program may be truncated while its frames are looked up, as by a linker that writes it again.
	cp inlined truncated && mkfifo frames
	count=0
	for place in "$by_name" "main+0x1/0x2 [$out/inlined]" "${by_name/+0x/+0x1}"; do
		stap_user --record -o "truncated.$((++count)).rec" -e 'global n probe begin { n[@1 . "\n"] = 2; exit() }' "${place/inlined]/truncated]}"
	done
	"$STAP" report -f folded <frames >truncated.folded 2>truncated.err &
	{
		cat truncated.1.rec
		timeout 300 sh -c 'until [ -s truncated.folded ]; do sleep 0.1; done'
		: >truncated
		cat truncated.[23].rec
	} >frames
	wait $!
	report report/frames-of-a-truncated-program "$([ $? = 0 ] || echo "exit status"; wc -l <truncated.folded | diff - <(echo 3); cat truncated.err)"
	# Paths may have brackets and what looks like an offset. White space in them is escaped, or it would end a frame.
	odd=$'p +0x1/0x2 [a]\n\tb'
	mkdir -p "$odd" && cp inlined "$odd/inlined"
	escaped=$(jq -rn --arg path "$odd" '$path | tojson[1:-1]')
	for place in "${by_name/inlined]/$escaped/inlined]}" "${by_offset/inlined/$escaped/inlined}"; do
		stap_user -f folded -e 'global n probe begin { n["inner+0x0/0x10 [/nonexistent]\n" . @1 . "\n"] = 2; exit() }' "$place"
	done >odd.folded
	report report/frames-of-odd-paths "$(printf 'work<int>;twice;inner 2\n%.0s' 1 2 | diff - odd.folded)"
	# To open a FIFO wakes the process that waits to write it: files that are not regular are not opened, neither when a
# session names them nor when it is reported.
mkfifo named
for frame in "f+0x1/0x10 [$out/named]" "0x7f1200001234 [$out/named+0x234/0x1000]"; do
	(echo opened >named; touch writer-woke) & writer=$!
	stap_user --record -o named.rec -e 'global n probe begin { n[@1 . "\n"] = 1; exit() }' "$frame"
	"$STAP" report -f folded named.rec
	kill $writer; wait $writer
done >named.folded 2>named.err
report report/frames-of-a-fifo "$(wc -l <named.folded | diff - <(echo 2); [ ! -e writer-woke ] || echo "the FIFO was opened")"
# Sessions have the build IDs of files. A file of another build is not used, but that of another tree or its separate
	# debuginfo is.
	count=0
	mkdir -p build tree/"$out/build" && cp inlined build/code
	id=$(readelf -n inlined | awk '/Build ID:/ { print $3 }')
	for place in "$by_name" "$by_offset"; do
		stap_user --record -o "build.$((++count)).rec" -e 'global n probe begin { n["inner+0x0/0x10 [/nonexistent]\n" . @1 . "\n"] = 2; exit() }' \
			"${place/\/inlined//build/code}"
	done
	"$STAP" report -f json build.1.rec build.2.rec >build.json
	"$STAP" report -f pprof build.2.rec | gzip -dc >build.pprof
	report report/build-ids "$(jq -r 'select(.type == "map") | .stacks["0"][] | select(.module | endswith("/code")) | .build_id' build.json |
		uniq | diff - <(echo "$id"); python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" build.json 2>&1
		grep -qa "$id" build.pprof || echo "not in pprof")"
	objcopy --only-keep-debug inlined code.debug && g++ -O1 -g -Wl,--build-id -o build/code "$here/inlined.cc" -ldl
	other=$(readelf -n build/code | awk '/Build ID:/ { print $3 }')
	"$STAP" report -f folded build.1.rec build.2.rec >build.folded 2>build.err
	report report/another-build "$(diff - build.folded <<<"$symbol_name;inner 2
code+$offset;inner 2"
		[ "$(grep -c "WARNING: $out/build/code is another build than the one that ran: its build ID is $other, not $id;" build.err)" = 1 ] || cat build.err)"
	cp inlined "tree/$out/build/code"
	mkdir -p "debug/usr/lib/debug/.build-id/${id:0:2}" && mv code.debug "debug/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	for tree in tree debug; do
		"$STAP" report --sysroot=$tree -f folded build.1.rec build.2.rec >build.folded 2>build.err
		report report/build-in-another-$tree "$(printf 'work<int>;twice;inner 2\n%.0s' 1 2 | diff - build.folded; cat build.err)"
	done
else
	skip report/inlined-frames "g++ c++filt"
fi

# A script without an array that can contain stacks: its globals are listed.
stap_user --record -o no-stacks -e 'global n, t, u[4] probe begin { n[1, 2] = 3; t = "x"; u["a"] = "b"; exit() } probe end { println(t, n[1, 2], u["a"]) }'
"$STAP" report -f folded no-stacks >/dev/null 2>no-stacks.err
status=$?
report report/no-stacks "$([ $status = 1 ] || echo "exit status $status"; for line in 'ERROR: the format "folded" requires an array' \
	'  n: an array of numbers with the keys (number, number)' '  t: a string' '  u: an array of strings with the keys (string)'; do
	grep -qF "$line" no-stacks.err || echo "no '$line'"; done)"

# Frames that are as long as strings may be are not cached, and do not replace others.
stap_user -DMAXSTRINGLEN=8192 --record -o long-frames -e 'global n probe begin { x = "x"; for (i = 0; i < 11; i++) x = x . x
	for (i = 0; i < 4; i++) n[sprintf("g%d+0x1/0x2 [/a]\n%s%d+0x1/0x2 [/a]\nmain+0x1/0x2 [/a]\n", i % 2, x, i % 2), i] = i exit() }'
report report/long-frames "$("$STAP" report -f json long-frames | jq -r 'select(.type == "map") | .stacks["0"] | map(.function | gsub("x+"; "x")) | join(" ")' |
	diff - <(printf 'main x0 g0\nmain x1 g1\nmain x0 g0\nmain x1 g1\n'))"

# Globals that do not fit a format, and files that cannot be written, are reported before the script runs.
stap_user -f folded -e 'global n probe begin { n[1] = 2; system("touch ran"); exit() }' >/dev/null 2>early.err
status=$?
report report/no-stacks-early "$([ $status = 1 ] || echo "exit status $status"; [ ! -e ran ] || echo "the script ran"
	for line in 'semantic error: the format "folded" requires an array' '"n" is an array of numbers with the keys (number)'; do
		grep -qF "$line" early.err || echo "no '$line'"; done)"
stap_user --output=json:/nonexistent/file -e 'probe begin { system("touch ran"); exit() }' >/dev/null 2>early.err
status=$?
report report/file-unwritable "$([ $status = 1 ] || echo "exit status $status"; [ ! -e ran ] || echo "the script ran"
	grep -qF 'ERROR: cannot write /nonexistent/file: No such file or directory' early.err || cat early.err)"

for args in --output=json:/dev/full --output=html:/dev/full '-o /dev/full' '--record -o /dev/full' '-f csv -o /dev/full'; do
	stap_user $args -e 'global n probe begin { n[1] = 2; system("touch ran"); exit() }' >/dev/null 2>early.err
	echo "$args: $? $(grep -cx 'ERROR: cannot write /dev/full: No space left on device' early.err)"
done >no-space
report report/no-space "$(sed 's/.*: //' no-space | sort -u | diff - <(echo 1 1) >/dev/null || cat no-space; [ ! -e ran ] || echo "the script ran")"

# "-" is standard output. A FIFO that no process reads is reported, and opened when one does.
hello='probe begin { println("hello"); exit() }'
rm -f ./-
{ stap_user -o - -e "$hello"; stap_user --record -o - -e "$hello" | "$STAP" report --output=text:-; stap_user -f json -o - -e "$hello" | jq -r 'select(.text) | .text[:-1]'; } >dash 2>dash.err
report report/dash-is-standard-output "$(yes hello | head -n 3 | diff - dash; cat dash.err; [ ! -e ./- ] || echo "a file of that name"
	for two in "--output=json:- --output=csv:-" "--output=json:- -f csv" "-f csv --output=json:-"; do
		"$STAP" report $two 2>&1 | grep -q 'two formats are written to standard output' || echo "two formats: $two"
	done
	for two in "--output=json:- --output=csv:-" "--output=json:- -f csv" "-f csv --output=json:-" "--output=csv:- --json" "--json --output=csv:-"; do
		stap_user $two -e "$hello" 2>&1 | grep -q 'two formats are written to standard output' || echo "two formats of a run: $two"
	done)"
report report/last-format-counts "$(stap_user --json -f csv -e 'global n probe begin { n[1] = 2; exit() }' | diff - <(printf 'global,key1,value\r\nn,1,2\r\n')
	stap_user -f csv --json -e "$hello" | jq -r 'select(.text) | .text[:-1]' | diff - <(echo hello))"
mkfifo fifo
for args in "-o fifo" "-f json -o fifo" "--output=text:fifo"; do
	timeout 100 "$STAP" -w --runtime=user $args -e "$hello" >/dev/null 2>fifo.err &
	timeout 100 sh -c 'until grep -q "^waiting for a process that reads the FIFO fifo" fifo.err; do sleep 0.1; done' && timeout 100 cat fifo
	wait $! || echo "exit status"
done >fifo.out
report report/fifo-without-reader "$(grep -c hello fifo.out | diff - <(echo 4))"

# An HTML report is a single file without references to others, also of a truncated session; it is tested in a browser.
stap_user -T 60 "$here/html.stp" --record -o html.rec >/dev/null 2>&1
"$STAP" report html.rec --output=html:html.html
sed 's/, 20)$/, 45)/; s/, 30)/, 12)/; s/= 700/= 300/; s/reads\["cat"\] = 5/reads["sed"] = 55/' "$here/html.stp" >changed.stp
stap_user -T 60 changed.stp --record -o changed.rec >/dev/null 2>&1
"$STAP" report html.rec changed.rec -f html >runs.html
stap_user "$here/hostile.stp" --output=html:hostile.html >/dev/null 2>&1
stap_user -e 'probe begin { for (i = 0; i < 30000; i++) println(i); exit() }' -DMAXACTION=1000000 --output=html:sampled.html >/dev/null 2>&1
"$STAP" report -f html gaps >gaps.html
# A heat map has all histograms that a statement prints, also if only a sample of the printed lines is shown.
stap_user -T 60 -DMAXACTION=100000 --output=html:heat.html -e 'global a, b, n probe timer.ms(20) {
	for (i = 0; i < 700; i++) println(i)
	a <<< 1; b <<< 1000; print(@hist_log(a)); print(@hist_log(b)); if (++n == 16) exit() }' >/dev/null 2>heat.err
report report/html-heat-maps-are-whole "$(cat heat.err | grep -v 'Missed timer ticks'
	grep '^{"type":"hist"' heat.html | jq -r '"\(.nth) \(.avg)"' | sort | uniq -c | diff - <(printf '%7d %s\n' 16 '0 1' 16 '1 1000'))"
stap_user -f html -T 60 -DSTP_MAX_BUCKETS=1000 -DMAXACTION=1000000 -e 'global h, n probe timer.ms(20) {
	for (i = 0; i < 1000; i++) h <<< i
	print(@hist_linear(h, 0, 999, 1)); if (++n == 2) exit() }' >large-heat.html
for format in html svg csv; do
	stap_user -f $format -e 'global n probe begin { n["f+0x1/0x2\nmain\n"] = -3; n["=1+1"] = 2; exit() }' >negative.$format
done
report report/svg-negative-stacks "$(python3 "$here/check_svg.py" negative.svg | grep -xF 'n (1 stack of value 0 or less not drawn)' >/dev/null || cat negative.svg)"
report report/csv-keeps-strings "$(grep -xF 'n,"=1+1",2'$'\r' negative.csv >/dev/null || cat negative.csv)"
stap_user -f html -e 'global h probe begin { h <<< 1 << 62 h <<< -(1 << 62) print(@hist_log(h)) exit() }' >wide.html
head -c $(($(stat -c %s html.rec) * 3 / 4)) html.rec >cut.rec
"$STAP" report -f html cut.rec >cut.html 2>/dev/null
report report/html-size "$(for file in html.html hostile.html later.html; do [ "$(stat -c %s $file)" -lt 600000 ] || ls -l $file; done
	[ "$(stat -c %s sampled.html)" -lt 2000000 ] || ls -l sampled.html
	grep -L '^</html>$' html.html hostile.html sampled.html cut.html)"
report report/html-text-is-data "$([ "$(sed -n '/class="session"/,$p' hostile.html | grep -c '<')" = 4 ] || sed -n '/class="session"/,$p' hostile.html | grep '<')"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ "$chromium" ]; then
	report report/html-in-browser "$(timeout 120 python3 "$here/browser.py" "$chromium" . 2>&1)"
else
	skip report/html-in-browser chromium
fi
# Profiles of arrays with call stacks.
# An address in a file is named by the build that was mapped up to the given offset: not by another file of the path; by
# the file that a process in another mount namespace has there, as one in a container.
mkdir -p of_host of_container && printf '%s\n' 'int runs(void) { return 0; }' 'int main(void) { return runs(); }' >here.c
printf '%s\n' 'int is_not_it(int n) { return n; }' "int large[] = { [0 ... 9999] = 1 }; $(for i in $(seq 400); do printf 'int f%d(int n) { return n * %d + large[n]; }\n' "$i" "$i"; done)" \
	'int main(int n) { return is_not_it(n); }' >other.c
gcc -g -O0 -o of_container/program here.c && gcc -g -O0 -o of_host/program other.c
read -r text_end text_size < <(readelf -lW of_container/program | awk '$1 == "LOAD" && / R E / { print $2, $5 }')
runs=0x$(nm of_container/program | awk '$3 == "runs" { print $1 }')
frame="0x7f1200001234 [$out/of_host/program+$(printf '%#x/%#x' $((runs + 4)) $(((text_end + text_size + 0xfff) & ~0xfff)))]"
stap_user --record -o container.rec -e 'global n probe begin { n[@1 . "\n"] = 1; exit() }' "$frame"
report report/frames-of-another-build "$("$STAP" report -f folded container.rec | diff - <(echo "program+$(printf '%#x' $((runs + 4))) 1"))"
if unshare -m true 2>/dev/null; then
	unshare -m sh -c "mount --make-rprivate / && mount --bind '$out/of_container' '$out/of_host' && echo ready && exec sleep 1000" >ready &
	container=$!
	timeout 300 sh -c 'until [ -s ready ]; do sleep 0.1; done'
	report report/frames-of-a-container "$("$STAP" report -f folded container.rec | diff - <(echo 'runs 1'))"
	kill "$container"
else
	skip report/frames-of-a-container "the right to mount"
fi
cp of_container/program of_host/program
report report/frames-of-the-same-build "$("$STAP" report -f folded container.rec | diff - <(echo 'runs 1'))"

stap_user --record -o stacks "$here/stacks.stp"
profiles=(speedscope pprof)
for format in "${profiles[@]}" folded; do
	"$STAP" report -f $format stacks >stacks.$format 2>stacks.err
	[ $format = folded ] || report report/$format "$(python3 "$here/check_profiles.py" $format stacks.$format 2>&1
		[ $format != speedscope ] || grep -q 'WARNING: standard output: 1 elements with negative values are left out' stacks.err || cat stacks.err)"
	"$STAP" report -f $format session >empty.$format 2>empty.err
	report report/$format-without-stacks "$(grep -qx 'WARNING: standard output: no element of an array has a call stack as a key' empty.err || cat empty.err)"
	"$STAP" report -f $format no-stacks >no-stacks.$format 2>no-stacks.err
	# The output is complete and empty.
	report report/$format-without-arrays "$(grep -q "ERROR: the format \"$format\" requires an array" no-stacks.err || cat no-stacks.err
		case $format in
		speedscope) jq -e '.profiles == [] and .shared.frames == []' no-stacks.$format >/dev/null || echo "no empty profile" ;;
		pprof) gzip -t no-stacks.$format 2>&1 ;;
		folded) [ ! -s no-stacks.$format ] || echo "stacks in $format" ;;
		esac)"
done

# Trace events contain slices of threads, and the output of the user runtime.
python3 "$here/write_session.py" 3 >calls
"$STAP" report -f chrome calls >calls.chrome
report report/chrome-slices "$(python3 "$here/check_trace.py" calls calls.chrome 2>&1)"
stap_user -f chrome -e 'global n probe begin { println("plain \"1\""); printf("%s -> f\n", thread_indent(1)) }
	probe timer.ms(20) { printf("reads=%d\n", n); if (++n == 3) exit() }' >timers.chrome
report report/chrome-counters "$(python3 "$here/check_trace.py" timers timers.chrome 2>&1)"
"$STAP" report -f chrome session >session.chrome
report report/chrome-of-all-records "$(python3 -m json.tool session.chrome 2>&1 >/dev/null)"

# Sessions that are damaged or unusual, and outputs that cannot be written.
for kind in plain early cut long-frame described-twice names paths bytes stacks joined followed split; do
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/hostile_session.py" $kind >$kind.rec
done
for kind in cut long-frame; do
	"$STAP" report $kind.rec >/dev/null 2>$kind.err
	report report/damage-before-$kind "$([ $? = 1 ] || echo "exit status"; grep -qx "ERROR: $kind.rec is damaged at byte 33; the undamaged parts are shown" $kind.err || cat $kind.err)"
done
report report/messages-before-the-description "$("$STAP" report -f json early.rec | jq -c '[.type, .script // .text, .time_ns]' | diff - <(
	printf '%s\n' '["begin","probe begin {}",1000000000]' '["gap","Missed",2000000000]' '["warning","careful",null]' '["error","wrong",null]' \
		'["print","tid=5\n",10]' '["end",null,null]'))"
report report/histograms-of-several-records "$("$STAP" report -f json split.rec 2>&1 | tee split.json |
	jq -c 'select(.type != "begin") | [.type, .count, .text[:32], (.buckets // [] | map(.lo, .count))]' | diff - <(printf '%s\n' \
		'["hist",80,"value |-------------------------",[500,80]]' '["hist",210,"value |-------------------------",[0,70,1,70,997,70]]' '["gap",1,"Histograms with lost buckets: 1",[]]' \
		'["gap",1,"Histograms with lost buckets: 1",[]]' '["end",null,null,[]]'); python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" split.json)"
# The time and the memory that a file takes are in proportion to its size: these would take minutes, or 800 MB.
for kind in formats-without-pieces formats-and-records script-of-parts; do
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/hostile_session.py" $kind >large.rec
	(ulimit -v 600000 -t 60 && "$STAP" report large.rec >large.text 2>large.err)
	report "report/cost-of-$kind" "$("$STAP" report plain.rec | cmp - large.text 2>&1; [ $kind != formats-without-pieces ] || grep -q 'large.rec is damaged at byte' large.err || cat large.err)"
done
report report/described-twice "$("$STAP" report -f json described-twice.rec 2>&1 | jq -r 'select(.type == "map") | .name' | diff - <(echo second))"
report report/trace-names-differ "$("$STAP" report -f chrome names.rec | grep -oF '"args":{"a":1,"2":2}' >/dev/null || "$STAP" report -f chrome names.rec)"
report report/trace-paths-are-whole "$("$STAP" report -f chrome paths.rec | grep '"ph":"[BE]"')"
"$STAP" report -f json stacks.rec >stacks-printed.json
report report/printed-stacks "$(jq -c 'select(.type == "print") | [.text, [.stack[]? | .function, .address]]' stacks-printed.json | diff - <(cat <<'END'
["first\n",[]]
[" 0x1000 : f+0x1/0x2 [/no/file]\n 0xffffffff81000000 : g+0x3/0x4 [kernel]\n",["g","0xffffffff81000000","f","0x1000"]]
["last\n",[]]
["s=h+0x1/0x2\nmain+0x0/0x1\n",["main",null,"h",null]]
END
	)
	python3 "$here/check.py" schema "$SOURCE/doc/json-schema.json" stacks-printed.json)"
"$STAP" report -f folded bytes.rec >bytes.folded
report report/folded-controls-nothing "$(printf 'main;in [31mner\xef\xbf\xbd:  3\n' | cmp - bytes.folded 2>&1)"
"$STAP" report -f pprof bytes.rec | gzip -dc >bytes.pprof
report report/pprof-is-utf8 "$(LC_ALL=C grep -qaP '\xff|\xfe' bytes.pprof && echo "bytes that are not UTF-8"
	LC_ALL=C grep -qaP '\x1b\[31mner\xef\xbf\xbd;' bytes.pprof || echo "no frame")"
"$STAP" report joined.rec >joined.text 2>joined.err
report report/joined-sessions "$([ $? = 0 ] || echo "exit status"; "$STAP" report plain.rec plain.rec | cmp - joined.text 2>&1; cat joined.err)"
"$STAP" report followed.rec >followed.text 2>followed.err
report report/bytes-after-end "$([ $? = 1 ] || echo "exit status"; "$STAP" report plain.rec | cmp - followed.text 2>&1
	grep -qx "ERROR: followed.rec: the bytes after the end of the session, from byte $(stat -c %s plain.rec) on, are ignored" followed.err || cat followed.err)"
cp plain.rec kept.rec
"$STAP" report --output=json:kept.rec kept.rec 2>kept.err
status=$?
"$STAP" report --output=json:kept.rec <kept.rec 2>>kept.err
report report/output-keeps-session "$([ $status$? = 11 ] || echo "exit status"; [ "$(grep -c 'would overwrite the session; give another file' kept.err)" = 2 ] || cat kept.err
	cmp plain.rec kept.rec)"
# Neither a file that is not a session nor one that is missing costs the files that exist, or leaves parts of others.
echo 'not a session, but more bytes than the head of a frame' >foreign.rec
for kind in pprof speedscope html json; do
	echo kept >"kept.$kind"
	for other in foreign.rec missing.rec; do
		"$STAP" report --output=$kind:kept.$kind -f text plain.rec $other >/dev/null 2>>foreign.err
		echo $? >>foreign.status
	done
	"$STAP" report --output=$kind:"piped.$kind" stacks - <foreign.rec >/dev/null 2>>piped.err
	"$STAP" report --output=$kind:"alone.$kind" stacks 2>/dev/null
done
report report/foreign-file-costs-no-output "$(sort -u foreign.status | diff - <(echo 1)
	for kind in pprof speedscope html json; do echo kept | cmp - kept.$kind; done
	[ "$(grep -c 'foreign.rec is not a recorded session' foreign.err)" = 4 ] || cat foreign.err)"
report report/outputs-are-complete-before-foreign-input "$(for kind in pprof speedscope html json; do cmp piped.$kind alone.$kind; done 2>&1
	[ "$(grep -c 'standard input is not a recorded session' piped.err)" = 4 ] || cat piped.err)"
"$STAP" report --output=json:shared -f text plain.rec >shared 2>shared.err
report report/output-and-standard-output "$([ $? = 1 ] || echo "exit status"; grep -q 'two outputs are written to shared' shared.err || cat shared.err)"
"$STAP" report --output=pprof:refused --output=html:beside.html --output=json:/proc/self/mem -f csv plain.rec 2>beside.err
report report/other-outputs-are-complete "$([ $? = 1 ] || echo "exit status"; tail -n 1 beside.html | grep -qx '</html>' || tail -n 3 beside.html
	grep -q 'cannot write /proc/self/mem' beside.err || cat beside.err)"

# A picture is strict XML, with any names.
"$STAP" report -f svg html.rec >html.svg
report report/svg "$(python3 "$here/check_svg.py" html.svg >svg.out 2>&1 || cat svg.out
	for line in 'stacks (100, 100.0 %)' 'main (100, 100.0 %)' 'do_sys_read (50, 50.0 %)' 'copy_page (30, 30.0 %)' \
		'worker(std::vector<int, std::allocator<int> >&) (40, 40.0 %)' grep 'name1, 0' '16384 – 32767'; do
		grep -qxF -- "$line" svg.out || echo "no $line"; done)"
# Over time: a heat map of each column, slices in the lanes of threads, marks for records that are neither begin nor end.
report report/svg-heat-map "$(grep -qxF 'timer.ms(50): 40 histograms over time, at most 6 values in a cell' svg.out || grep ^timer svg.out
	[ "$(grep -c 'class="heat"' html.svg)" -ge 200 ] || grep -c 'class="heat"' html.svg)"
"$STAP" report -f svg calls | python3 "$here/check_svg.py" /dev/stdin >calls.svg 2>&1
report report/svg-timeline "$(diff - calls.svg <<END
printed records by thread
c100 (100)
$(for us in 0.400 0.400; do printf 'kernel.function("f@a.c:1").call – kernel.function("f@a.c:1").return (%s us)\nkernel.function("g@a.c:2")\n' $us; done)
kernel.function("f@a.c:1").call (without an end)
kernel.function("g@a.c:2")
c200 (200)
kernel.function("f@a.c:1").call – kernel.function("f@a.c:1").return (0.200 us)
kernel.function("f@a.c:1").call – kernel.function("f@a.c:1").return (0.200 us)
kernel.function("f@a.c:1").call (without an end)
END
)"
stap_user -e 'global s probe timer.ms(10) { s <<< 5; s <<< 300; print(@hist_log(s)); if (@count(s) == 6) exit() }' -f svg >grows.svg
report report/svg-heat-map-shows-increases "$(grep -o '3 histograms over time, at most 1 values in a cell (each column shows the increase)' grows.svg >/dev/null || cat grows.svg)"
stap_user "$here/hostile.stp" --record -o hostile.rec >/dev/null 2>&1
stap_user -e 'global s  # name: size of reads, unit: bytes
probe begin { s <<< 5; print(@hist_log(s)); exit() }' -f svg >labelled.svg
report report/svg-labels "$(grep -qF '>s: size of reads (bytes)<' labelled.svg || grep title labelled.svg)"
"$STAP" report -f svg bytes.rec hostile.rec session >hostile.svg
report report/svg-text-is-data "$(python3 "$here/check_svg.py" hostile.svg >svg.out 2>&1 || cat svg.out
	grep -q '^element' svg.out && cat svg.out; grep -qF '</script><img src=x onerror="hacked=1">' svg.out || echo "the hostile key is not shown")"
. "$here/kernel.sh"
. "$here/download.sh"
. "$here/monitor.sh"
