#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: the effect of each option, and messages about misuse. `expect NAME STATUS TEXT COMMAND...` checks
# the exit status and that TEXT is in the output; no temporary directory may remain.
set -u
. "$TESTS/lib.sh"
export TMPDIR=$SCRATCH/tmp
mkdir -p "$TMPDIR"

expect() {
	local name=$1 want=$2 text=$3 status=0
	shift 3
	wanted "$name" || return 0
	"$@" >"$SCRATCH/out" 2>&1 </dev/null || status=$?
	if [ "$status" -ne "$want" ]; then
		not_ok "options/$name" "exit status $status, not $want: $(head -n 5 "$SCRATCH/out")"
	elif [ -n "$text" ] && ! [[ $(<"$SCRATCH/out") == *"$text"* ]]; then
		not_ok "options/$name" "lacks '$text': $(head -n 5 "$SCRATCH/out")"
	elif [ -n "$(ls "$TMPDIR")" ]; then
		not_ok "options/$name" "left in TMPDIR: $(ls "$TMPDIR")"
		rm -rf "${TMPDIR:?}"/*
	else
		ok "options/$name"
	fi
}
user() { "$STAP" --runtime=user "$@"; }
# For tests that compile the runtime, since they do not use the cache of this run: it takes less time without optimising.
unoptimised() { QUICKTAP_USER_CFLAGS=-O0 "$@"; }
begin='probe begin { println("hello") exit() }'

mkdir -p "$SCRATCH/empty"
expect no-libc-headers 1 'ERROR: the headers of the C library, which --runtime=user and --runtime=bpf require, are not found: install the package libc6-dev' \
	env QUICKTAP_USER_CFLAGS="-nostdinc -I$SCRATCH/empty" "$STAP" --runtime=user -e "$begin"

expect compiler-by-variable 1 'the environment sets GCC_EXEC_PREFIX=/nowhere/, which changes how compilers and make work: unset what is not intended' \
	env -u LIBRARY_PATH GCC_EXEC_PREFIX=/nowhere/ "$STAP" --runtime=user -e "$begin"
expect warning-with-its-newline 0 'WARNING: one
WARNING: two' user -e 'probe begin { warn("one\n") warn("two") exit() }'
expect version 0 'version' "$STAP" -V
expect help 0 '--runtime=kernel|user' "$STAP" --help
expect no-script 1 "Try 'stap --help'" "$STAP"
expect unknown-option 1 "Try 'stap --help'" "$STAP" --no-such-option
expect dash-of-a-page 1 'if it is an option, write -l' "$STAP" –l 'begin'
expect dash-of-a-page-before-a-script 0 '; if it is an option, write --all-modules' "$STAP" —all-modules -p1 -e 'probe begin { }'
expect dash-of-a-page-in-an-option 1 "\"-–ldd\" contains a typographic dash: write --ldd" "$STAP" -–ldd -e 'probe begin { }'
expect misspelt-option 1 '" (similar: --compatible' "$STAP" --compatble=4
expect ambiguous-option 1 'the option "--dump" is ambiguous: it begins --dump-' "$STAP" --dump
expect two-scripts 1 '-e can be given once' "$STAP" -e a -e b
expect bad-pass 1 '-p takes a pass number' "$STAP" -p7 -e "$begin"
expect pass-is-pid 1 'not "1234"; -x PID selects a process' "$STAP" -p 1234 -e "$begin"
expect pid-is-name 1 '-x takes a process id, not "cat"; pgrep -a NAME lists processes with their IDs' "$STAP" -x cat -e "$begin"
cp "$(command -v cat)" "$SCRATCH/cat"
expect script-is-program 1 "cat is a program, not a script; write -c $SCRATCH/cat to run it" "$STAP" "$SCRATCH/cat"
expect script-is-program-here 1 "write -c ./cat to run it" sh -c "cd '$SCRATCH' && '$STAP' cat"
expect bad-module-name 1 '-m takes a module name' "$STAP" -m 'a b' -e "$begin"
expect bad-define 1 '-D takes' "$STAP" -D 'x y' -e "$begin"
expect reads-no-library-file 0 '0 library scripts using' "$STAP" -v -p2 --runtime=user -e 'probe begin { println(1) }'
expect reads-one-library-file 0 '1 library script using' "$STAP" -v -p2 --runtime=user -e 'probe begin { println(strlen("a")) }'
expect limit-is-a-number 1 '-DMAXACTION=x is not a number; use 1 to ' "$STAP" -p3 --runtime=user -DMAXACTION=x -e "$begin"
expect limit-is-positive 1 '-DMAXERRORS=-1 is out of range' "$STAP" -p3 --runtime=user -DMAXERRORS=-1 -e "$begin"
expect limit-of-strings 1 'use 4 to 65536' "$STAP" -p3 --runtime=user -DMAXSTRINGLEN=0 -e "$begin"
expect limit-of-strings-quoted 0 '""|"a"' "$STAP" --runtime=user -DMAXSTRINGLEN=4 -e 'probe begin { println(text_strn("\"\"\"", 1, 1), "|", text_strn("abc", 1, 1)) exit() }'
expect limit-of-arrays 1 '-DMAXMAPENTRIES=0 is out of range' "$STAP" -p3 --runtime=user -DMAXMAPENTRIES=0 -e 'global a probe begin { a[1] = 1 println(a[1]) }'
expect limit-of-calls 1 '-DKRETACTIVE=-1 is out of range' "$STAP" -p2 -DKRETACTIVE=-1 -r "$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)" -e 'probe kernel.function("vfs_read").return { println(1) }'
expect calls 0 '.maxactive = 7' "$STAP" -p3 -DKRETACTIVE=7 -r "$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)" -e 'probe kernel.function("vfs_read").return { println($return) }'
expect calls-of-programs 0 '.maxactive = 7' "$STAP" -p3 -DKRETACTIVE=7 -r "$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)" -e "probe process(\"$STAP\").function(\"main\").return { println(1) }"
expect alibi 0 'begin, (<input>:1:7), hits: 1' bash -c "'$STAP' --runtime=user -DSTP_ALIBI -T 0.05 -e 'probe begin { println(\"never\") }' >'$SCRATCH/alibi' && ! grep never '$SCRATCH/alibi' && cat '$SCRATCH/alibi'"
expect points-of-many 0 'begin(299)
begin(300)' bash -c "{ printf 'probe begin(%d) { println(pp()) }\\n' {1..300}; echo 'probe begin(301) { exit() }'; } | '$STAP' --runtime=user -"
expect timing-by-define 0 'probe hit report' "$STAP" --runtime=user -DSTP_TIMING -e "$begin"
expect messages 0 '.message_bytes = 384000' "$STAP" -p3 --runtime=user -DSTP_DEFAULT_BUFFERS=1000 -e "$begin"
expect messages-too-many 1 'is more than 67108864 bytes (64 MB) of messages' "$STAP" -p3 --runtime=user -DSTP_CTL_BUFFER_SIZE=60000000 -e "$begin"
expect misspelt-limit 0 'WARNING: unknown limit "MAXSTRINLEN" in -DMAXSTRINLEN; the script'\''s embedded C does not use this name either (similar: MAXSTRINGLEN' "$STAP" -p2 --runtime=user -DMAXSTRINLEN=100 -e "$begin"
expect limit-in-lower-case 0 'WARNING: unknown limit "maxaction" in -Dmaxaction; the script'\''s embedded C does not use this name either (similar: MAXACTION' "$STAP" -p2 --runtime=user -Dmaxaction=100 -e "$begin"
! wanted_some limits || . "$TESTS/options/limits.sh"
embedded() { user -g -p4 -e "$1 probe begin { println(f(\"text\")) }"; }
expect embedded-text-as-number 1 "<input>:1:42: error: passing argument 1 of 'stp_long'" embedded 'function f:long(s:string) %{ STAP_RETURN("abc"); %}'
expect embedded-argument-as-number 1 'makes integer from pointer without a cast' embedded 'function f:long(s:string) %{ STAP_RETURN(STAP_ARG_s); %}'
expect embedded-value-as-number 1 'makes integer from pointer without a cast' embedded 'function f:long(s:string) %{ STAP_RETVALUE = STAP_ARG_s; %}'
expect embedded-number-as-pointer 1 '<input>:1:40: error: initialization of' embedded 'function f:long(s:string) %{ char *p = 5; STAP_RETURN(*p); %}'
expect embedded-number-as-text 1 'makes pointer from integer without a cast' embedded 'function f:string(s:string) %{ STAP_RETURN(5); %}'
expect embedded-text-to-global 1 'makes integer from pointer without a cast' embedded 'global n = 5 function f:long(s:string) %{ /* pragma:write:n */ STAP_GLOBAL_SET_n("abc"); STAP_RETURN(0); %}'
expect embedded-expression 1 'makes integer from pointer without a cast' embedded 'function f(s) { return %{ "abc" %} }'
expect embedded-unset 0 "warning: 'x' is used uninitialized" user -g -p4 -e "function f:long() %{ /* not in the cache: $$ $RANDOM */ int x; STAP_RETURN(x); %} probe begin { println(f()) }"
expect limits-of-frames 1 'MB of strings for each CPU, more than 64 MB; reduce MAXNESTING or' "$STAP" -p3 --runtime=user -DMAXSTRINGLEN=65536 -DMAXNESTING=1024 -e 'function f:string(s:string, n:long) { return n ? f(s . "x", n - 1) : s } probe begin { println(f("a", 5)) }'
expect limits-of-locks 1 'MAXTRYLOCK=100000 times TRYLOCKDELAY=10 is more than 100000 microseconds' "$STAP" -p2 --runtime=user -DMAXTRYLOCK=100000 -e "$begin"
expect bad-global 1 '-G takes' "$STAP" -G '1x=3' -e "$begin"
for option in -x --target-namespaces= -s --monitor= --rlimit-as= --benchmark-sdt-loops= --benchmark-sdt-threads=; do
	for n in 99999999999999999999 -18446744073709551615 -1 1x ''; do
		[ "$n" ] || [ "${option%=}" != "$option" ] || continue
		expect "number-$option$n" 1 ' takes ' "$STAP" "$option$n" -p1 -e "$begin"
	done
done
expect unknown-define 0 'WARNING: unknown limit "NOPE" in -DNOPE; the script'\''s embedded C does not use this name either
' "$STAP" -p2 --runtime=user -DNOPE=1 -e "$begin"
for name in STAP_SUPPRESS_HANDLER_ERRORS STP_NO_VERREL_CHECK STP_USE_DROPPED_FILE STAP_OVERRIDE_STUCK_CONTEXT DEBUG_MEM; do
	expect "define-without-effect-$name" 1 '' sh -c '"$0" -p2 --runtime=user "$1" -e "probe begin { next }" 2>&1 | grep unknown' "$STAP" "-D$name"
done
expect limit-with-suffix 0 '.overload_interval = 1000,' "$STAP" -p3 --runtime=user -DSTP_OVERLOAD_INTERVAL=1000LL -e "$begin"
expect limit-unsigned 0 '.errors = 16' "$STAP" -p3 --runtime=user -DMAXERRORS=0x10uL -e "$begin"
expect limit-with-half-a-suffix 1 '-DMAXACTION=100lul is not a number' "$STAP" -p3 --runtime=user -DMAXACTION=100lul -e "$begin"
expect timeout-with-exponent 0 '' "$STAP" --runtime=user -p2 -T 1e1 -e "$begin"
expect timeout-with-sign 0 '' "$STAP" --runtime=user -p2 -T +5 -e "$begin"
for t in 1e9 nan inf -1 1e 0x1p3; do
	expect "timeout-$t" 1 '-T takes' "$STAP" --runtime=user -p2 -T "$t" -e "$begin"
done
expect unknown-define-when-parsed 0 'WARNING: unknown limit "NOPE" in -DNOPE; the script'\''s embedded C does not use this name either
' "$STAP" -p1 --runtime=user -DNOPE=1 -e "$begin"
expect define-of-script 1 '' sh -c '"$0" -g -p2 --runtime=user -DNOPE=1 -e "probe begin { println(%{ NOPE %}) exit() }" 2>&1 | grep WARNING' "$STAP"
expect blank-pid 0 '' "$STAP" -p2 -x ' 1' -e "$begin"
expect hexadecimal-timeout 1 '-T takes' "$STAP" -T 0x10 -e "$begin"
expect bad-timeout 1 '-T takes' "$STAP" -T 0 -e "$begin"
expect bad-buffer 1 '-s takes' "$STAP" -s 5000 -e "$begin"
expect buffer 0 '.buffer_kb = 4096' "$STAP" -p3 --runtime=user -s 4 -e "$begin"
expect bad-pid 1 '-x takes' "$STAP" -x abc -e "$begin"
expect bad-runtime 1 '--runtime takes' "$STAP" --runtime=moon -e "$begin"
expect command-fails 1 'WARNING: the command exited with status 3; the trace is complete' user -c 'sh -c "exit 3"' -e 'probe begin { println("x") }'
expect command-own-parameters 1 'WARNING: the command was ended by signal 9' user -c 'kill -9 $$' -e 'probe begin { println("x") }'
expect command-no-parameters 0 '[0:]' user -c 'echo "[$#:$1]"' -e 'probe begin { println("x") }'
expect command-quoted-dollar 0 'x$1 ${2}' user -c "echo 'x\$1' \"\\\${2}\"" -e 'probe begin { println("x") }'
expect command-background-process 0 'killed' user -c 'sh -c "sleep 99 & kill $! && echo killed"' -e 'probe begin { println("x") }'
expect command-fails-quietly 0 '' bash -c "! '$STAP' --runtime=user -c false -e 'probe begin { println(1) }' 2>&1 | grep -E 'run failed|ERROR'"
# At the end of -T, and after exit(). How stapio handles the command of a module is tested in
# staprun/scenarios/command-*.
expect command-time-over 1 'the time limit (-T) is reached: ending "sleep 60" (pid ' timeout 300 "$STAP" --runtime=user -T 0.2 -c 'sleep 60' -e 'probe begin { println("x") }'
expect command-time-over-killed 1 'WARNING: the command was ended by signal 9' timeout 300 "$STAP" --runtime=user -T 0.2 -c 'sh -c "trap : TERM; while :; do sleep 0.1; done"' -e 'probe begin { println("x") }'
expect command-time-over-children 0 '' bash -c "'$STAP' --runtime=user -T 0.2 -c 'sh -c \"sleep 3004 & echo \\\$! >$SCRATCH/child; trap : TERM; while :; do sleep 0.1; done\"' -e 'probe begin { println(1) }' >/dev/null 2>&1
	! kill -0 \$(cat '$SCRATCH/child')"
expect command-of-shell 1 'WARNING: the command exited with status 3; the trace is complete' user -c 'exit 3' -e 'probe begin { println("x") }'
expect command-exec 0 executed user -c 'exec echo executed' -e 'probe begin { println("x") }'
expect command-not-executable 1 'status 126' user -c /etc/passwd -e 'probe begin { println("x") }'
expect command-nohup 0 $'0000001\nended' bash -c "trap '' HUP; '$STAP' --runtime=user -c 'sh -c \"kill -HUP \\\$PPID; sed -n s/SigIgn:.*[13579bdf]$/0000001/p /proc/self/status\"' -e 'probe begin { println(1) } probe end { println(\"ended\") }'"
expect command-ignores-signals 0 5007 bash -c "trap '' HUP INT QUIT PIPE TERM; '$STAP' --runtime=user -c 'grep SigIgn /proc/self/status' -e 'probe begin { println(1) }'"
expect command-outlives-begin 1 'the script ended; waiting for "sh -c "exit 7"" (pid ' user -c 'sh -c "exit 7"' -e 'probe begin { exit() }'
expect command-runs-after-exit 1 'WARNING: the command exited with status 7; the trace is complete' user -c 'sh -c "sleep 0.2; exit 7"' -e 'probe begin { exit() }'
expect command-interrupted 0 ended bash -c "timeout -s INT 1 '$STAP' --runtime=user -c 'echo \$\$ >$SCRATCH/command-pid; exec sleep 60' -e 'probe begin { exit() }'; sleep 0.2; kill -0 \$(cat '$SCRATCH/command-pid') || echo ended"
expect command-and-pid 1 "cannot be used together" "$STAP" -c true -x 1 -e "$begin"
expect parse-error-comes-first 1 'parse error: expected' "$STAP" -e 'probe begin { println("hello") }}'
# For users who are only members of stapusr, stap rejects early the scripts that staprun would not load.
member() {
	{ grep -v '^stap' /etc/group; echo "$1:x:4711:"; } >"$SCRATCH/group"
	shift
	unshare -m sh -c 'mount --bind "$0/group" /etc/group && exec setpriv --reuid 65534 --regid 4711 --clear-groups \
		env -u TMPDIR SYSTEMTAP_DIR="$OTHERS" "$@"' "$SCRATCH" "$STAP" -r "$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)" "$@"
}
OTHERS=$(mktemp -d /tmp/options.XXXXXX) && export OTHERS && chmod 777 "$OTHERS"
if member stapusr -V >"$SCRATCH/out" 2>&1; then
	expect level-of-stapusr 1 'is not allowed with --privilege=stapusr' member stapusr -e 'probe kernel.function("vfs_read") { println(1) }'
	expect level-of-stapusr-reported 1 'stapusr follows from your groups' member stapusr -e 'probe kernel.function("vfs_read") { println(1) }'
	expect level-of-stapsys 1 '-g requires membership of the group stapdev' member stapsys -g -e "$begin"
	mkdir -m 700 "$OTHERS/private"
	expect rc-of-another-user 0 'rc: Permission denied; they are ignored' setpriv --reuid 65534 --regid 65534 \
		--clear-groups env -u TMPDIR SYSTEMTAP_DIR="$OTHERS/private" "$STAP" -p1 -e "$begin"
	expect level-given 1 'is not allowed with --privilege=stapusr' member stapdev --unprivileged -e 'probe kernel.function("vfs_read") { println(1) }'
else
	skip options/level "no other user can run stap here: $(head -n 1 "$SCRATCH/out")"
fi
rm -rf "$OTHERS"
if unshare -m true 2>"$SCRATCH/err"; then
	expect no-modules 1 "this kernel cannot load modules; try the script with --vm" unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$STAP" --runtime=kernel -e "$begin"
	expect no-modules-after-errors 1 'unresolved name "comm": it exists only in bpftrace' unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$STAP" --runtime=kernel -e 'probe begin { println(comm) }'
else
	skip options/no-modules "unshare -m: $(<"$SCRATCH/err")"
fi
# A copy of the directory in which stap was built works; a copy of stap alone reports the missing files.
mkdir -p "$SCRATCH/copy" "$SCRATCH/alone" && cp "$STAP" "$SCRATCH/copy" && cp "$STAP" "$SCRATCH/alone" && ln -s "$SOURCE/tapsets" "$SOURCE/runtime" "$SCRATCH/copy"
expect copied-build 0 'copy 3' unoptimised "$SCRATCH/copy/stap" --runtime=user -e 'probe begin { println("copy ", strlen("abc")) exit() }'
expect copied-alone 1 'the library and the runtime are neither in' "$SCRATCH/alone/stap" --runtime=user -e "$begin"
expect missing-file 1 'No such file' "$STAP" "$SCRATCH/none.stp"
expect missing-include 1 'No such file' "$STAP" -I "$SCRATCH/none" -e "$begin"
expect unwritable-tmp 1 'TMPDIR' env TMPDIR="$SCRATCH/none" "$STAP" -e "$begin"
expect options-after-the-script 0 hello bash -c "echo 'probe begin { println(\"hello\") }' >'$SCRATCH/o.stp' && '$STAP' '$SCRATCH/o.stp' --runtime=user -T 0.05"
expect arguments-after-dashes 0 'got -x' user -e 'probe begin { println("got ", @1) exit() }' -- -x
expect compatible-future 1 "--compatible=99 is newer than the newest version" "$STAP" --compatible=99 -e "$begin"
expect compatible-bad 1 '--compatible takes a version' "$STAP" --compatible=new -e "$begin"
expect compatible-escape 0 x41 user --compatible=2.2 -e 'probe begin { println("\x41") exit() }'
expect compatible-ternary 0 'values 2 0' user --compatible=3.3 -e 'probe begin { x = pid() ? 2 : y = 3 println("values ", x, " ", y) exit() }'
expect incompatible-ternary 1 'expected a variable' user --compatible=4.0 -e 'probe begin { x = pid() ? 2 : y = 3 println(x, y) exit() }'
expect compatible-strings 0 ab user --compatible=1.9 -e 'probe begin { println("a" "b") exit() }'
expect compatible-private 0 'is 4' user --compatible=2.9 -e 'probe begin { private = 4 println("is ", private) exit() }'
expect compatible-preprocessor 0 old user --compatible=4.0 -e 'probe begin { println(%( systemtap_v >= "4.1" %? "new" %: "old" %)) exit() }'
expect compatible-pointer 0 'is 0x00000000000000ff' user --compatible=1.2 -e 'probe begin { printf("is %p\n", 255) exit() }'
expect incompatible-pointer 0 'is 0xff' user --compatible=1.3 -e 'probe begin { printf("is %p\n", 255) exit() }'
expect compatible-empty-sum 1 'empty aggregate' user --compatible=1.4 -e 'global x probe begin { if (0) x <<< 1 println(@sum(x)) exit() }'
expect incompatible-empty-sum 0 0 user --compatible=1.5 -e 'global x probe begin { if (0) x <<< 1 println(@sum(x)) exit() }'
expect compatible-members 1 'have members before version 2.6' user --compatible=2.5 -e 'probe begin { x = 1 println(x->y) exit() }'
expect incompatible-members 1 'debuginfo type of this value cannot be determined' user --compatible=2.6 -e 'probe begin { x = 1 println(x->y) exit() }'
expect compatible-abort 1 "unresolved function \"abort\"" user --compatible=3.9 -e 'probe begin { abort() }'
expect incompatible-abort 0 '' user --compatible=4.0 -e 'probe begin { abort() println("on") }'
lacks() { ! "$@" | grep 'stp_lock(c)'; }
late='global n probe timer.ms(1), timer.ms(2) { if (pid() == 1) next n = n * 2 println(n) }'
expect incompatible-locks 0 'stp_lock(c)' user -p3 --compatible=4.4 -e "$late"
expect compatible-locks 0 '' lacks user -p3 --compatible=4.3 -e "$late"
expect unoptimised-locks 0 '' lacks user -p3 -u -e "$late"
expect compatible-suffix 1 'probe point mismatch' user --compatible=1.9 -e 'probe a = timer { } probe a.ms(1) { exit() }'
expect check-version 0 'depends on the language version' user --check-version -e 'probe begin { println("\x41") exit() }'
expect check-version-quiet 0 hello bash -c "'$STAP' --runtime=user -W --check-version -e '$begin'"
expect privilege-bad 1 '--privilege takes' "$STAP" --privilege=root -e "$begin"
expect privilege-guru 1 'requires the privilege stapdev' "$STAP" -g --privilege=stapsys -e "$begin"
expect privilege-function 1 "may not be used with --privilege=stapusr" user --unprivileged -e 'probe begin { system("ls") exit() }'
expect privilege-embedded 1 "not allowed with --privilege=stapusr" "$STAP" -p2 --unprivileged -e 'probe timer.profile { println(1) }'
expect privilege-allowed 0 hello user --privilege=stapusr -e "$begin"
expect privilege-preprocessor 0 lowly user --unprivileged -e 'probe begin { println(%( systemtap_privilege == "stapusr" %? "lowly" %: "high" %)) exit() }'
expect keep-going 1 $'SEMANTIC_ERRORS: 2\nSEMANTIC_ERROR\t<input>\t1\t7\tbeginn\tprobe point mismatch' user --semantic-keep-going \
	-e 'probe beginn { } probe begin { println(1 + nosuch()) }'
expect keep-going-end 1 SEMANTIC_ERRORS_END user --semantic-keep-going -e 'probe beginn { }'
expect prologue 0 hello user -P --prologue-searching=never -e "$begin"
expect prologue-bad 1 '--prologue-searching takes' user --prologue-searching=maybe -e "$begin"
kernel=$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)
rc() { # LINE ...: stap with these lines in its rc
	mkdir -p "$SCRATCH/rc.d" && printf '%s\n' "${lines[@]}" >"$SCRATCH/rc.d/rc" && SYSTEMTAP_DIR=$SCRATCH/rc.d "$STAP" "$@"
}
lines=('# always' '--runtime=user  -D "MAXERRORS=3"' '' '-p3')
expect rc 0 '.errors = 3' rc -e 'probe begin { println(1) }'
expect rc-comes-first 0 '# globals' rc -p2 -e 'global a probe begin { println(a++) }'
mkdir -p "$SCRATCH/rc-fifo" && mkfifo "$SCRATCH/rc-fifo/rc"
expect rc-fifo 0 'rc: not a regular file; they are ignored' env SYSTEMTAP_DIR="$SCRATCH/rc-fifo" timeout 300 "$STAP" -p1 -e "$begin"
expect rc-name-too-long 0 'rc: File name too long; they are ignored' env SYSTEMTAP_DIR="$SCRATCH/$(printf 'a%.0s' {1..300})" "$STAP" -p1 -e "$begin"
lines=('-v' 'script.stp')
expect rc-has-no-script 1 "rc:2: the first word of a line must be an option, not \"script.stp\"" rc -p1 -e "$begin"
lines=('-v "')
expect rc-has-words 1 "rc:1: cannot parse options" rc -p1 -e "$begin"
lines=('$(touch /tmp/x)')
expect rc-runs-nothing 1 "rc:1: cannot parse options" rc -p1 -e "$begin"
lines=('--no-such-option')
expect rc-bad-option 1 "unknown option" rc -p1 -e "$begin"
expect unknown-letter 1 'unknown option "-j"' "$STAP" -j -p1 -e "$begin"
expect unknown-letter-of-dtrace 1 'unknown option "-n"; -e SCRIPT is the script, as -n of DTrace' "$STAP" -n 'begin { println(1) }'
expect unknown-word-of-others 1 'unknown option "--pid=1"; -x PID selects a process' "$STAP" --pid=1 -p1 -e "$begin"
expect command-as-script 1 "cannot read the script ls: No such file or directory; ls is a command: stap --example trace -c ls prints its system calls" "$STAP" ls
expect no-script 1 'no script given: use a file, "-" or -e SCRIPT; stap --example lists scripts by question' "$STAP" -c ls
expect unknown-word 1 'unknown option "--vebose" (similar: --verbose)' "$STAP" --vebose -p1 -e "$begin"
expect argument-missing 1 'the option "-e" requires an argument' "$STAP" -e
expect argument-missing-of-word 1 'the option "--runtime" requires an argument' "$STAP" --runtime
expect argument-refused 1 'the option "--json" takes no argument' "$STAP" --json=1 -l begin
expect options-of-strace 1 'write stap -c "ls -l" -e SCRIPT, where SCRIPT is probe syscall.openat { if (pid() == target())' "$STAP" -f -e trace=openat ls -l
expect options-of-strace-process 1 'write stap -x 1 -e SCRIPT, where SCRIPT is probe syscall.{read,write} {' "$STAP" -f -e trace=read,write -p 1
# The programs that gcc would run make the same module without gcc. If another program starts gcc, it is run as it
# is.
steps() { # NAME OPTIONS...: the programs that compile a script, one a line
	mkdir -p "$SCRATCH/steps/$1" && cd "$SCRATCH/steps/$1" && "$STAP" "${@:2}" -p4 -r "$kernel" -m same -e "$begin" >/dev/null 2>&1 &&
		strace -qf -e trace=execve -o ../programs "$STAP" "${@:2}" -p4 -r "$kernel" -m same -e "${begin/hello/again}" >/dev/null 2>&1 &&
		sed -nE 's#.* execve\("([^"]*/)?(cc1|as|gcc)[^"/]*",.* = 0$#\2#p' ../programs
}
if ! wanted gcc-steps; then :; elif ! command -v strace >/dev/null; then
	skip options/gcc-steps strace
else
	cc=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\([^ ]*\).*/\1/p' "/lib/modules/$kernel/build/.config")
	direct=$(steps direct | tr '\n' ' ') driver=$(steps driver -B "CC=env $cc" | tr '\n' ' ')
	report options/gcc-steps "$([ "$direct" = 'cc1 as ' ] || echo "runs $direct"
		[[ $driver = *'gcc cc1 as ' ]] || echo "through env: runs $driver"
		cmp "$SCRATCH"/steps/{direct,driver}/same.ko 2>&1)"
	# A gcc that is a wrapper: its assembler fails without the environment variable that the wrapper sets.
	mkdir "$SCRATCH/steps/bin"
	printf '#!/bin/sh\n[ -n "$LIBRARIES" ] || exit 1\nexec %s "$@"\n' "$(command -v as)" >"$SCRATCH/steps/bin/as"
	printf '#!/bin/sh\nLIBRARIES=here exec %s -B"%s" "$@"\n' "$(command -v "$cc")" "$SCRATCH/steps/bin" >"$SCRATCH/steps/bin/$cc"
	chmod 755 "$SCRATCH"/steps/bin/*
	report options/gcc-steps-of-a-script "$(PATH=$SCRATCH/steps/bin:$PATH steps script | grep -qx gcc || echo "was not run")"
fi
# On a terminal, histograms have units and percentages, and bars of block characters if the terminal supports them.
on_terminal() { script -qec "env -u LC_ALL $1 '$STAP' --runtime=user ${*:2} -e 'global s probe begin { s <<< 2000 print(@hist_log(s)) exit() }'" /dev/null | tr -d '\r'; }
expect hist-terminal 0 '   1K |█                                                  1 100%' on_terminal "LANG=C.UTF-8 TERM=xterm"
expect hist-terminal-without-utf8 0 '   1K |@                                                  1 100%' on_terminal "LANG=C TERM=xterm"
expect hist-terminal-dumb 0 ' 1024 |@                                                  1
' on_terminal "LANG=C.UTF-8 TERM=dumb"
expect hist-terminal-off 0 ' 1024 |@                                                  1
' on_terminal "LANG=C.UTF-8 TERM=xterm" -DHIST_TERMINAL=0
expect hist-terminal-percentiles 0 'p50 ~1535, p90 ~1535, p99 ~1535' on_terminal "LANG=C.UTF-8 TERM=xterm" -v
echo 'global s # name: time of "calls", unit: us
probe begin { s <<< 2000 print(@hist_log(s)) exit() }' >"$SCRATCH/labelled.stp"
labelled() { script -qec "env -u LC_ALL LANG=C.UTF-8 TERM=xterm '$STAP' --runtime=user '$SCRATCH/labelled.stp'" /dev/null | tr -d '\r'; }
expect hist-terminal-label 0 'time of "calls"
  time |-------------------------------------------------- count
 256µs |' labelled
expect hist-terminal-sprint 0 ' 1024 |@                                                  1
' user -DHIST_TERMINAL=2 -e 'global s probe begin { s <<< 2000 print(sprint(@hist_log(s))) exit() }'
expect hist-not-on-terminal 0 ' 1024 |@                                                  1
' env LANG=C.UTF-8 TERM=xterm "$STAP" --runtime=user -e 'global s probe begin { s <<< 2000 print(@hist_log(s)) exit() }'
expect release-missing 1 'the kernel "0.1" is not installed on this host; choose one of' "$STAP" -p4 -r 0.1 -e "$begin"
expect release-prefix 0 'kernel.function("vfs_read' "$STAP" -p2 -r "${kernel%%-*}" -e 'probe kernel.function("vfs_read") { next }'
expect process-missing 1 '-x 4194303: no such process' "$STAP" --runtime=user -x 4194303 -e "$begin"
# Files of earlier runs are not replaced by empty ones.
echo earlier >"$SCRATCH/kept.html"
expect process-missing-keeps-files 1 '-x 4194303: no such process' "$STAP" --runtime=user -x 4194303 --output=html:"$SCRATCH/kept.html" -e "$begin"
expect process-missing-kept-file 0 earlier cat "$SCRATCH/kept.html"
expect modinfo 0 '"author=me & you"' "$STAP" -p3 -r "$kernel" --modinfo 'author=me & you' -e "$begin"
expect modinfo-in-module 0 'weather:        fine' bash -c "modinfo \"\$('$STAP' -p4 -r '$kernel' --modinfo weather=fine -e 'probe begin { println(1) }')\""
expect modinfo-bad 1 '--modinfo takes NAME=VALUE' "$STAP" -p3 --modinfo 'author="me"' -e "$begin"
expect modinfo-own 1 'that name is reserved' "$STAP" -p3 --modinfo stap_privilege=stapusr -e "$begin"
expect runtime-dir 0 'hello' "$STAP" -R "$SOURCE/runtime" --runtime=user -e "$begin"
expect runtime-dir-bad 1 'no runtime sources found there' "$STAP" -R /tmp --runtime=user -e "$begin"
expect dyninst 0 'hello' "$STAP" --runtime=dyninst -e "$begin"
expect dyninst-option 0 'hello' "$STAP" --dyninst -e "$begin"
expect bpf 0 '# probes' "$STAP" --bpf -p2 -r "$kernel" -e "$begin"
expect download-debuginfo 0 '# probes' "$STAP" --download-debuginfo=no -p2 -r "$kernel" -e "$begin"
expect download-debuginfo-bad 1 '--download-debuginfo takes yes, no, ask or seconds' "$STAP" --download-debuginfo=maybe -e "$begin"
# Other hosts: ssh is replaced by a program that runs commands here, with hosts with a configured uname, and a
# staprun that prints its arguments.
mkdir -p "$SCRATCH/hosts"
cat >"$SCRATCH/hosts/ssh" <<'END'
#!/bin/sh
[ "$1 $2" != "-- down" ] || { echo 'ssh: connect to host down port 22: Connection refused' >&2; exit 255; }
FAKE_HOST=$2 exec env --default-signal sh -c "$3"
END
cat >"$SCRATCH/hosts/uname" <<'END'
#!/bin/sh
case $FAKE_HOST in new*) echo "$FAKE_NEW x86_64" ;; mips) echo 6.1.0 mips ;; *) echo 'Welcome!'; echo "$FAKE_OLD x86_64" ;; esac
END
cat >"$SCRATCH/hosts/staprun" <<'END'
#!/bin/sh
trap 'echo "stopped on $FAKE_HOST"; exit 0' TERM
for a; do
	case $a in */*.ko) a="$(stat -c %a "$a") $(modinfo -F vermagic "$a" | cut -d' ' -f1)" ;; esac
	shift; set -- "$@" "$a"
done
echo "on $FAKE_HOST: $*"
[ ! -e "$FAKE_WAIT" ] || { rm "$FAKE_WAIT"; sleep 20 & wait $!; kill $!; }
[ "$FAKE_HOST" != bad ] || exit 3
END
chmod +x "$SCRATCH"/hosts/*
newest=$(printf '%s\n' /lib/modules/*/build | tail -n 1 | cut -d/ -f4)
remote() { PATH=$SCRATCH/hosts:$PATH FAKE_OLD=$kernel FAKE_NEW=$newest FAKE_WAIT=$SCRATCH/wait "$STAP" "$@"; }
sorted() { remote "$@" >"$SCRATCH/lines" && sort "$SCRATCH/lines"; }
stopped() { # SIGNAL: the script waits on each host until the signal arrives
	local pid
	touch "$SCRATCH/wait"
	PATH=$SCRATCH/hosts:$PATH FAKE_OLD=$kernel FAKE_WAIT=$SCRATCH/wait "$STAP" --remote=one -e "$begin" & pid=$!
	while [ -e "$SCRATCH/wait" ]; do sleep 0.05; done
	kill "-$1" $pid; wait $pid
}
script='global a = 1 probe begin { println(a) exit() }'
expect remote 0 "on me@one: -C never -R -c it's -k 0 -r 0:me@one 600 $kernel a=5" remote --remote=me@one -c "it's" -G a=5 -e "$script"
remote_to_fifo() { # the FIFO is opened when a process reads it
	local pid
	mkfifo "$SCRATCH/remote.fifo"
	remote --remote=one -o "$SCRATCH/remote.fifo" -e "$begin" 2>"$SCRATCH/remote.err" & pid=$!
	timeout 300 sh -c 'until grep -q "^waiting for a process that reads the FIFO" "$1"; do sleep 0.1; done' sh "$SCRATCH/remote.err"
	timeout 300 cat "$SCRATCH/remote.fifo"
	wait $pid
}
expect remote-fifo 0 "on one: " remote_to_fifo
expect remote-twice 0 "0: on one: -C never -R -r 0:one 600 $kernel
1: on new: -C never -R -r 1:new 600 $newest
2: on two: -C never -R -r 2:two 600 $kernel" sorted --remote one --remote=new --remote=two --remote-prefix -e "$script"
expect remote-port 0 '-r 0:one:2222 600' remote --remote=one:2222 -e "$script"
expect remote-stapsh 0 '-r 0:stapsh:' remote --remote=stapsh: -e "$script"
expect remote-direct 0 '-r 0:direct://' remote --remote=direct:// -e "$script"
expect remote-fails 1 'WARNING: bad: the run there ended with status 3' remote --remote=one --remote=bad -e "$script"
expect remote-down 1 "--remote=down: cannot determine that host's kernel: ssh: connect to host down" remote --remote=down -e "$script"
expect remote-down-others 0 "on one: -C never -R -r 0:one 600 $kernel
WARNING: down: nothing ran there: cannot determine that host's kernel: ssh: connect to host down" remote --remote=one --remote=down --min-hosts=1 -e "$script"
expect remote-down-machine 0 "WARNING: mips: nothing ran there: modules for mips cannot be built" remote --remote=mips --remote=one --min-hosts=1 -e "$script"
expect remote-down-too-many 1 "--min-hosts=2: only 1 of 3 hosts can be used" remote --remote=mips --remote=one --remote=down --min-hosts=2 -e "$script"
expect remote-min-hosts 1 '--min-hosts=3, but there is 1 host (--remote' remote --remote=one --min-hosts=3 -e "$script"
expect remote-min-hosts-of-two 1 "--min-hosts=3, but there are 2 hosts (--remote" remote --remote=one --remote=two --min-hosts=3 -e "$script"
expect remote-timeout 1 '--timeout takes seconds from 0.001 to 86400, not "never"; -T limits the time of the script' remote --remote=one --timeout=never -e "$script"
expect remote-timeout-alone 1 '--timeout requires hosts (--remote, --hosts)' remote --timeout=5 -e "$script"
expect remote-stopped 0 'stopped on one' stopped INT
expect remote-build 0 '.ko' remote -p4 --remote=new -e "$script"
expect remote-machine 1 "--remote=mips: modules for mips cannot be built" remote --remote=mips -e "$script"
expect remote-blank 1 'has a blank, a control character or a host that begins with "-"' "$STAP" --remote='one -oProxyCommand=x' -e "$script"
expect remote-user-of-option 1 'or a host that begins with "-"' "$STAP" --remote=me@-oProxyCommand=x -e "$script"
expect remote-uri-of-option 1 'or a host that begins with "-"' "$STAP" --remote=ssh://-oProxyCommand=x -e "$script"
! wanted_some hosts || . "$TESTS/options/hosts.sh"
expect remote-url 1 'unsupported URL; use' "$STAP" --remote=libvirt://x -e "$script"
expect remote-option 1 '--remote takes' "$STAP" --remote=-oProxyCommand=x -e "$script"
expect remote-and-vm 1 '--remote cannot be used with' "$STAP" --remote=one --vm -e "$script"
expect remote-prefix-alone 1 '--remote-prefix requires --remote' "$STAP" --remote-prefix -e "$script"
# stap-prep --root: each step removes a file that the previous one needed; a stand-in for the package manager prints its
# arguments.
prep() { "$SOURCE/translator/target/stap-prep" "$@"; }
host=$SCRATCH/host release=9.9.9-fast
mkdir -p "$host/etc" "$host/usr/bin" "$host/boot" "$host/lib/modules/$release/build" "$host/usr/lib/debug/boot"
touch "$host"/usr/bin/{gcc,make} "$host/boot/vmlinuz-$release" "$host/usr/lib/debug/boot/vmlinux-$release"
echo 'ID=debian' >"$host/etc/os-release"
expect prep 0 "ok       debuginfo ($host/usr/lib/debug/boot/vmlinux-$release)" prep --root "$host" $release
rm "$host/usr/lib/debug/boot/vmlinux-$release"
expect prep-without-debuginfo 0 'which lines and local variables need: stap-prep -d' env -u DEBUGINFOD_URLS "$SOURCE/translator/target/stap-prep" --root "$host" $release
expect prep-debuginfo 1 "as root: apt-get install -y linux-image-$release-dbg" env -u DEBUGINFOD_URLS "$SOURCE/translator/target/stap-prep" -d --root "$host" $release
rmdir "$host/lib/modules/$release/build"; rm "$host/usr/bin/make"
expect prep-packages 1 "as root: apt-get install -y make linux-headers-$release" prep --root "$host" $release
printf 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' >"$host/etc/os-release"
expect prep-yum 1 "as root: yum install -y make kernel-devel-$release" prep --root "$host" $release
printf 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n' >"$host/etc/os-release"
expect prep-zypper 1 "as root: zypper --non-interactive install make kernel-fast-devel" prep --root "$host" $release
: >"$host/etc/os-release"
expect prep-unknown 1 "no package of this distribution is known for: make the headers of kernel $release" prep --root "$host" $release
printf '#!/bin/sh\necho "apt-get got: $*"\n' >"$SCRATCH/hosts/apt-get"; chmod +x "$SCRATCH/hosts/apt-get"
if [ "$(id -u)" -eq 0 ]; then
	expect prep-installs 1 "apt-get got: install -y linux-headers-$release
" env PATH="$SCRATCH/hosts:$PATH" "$SOURCE/translator/target/stap-prep" $release
	expect prep-tells-what-stays 1 "still missing: linux-headers-$release" env PATH="$SCRATCH/hosts:$PATH" "$SOURCE/translator/target/stap-prep" -q $release
else
	skip options/prep-installs root
	skip options/prep-tells-what-stays root
fi
expect prep-misuse 2 'Usage: stap-prep' prep --what
expect servers 1 'compile servers are not supported' "$STAP" --use-server -e "$begin"

expect poison-cache 0 'compiled C into' unoptimised user -v --poison-cache -e "$begin"
expect poison-cache-again 0 'compiled C into' unoptimised user -v --poison-cache -e "$begin"
expect tmpdir 0 hello unoptimised bash -c "mkdir '$SCRATCH/kept' && '$STAP' --runtime=user --disable-cache --tmpdir='$SCRATCH/kept' -e '$begin' && ls '$SCRATCH/kept' | grep -q ."
touch "$SCRATCH/file"
expect tmpdir-file 1 "--tmpdir=$SCRATCH/file: Not a directory" user --tmpdir="$SCRATCH/file" -e "$begin"
expect include-file 1 "-I $SCRATCH/file: Not a directory" user -I "$SCRATCH/file" -e "$begin"
expect include-missing 1 "-I $SCRATCH/none: No such file or directory" user -I "$SCRATCH/none" -e "$begin"
expect tmpdir-missing 1 '--tmpdir=' user --tmpdir="$SCRATCH/none" -e "$begin"
expect rlimit 0 hello user --rlimit-cpu=60 --rlimit-fsize=100000000 -e "$begin"
expect rlimit-bad 1 '--rlimit-cpu takes a number' user --rlimit-cpu=x -e "$begin"
expect run-e 0 hello user -e "$begin"
expect verbose-five-passes 0 'Pass 5: run completed in' user -v -e "$begin"
expect extra-script 0 second user -e "$begin" -E 'probe begin(-1) { println("second") }'
expect stdin 0 hello bash -c "echo '$begin' | '$STAP' --runtime=user -"
expect target-command 0 'target 1' user -e 'probe begin { println("target ", target() > 0) exit() }' -c true
expect global-set 0 'n is 9' user -G n=9 -e 'global n = 1 probe begin { println("n is ", n) exit() }'
expect global-gives-type 0 'text abc' user -G x=abc -e 'global x probe begin { println("text ", x) exit() }'
expect global-gives-number 0 'number 17' user -G x=0x10 -e 'global x probe begin { println("number ", x + 1) exit() }'
expect global-unknown 0 'WARNING: -G nosuch: ignored' user -G nosuch=9 -e "$begin"
expect timeout 0 ended user -T 0.05 -e 'probe end { println("ended") }'
expect output-file 0 hello bash -c "'$STAP' --runtime=user -o '$SCRATCH/o' -e '$begin' && cat '$SCRATCH/o'"
expect pass1 0 'probe begin' "$STAP" -p1 --runtime=user -e "$begin"
expect pass2 0 '# probes' "$STAP" -p2 --runtime=user -e "$begin"
expect pass3 0 '#include "generated.h"' "$STAP" -p3 --runtime=user -e "$begin"
expect terminated-while-busy 124 '' bash -c "timeout -k 300 0.3 '$STAP' --runtime=user - < <(sleep 5)"
expect include 0 'from my library' bash -c "mkdir -p '$SCRATCH/lib' && echo 'function mine() { println(\"from my library\") }' >'$SCRATCH/lib/mine.stp' &&
	'$STAP' --runtime=user -I '$SCRATCH/lib' -e 'probe begin { mine() exit() }'"
expect private-elsewhere 1 'note: "mine_only" is private to the file' bash -c "mkdir -p '$SCRATCH/lib2' && echo 'private function mine_only() { }' >'$SCRATCH/lib2/mine.stp' &&
	'$STAP' --runtime=user -I '$SCRATCH/lib2' -e 'probe begin { mine_only() }'"
for use in 'hidden[1]' '@count(hidden)' hidden; do
	expect "private-elsewhere-$use" 1 'note: "hidden" is private to the file' bash -c "echo 'private global hidden function show() { return hidden[1] }' >'$SCRATCH/lib2/show.stp' &&
		'$STAP' --runtime=user -I '$SCRATCH/lib2' -e 'probe begin { println($use, show()) }'"
done
expect error-of-addition 1 'at <-E>:1:7' user -e "$begin" -E 'probe nosuch {}'
expect error-of-second-addition 1 'at <-E 2>:1:7' user -e "$begin" -E "$begin" -E 'probe nosuch {}'
expect no-warnings 0 hello user -w -e "$begin"
expect disable-cache 0 hello unoptimised user --disable-cache -e "$begin"
expect unwritable-cache 0 hello unoptimised env SYSTEMTAP_DIR=/proc/none "$STAP" --runtime=user -e "$begin"
expect parse-error 1 'Pass 1: parse failed' user -e 'probe begin { x = }'
expect semantic-error 1 'Pass 2: analysis failed' user -e 'probe begin { nosuchfunction() }'
expect interrupts-at-once 0 'the end' timeout -k 2 300 bash -c "rm -f '$SCRATCH/pid'; '$STAP' --runtime=user -e 'probe begin { println(stp_pid()) } probe end { println(\"the end\") }' >'$SCRATCH/pid' & until [ -s '$SCRATCH/pid' ]; do sleep 0.05; done
	read -r pid <'$SCRATCH/pid'; kill -STOP \$pid; for i in INT TERM HUP CONT; do kill -\$i \$pid; done; wait \$!; cat '$SCRATCH/pid'"
cat >"$SCRATCH/lint-a.stp" <<<'probe begin { println("a") exit() }'
cat >"$SCRATCH/lint-b.stp" <<<'global unused probe begin { println("b") exit() }'
cat >"$SCRATCH/lint-c.stp" <<<'global unused probe begin { println("c") exit() }'
expect lint-files 1 'lint-c.stp:1:8' "$STAP" --lint "$SCRATCH"/lint-{a,b,c}.stp
expect lint-files-good 0 '' "$STAP" --lint "$SCRATCH"/lint-{a,a}.stp
expect eaten-by-the-shell 0 "println() prints an empty line; if it had an argument \$name, the shell replaced it" "$STAP" -p1 -e 'probe vfs.read { println() }'
expect eaten-by-the-shell-escaped 0 "the shell replaced it" "$STAP" -p1 -e "probe kernel.function(\"vfs_read\") { println() }"
expect empty-line-is-not-eaten 0 '' bash -c "! '$STAP' -p1 -e 'probe vfs.read { println() println(\"x\") }' 2>&1 | grep WARNING"
expect lint-empty-line 0 '' bash -c 'echo "probe timer.s(1) { println() } probe kernel.function(5) { println() }" | "$0" --lint - && "$0" --lint -e "probe begin { println() exit() }"' "$STAP"
# A name is checked before the script is translated.
expect unknown-output-format 1 'unknown output format "htm"; use one of text, json, ' "$STAP" -p2 --output=htm:page -e "$begin"
expect unknown-format-of-f 1 'unknown output format "yaml"; use one of text, json, ' "$STAP" -p2 -f yaml -e "$begin"
expect example-without-empty-probe 0 '' bash -c "! '$STAP' -p1 --example stalls 2>&1 | grep -E 'WARNING|probe begin'"
expect two-outputs 1 "two outputs are written to $SCRATCH/./same; give each a file of its own" user -o "$SCRATCH/same" --output=json:"$SCRATCH/./same" -e "$begin"
expect function-without-call 0 'variable "execname": write execname(), which is a function' user -p2 -e 'probe begin { if (execname == "sh") println(1) exit() }'
# A compiler that receives the interrupt of the terminal, as stap does, and fails in some way.
mkdir -p "$SCRATCH/interrupted"
printf '#!/bin/sh\nkill -INT $PPID\nsleep 0.1\necho internal compiler error\nexit 4\n' | tee "$SCRATCH/interrupted/gcc" >"$SCRATCH/interrupted/make"
chmod 755 "$SCRATCH"/interrupted/*
compile_interrupted() { PATH=$SCRATCH/interrupted:$PATH SYSTEMTAP_DIR=$SCRATCH/interrupted/cache "$STAP" "$@" -p4 -e "$begin" 2>&1 | sed 's/^/said /'; ! grep -q 'bug\|compiler error' "$SCRATCH/out"; }
expect compiler-interrupted 0 'said Interrupted' compile_interrupted --runtime=user
expect make-interrupted 0 'said Interrupted' compile_interrupted -r "$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)"
# stap does not wait for a compiler that takes longer than a second to end.
printf '#!/bin/sh\nkill -INT $PPID\nexec sleep 3\n' >"$SCRATCH/interrupted/gcc"
expect compiler-interrupted-slowly 0 'said Interrupted' compile_interrupted --runtime=user
# A reader that closes the output early leaves no temporary directory behind.
mkfifo "$SCRATCH/closed"
expect output-closed 141 '' bash -c "exec 4<>'$SCRATCH/closed' 3>'$SCRATCH/closed' 4<&-; exec '$STAP' --runtime=user -p3 -e '$begin' >&3"
# If standard descriptors are closed, no other file is opened as one of them, into which messages or output would be
# written.
mkdir -p "$SCRATCH/streams"
printf '#!/bin/sh\nreadlink /proc/$PPID/fd/[012] | sed "s/^/stream /" >>%s/seen\nexit 1\n' "$SCRATCH/streams" >"$SCRATCH/streams/gcc"
chmod 755 "$SCRATCH/streams/gcc"
closed_streams() {
	PATH=$SCRATCH/streams:$PATH SYSTEMTAP_DIR=$SCRATCH/streams/cache "$STAP" --runtime=user -p4 -e "$begin" <&- >&- 2>&-
	sort "$SCRATCH/streams/seen" | uniq -c | awk '{ $1 = $1 % 3; print }'
}
expect streams-closed 0 '0 stream /dev/null' closed_streams
# Nor does the limit of the file size, which would send a signal.
beyond_limit() { (ulimit -f 1; exec "$@" >"$SCRATCH/limited"); }
expect output-beyond-limit 1 'ERROR: cannot write to standard output: File too large' beyond_limit "$STAP" --runtime=user -p3 -e "$begin"
long='function twenty() { for (i = 0; i < 20; i++) println("a line of thirty-two characters") } probe begin { twenty() exit() }
	probe end { twenty() } probe end { twenty() }'
expect script-output-beyond-limit 1 'ERROR: cannot write the output
WARNING: Records of output not written: 2 (' beyond_limit "$(user -p4 -e "$long")"
expect keep 0 'Keeping temporary directory' bash -c "TMPDIR='$SCRATCH' '$STAP' -k --runtime=user -e '$begin' 2>&1 | tee '$SCRATCH/keep'; ls -d \$(sed -n 's/.*\"\\(.*\\)\".*/\\1/p' '$SCRATCH/keep')"
release=$(printf '%s\n' /lib/modules/*/build | head -n 1 | cut -d/ -f4)
! wanted_some cache- || . "$TESTS/options/cache.sh"
! wanted_some cache-shared || . "$TESTS/options/cache_shared.sh"
! wanted_some key- || . "$TESTS/options/cache_keys.sh"
! wanted_some progress || . "$TESTS/options/progress.sh"
! wanted_some background || . "$TESTS/options/background.sh"
! wanted_some guest || . "$TESTS/options/guest.sh"
! wanted_some complete || . "$TESTS/options/complete.sh"
! wanted_some prompt || . "$TESTS/options/prompt.sh"
! wanted_some doctor || . "$TESTS/options/doctor.sh"
! wanted_some packages || . "$TESTS/options/kernel_files.sh"
! wanted_some sign || . "$TESTS/options/sign_module.sh"
! wanted_some bundle || . "$TESTS/options/bundle.sh"
! wanted_some export || . "$TESTS/options/export.sh"
! wanted_some files || . "$TESTS/options/files.sh"
# The size of the generated C is linear in the size of the script, for each shape of bench/growth.
expect growth-of-generated-c 0 'nesting -p3' env STAP="$STAP" RELEASE="$release" "$SOURCE/bench/growth" --bytes
# Compilers take more than linear time for one function: with twice the statements, the longest function of a long
# handler does not become longer.
long_handler() { # STATEMENTS: the lines of the longest C function
	{ echo 'global a; probe end {'; for ((i = 0; i < $1; i++)); do echo "a[$i % 9] <<< $i; x$((i % 9)) += $i"; done; echo 'println(x0) }'; } |
		"$STAP" -p3 --runtime=user - | awk '/^{/ { from = NR } /^}$/ { if (NR - from > most) most = NR - from } END { print most }'
}
for n in 1000 2000; do
	expect "long-handlers-in-parts-$n" 0 '' eval "test \"\$(long_handler $n)\" -lt 500"
done
# The reason why an optional point is absent is not printed, so it is not determined: 2,000 such points take at most
# four times as long as the same number of probes of a timer.
least_time() { # FORMAT OF A PROBE, NUMBER: user time in ms, the least of three runs
	local format=$1 run TIMEFORMAT=%U
	{ eval "printf '$format { next }\n' {1..$2}"; echo 'probe timer.s(1) { next }'; } >"$SCRATCH/points.stp"
	for run in 1 2 3; do
		: "$run"
		{ time "$STAP" -r "$release" -p2 "$SCRATCH/points.stp" >/dev/null 2>&1; } 2>&1
	done | sort -n | head -n 1 | tr -d .
}
optional_points() {
	local absent='probe kernel.function("nope_%d_")?' timers='probe timer.s(1%d)'
	[ "$(least_time "$absent" 2000)" -lt "$((10#$(least_time "$timers" 8000)))" ]
}
expect absent-points-are-cheap 0 '' optional_points
# A chain of operators is a tree as deep as the chain is long: the passes require a larger stack than the default.
many_operators() { # COMMAND...: with a script on standard input
	{ printf 'probe begin { println('; printf 'randint(1) + %.0s' {1..19990}; echo '0) }'; } | "$@"
}
expect operators-20000 0 '' many_operators bash -c "ulimit -S -s 8192; '$STAP' -p3 --runtime=user - >/dev/null"
expect operators-small-stack 1 'more than 5242 operators; raise the limit of the stack (ulimit -s)' \
	many_operators bash -c "ulimit -s 8192; '$STAP' -p3 --runtime=user -"
expect clean-cache 0 '' "$STAP" --clean-cache
expect cross-release-missing 1 'the kernel "1.2.3-none" is not installed on this host' "$STAP" -p4 -r 1.2.3-none -e "$begin"
expect other-release-is-not-run 0 'built, not run' bash -c "cd '$SCRATCH' && '$STAP' -r '$release' -e '$begin'"
pointer='global p probe kernel.function("vfs_read") { p = $file }'
expect compatible-pointer-shown 0 '"p=%d\n"' "$STAP" -r "$release" -v -p2 --compatible=1.3 -e "$pointer"
expect incompatible-pointer-shown 0 '"p=%#x\n"' "$STAP" -r "$release" -v -p2 --compatible=1.4 -e "$pointer"
global='probe kernel.function("vfs_read").return { println(@var("jiffies@kernel/time/timer.c", "kernel")) }'
if [ -e "/usr/lib/debug/boot/vmlinux-$release" ]; then
	cast="probe process(\"$(realpath "$STAP")\").function(\"main\") { println(@cast(\$argv, \"options\")->guru) }"
	expect compatible-cast 1 "unable to find the type \"options\" in DWARF of /usr/lib/debug" "$STAP" -r "$release" -p2 --compatible=4.2 -e "$cast"
	expect incompatible-cast 0 '# probes' "$STAP" -r "$release" -p2 --compatible=4.3 -e "$cast"
	expect compatible-global 0 'println(@entry(' "$STAP" -r "$release" -v -p2 --compatible=4.0 -e "$global"
	expect incompatible-global 0 'println(@kderef(' "$STAP" -r "$release" -v -p2 --compatible=4.1 -e "$global"
else
	skip options/compatible-global "debuginfo of $release"
fi
[ "$(id -u)" -ne 0 ] || expect module-missing 1 'No such file' "$BUILD/staprun/staprun" /nonexistent/x.ko
if [ ! -e /proc/modules ]; then
	expect kernel-without-modules 1 '--runtime=user' "$STAP" --runtime=kernel -e "$begin"
fi

# In a virtual machine: output, exit status and the last messages of its kernel are returned.
if command -v qemu-system-x86_64 >/dev/null && [ -e "/boot/vmlinuz-$release" ]; then
	expect vm 0 'hello' "$STAP" --vm="$release" -e "$begin"
	expect vm-command 0 "1 $(head -n 1 /etc/passwd)" "$STAP" --vm="$release" -e 'probe begin { print(target() > 0, " ") }' -c 'cat /etc/passwd'
	printf '#!/bin/sh\n/bin/echo /usr/bin/wc\n/sbin/ifconfig lo\n' >"$SCRATCH/paths.sh"
	chmod +x "$SCRATCH/paths.sh"
	expect vm-usual-paths 0 $'/usr/bin/wc\nlo ' bash -c "cd '$SCRATCH' && '$STAP' --vm=$release -e 'probe begin { println(1) }' -c ./paths.sh"
	expect vm-error 1 'ERROR: enough' "$STAP" --vm="$release" -e 'probe begin { error("enough") }'
	expect vm-oops 1 'NULL pointer dereference, address: 0000000000000008' "$STAP" --vm="$release" -g -e '
		function crash() %{ *(volatile int *)8 = 1; %} probe begin { crash() }'
else
	skip options/vm "qemu-system-x86_64 and the image of $release"
fi

# Permissions of unprivileged users' scripts.
usr() { user --privilege=stapusr "$@"; }
expect privilege-fine 0 'stapusr' usr -e 'probe begin, timer.ms(10) { println(execname(), pid(), %( systemtap_privilege == "stapusr" %? "stapusr" %: "other" %)) exit() }'
expect privilege-unprivileged 0 'hello' user --unprivileged -e "$begin"
expect privilege-c 1 "function \"kernel_string\" may not be used" usr -e 'probe begin { println(kernel_string(1)) }'
expect privilege-through 1 "function \"system\" may not be used" usr -e 'function f() { system("id") } probe begin { f() }'
expect privilege-own 1 "may be another user's in timer.ms(1)" usr -e 'probe timer.ms(1) { println(user_string(1)) }'
expect privilege-begin 1 "fault" usr -e 'probe begin { println(user_string(1)) }'
expect privilege-kernel-point 1 'probe point kernel.function("vfs_read") is not allowed' "$STAP" -r "$release" -p4 --unprivileged -e 'probe kernel.function("vfs_read") { n++ } global n'
expect privilege-profile 1 'is not allowed with --privilege' "$STAP" -r "$release" -p4 --unprivileged -e 'probe timer.profile { n++ } global n'
expect privilege-alias 1 'is not allowed with --privilege' "$STAP" -r "$release" -p4 --unprivileged -e 'probe vfs.read { n++ } global n'
expect privilege-memory 1 "reads kernel memory" "$STAP" -r "$release" -p4 --unprivileged -e 'probe begin { println(@cast(1, "task_struct", "kernel")->pid) }'
expect privilege-process 0 '# probes' "$STAP" -r "$release" -p2 --unprivileged -c true -e 'probe process.data(16).length(4).write, process("/bin/true").plt, process.syscall, process.end { println(execname()) }'
expect privilege-kernel-data 1 'is not allowed with --privilege' "$STAP" -r "$release" -p2 --unprivileged -e 'probe kernel.data(16).write { println(1) }'
expect privilege-system 0 '.ko' "$STAP" -r "$release" -p4 --privilege=stapsys -e 'probe vfs.read { n++ } global n'

# COMMAND: $SCRATCH/full is a file system with 4 kB left, in a mount namespace.
mkdir -p "$SCRATCH/full"
full() {
	# shellcheck disable=SC2016  # the inner shell expands it
	unshare -rm sh -c 'mount -t tmpfs -o size=16k none "$0" && dd if=/dev/zero of="$0/x" bs=1k count=12 2>/dev/null &&
		{ "$@"; status=$?; rm "$0/x" && [ -z "$(ls "$0" | grep -vx cache)" ] || status=99; exit $status; }' "$SCRATCH/full" "$@"
}
if unshare -rm true 2>/dev/null; then
	expect full-tmp 1 'is full or read-only; set TMPDIR to' full env TMPDIR="$SCRATCH/full" SYSTEMTAP_DIR="$SCRATCH/empty" "$STAP" --runtime=user -e "$begin"
	expect full-cache 0 hello full env SYSTEMTAP_DIR="$SCRATCH/full" "$STAP" --runtime=user -e "$begin"
	expect full-cache-warns 0 'disabled: No space left on device' full env SYSTEMTAP_DIR="$SCRATCH/full" "$STAP" --runtime=user -e "$begin"
	expect full-output 1 'no space left' full bash -c "'$STAP' --runtime=user -o '$SCRATCH/full/o' -e 'probe begin { while (i++ < 9000) print(\"123456789\\n\") exit() }'; s=\$?; rm '$SCRATCH/full/o'; exit \$s"
else
	for name in tmp cache cache-warns output; do skip "options/full-$name" 'user namespaces'; done
fi

# The destinations of output.
expect switching-value 1 "-S takes megabytes" "$STAP" -S 0 -o f -e "$begin"
expect switching-files 1 "-S takes megabytes" "$STAP" -S 1,0 -o f -e "$begin"
expect record-excludes-formats 1 '"stap report" makes these from the recorded file' "$STAP" --record -f json -e "$begin"
expect records-exclude-bulk 1 'the records of a session are one stream' "$STAP" -f json -b -e "$begin"
expect records-of-hosts 1 '-f csv cannot be used with --remote-prefix or several hosts' "$STAP" -f csv --remote=a --remote=b -e "$begin"
expect records-recorded-of-hosts 1 '--record cannot be used with --remote-prefix or several hosts' "$STAP" --record -o "$SCRATCH/recorded" --remote=a --remote=b -e "$begin"
expect records-file-of-hosts 1 '--output cannot be used with --remote-prefix or several hosts' "$STAP" -f json --output="csv:$SCRATCH/csv" --remote=a --remote=b -e "$begin"
expect records-prefix-in-json 1 'each object has the name of its host' "$STAP" -f json --remote=a --remote-prefix -e "$begin"
expect records-and-monitor 1 '--monitor and -f, --json, --output, --record or -o cannot be used together' "$STAP" -f json --monitor -e "$begin"
expect monitor-and-file 1 '--monitor and -f, --json, --output, --record or -o cannot be used together' "$STAP" -o f --monitor -e "$begin"
expect monitor-of-hosts 1 '--monitor cannot be used with --remote or --hosts without --merge, which shows the globals of all hosts' "$STAP" --monitor --remote=a --remote=b -e "$begin"
expect output-needs-file 1 '--output takes FORMAT:FILE, not "json"' "$STAP" --output=json -e "$begin"
expect json-safe-alone 1 '--json-safe requires -f json' "$STAP" --json-safe -e "$begin"
expect switching-needs-file 1 "-S requires -o" "$STAP" -S 5,2 -e "$begin"
expect recorder-command 1 "-F and -c cannot be used together" "$STAP" -F -c true -e "$begin"
expect bulk-user 1 "not supported with --runtime=user" user -b -e "$begin"
expect recorder-vm 1 "not supported with --vm" "$STAP" --vm -F -e "$begin"
expect namespaces-value 1 "--target-namespaces takes a process id" "$STAP" --target-namespaces=x -e "$begin"
expect remote-nobody 0 "0 \"\"" user -e 'probe begin { printf("%d \"%s\"\n", remote_id(), remote_uri()) exit() }'

echo 'probe begin { println("argument ", @1) } probe end { println("after ", $#) }' >"$SCRATCH/arguments.stp"
expect options-after-script 0 'argument a' user "$SCRATCH/arguments.stp" -T 0.05 a
expect arguments-after-dashes 0 'argument -T' user "$SCRATCH/arguments.stp" -T 0.05 -- -T
expect timing 0 'hits: 1, cycles: ' user -t -e "$begin"
expect timing-loop 0 'timer.ms(10), (<input>:1:7), hits: ' user -t -e 'probe timer.ms(10) { if (n++ > 3) exit() } global n'
expect suppress-errors 0 'hello' user --suppress-handler-errors -e 'probe begin { print(1 / z++) } global z probe begin { println("hello") exit() }'
expect suppress-time-guru 1 '--suppress-time-limits requires -g' user --suppress-time-limits -e "$begin"
expect suppress-time 0 '20000' user -g --suppress-time-limits -e 'probe begin { while (i < 20000) i++ println(i) exit() }'
expect make-variable 1 "-B takes a variable" "$STAP" -B 'g cc' -e "$begin"
expect make-variable-used 1 "nosuchcc-12" "$STAP" --disable-cache -p4 -r "$release" -B CC=nosuchcc-12 -e "$begin"

# Tests options of lists, limits and output, each with a valid and with an invalid value.
expect color-of-errors 1 $'\e[01;31mERROR:\e[0m wrong' user --color=always -e 'probe begin { error("wrong") }'
expect color-of-warnings 0 $'\e[00;33mWARNING:\e[0m careful' user --color=always -e 'probe begin { warn("careful") exit() }'
expect color 1 $'\e[01;31msemantic error' user --color=always -e 'probe begin { nosuch() }'
on_terminal() { TERM=$1 script -qec "'$STAP' -p2 --runtime=user -e 'probe begin { nosuch() }'" /dev/null | grep -c $'\e'; }
expect color-on-terminal 0 '' on_terminal xterm
expect color-dumb 1 0 on_terminal dumb
expect color-unwanted 1 0 env NO_COLOR=1 bash -c "STAP='$STAP'; $(declare -f on_terminal); on_terminal xterm"
mkdir -p "$SCRATCH/here"
expect user-directory-here 0 hello env SYSTEMTAP_DIR=.home bash -c "cd '$SCRATCH/here' && '$STAP' --runtime=user -e '$begin'"
expect color-bad 1 '--color takes auto, always or never' "$STAP" --color=red -e "$begin"
expect verbose-by-pass 0 'Pass 5: run completed' user --vp=00001 -e "$begin"
expect verbose-by-pass-bad 1 '--vp takes one to five digits' user --vp=x -e "$begin"
expect dump-types 0 'begin(number)' "$STAP" --dump-probe-types
expect dump-aliases 0 'dw_syscall.accept.return' "$STAP" --dump-probe-aliases
expect dump-two 1 'only one --dump option' "$STAP" --dump-probe-aliases --dump-functions
expect list 0 'begin' "$STAP" -l begin
expect list-nothing 1 '' "$STAP" -l nosuch.point
expect list-twice 1 'cannot be used together' "$STAP" -l begin -L end
expect types 0 'struct list_head {' "$STAP" -r "$release" --types=list_head
expect types-bad 1 "unable to find the type \"nosuch_x\"" "$STAP" -r "$release" --types=nosuch_x
expect types-module 0 'struct loop_device {' "$STAP" -r "$release" --types='struct loop_device@loop'
expect types-module-bad 1 'the kernel has no module "lop"' "$STAP" -r "$release" --types=loop_device@lop
expect types-nothing 1 '--types takes NAME or NAME@MODULE' "$STAP" -r "$release" --types=list_head@
# A limit that is reached is reported by name, for stap and for a tool that it runs.
uncached() { user --disable-cache -p4 "$@" -e "$begin"; }
expect rlimit-cpu 1 'ERROR: the limit of processor time is reached; raise --rlimit-cpu' user -p2 --rlimit-cpu=0 -e "
	@define m0 %( x = 1 %) $(for i in {1..16}; do printf '@define m%d %%( @m%d @m%d %%)\n' $i $((i - 1)) $((i - 1)); done) probe begin { @m16 }"
expect rlimit-as 1 'ERROR: out of memory' uncached --rlimit-as=1
expect rlimit-fsize 1 'ERROR: a program that builds the module reached a limit of resources; raise --rlimit-fsize (ulimit -f)' uncached --rlimit-fsize=5000
expect rlimit-stack 1 'raise --rlimit-stack (ulimit -s)' uncached --rlimit-stack=0
expect rlimit-stack-nested 1 "ERROR: the translator's stack is used up; raise --rlimit-stack (ulimit -s)" user -p2 --rlimit-stack=200000 -e "
	probe begin { $(printf 'if (x) {%.0s' {1..900}) x = 1 $(printf '}%.0s' {1..900}) }"
expect rlimit-as-of-file 1 'ERROR: out of memory (' "$STAP" -p2 -r "$release" --rlimit-as=100000000 -e 'probe kernel.function("vfs_read") { next }'
expect headers-named-as-written 1 'unable to find the type "nosuch" in DWARF of <sys/stat.h>' user -p2 -e 'probe begin { println(@cast(0, "nosuch", "<sys/stat.h>")->x) }'
expect types-of-header 0 '/* DWARF of <sys/stat.h> */' user --types='stat@<sys/stat.h>'
expect rlimits 0 hello user --rlimit-as=20000000000 --rlimit-nproc=1000 --rlimit-stack=8000000 -e "$begin"
for limit in as nproc stack fsize; do expect "rlimit-$limit-bad" 1 "--rlimit-$limit takes a number" user "--rlimit-$limit=x" -e "$begin"; done
expect globals-shown 0 'x=1' user -e 'global x probe begin { x = 1 exit() }'
expect globals-not-shown 0 '' bash -c "! '$STAP' --runtime=user --no-global-var-display -e 'global x probe begin { x = 1 exit() }' | grep x="
expect skip-badvars 0 '0 replaces it (--skip-badvars)' "$STAP" --skip-badvars -p2 -r "$release" -e 'probe kernel.function("vfs_read") { println($nosuch) }'
expect badvars 1 "unable to find \"\$nosuch\"" "$STAP" -p2 -r "$release" -e 'probe kernel.function("vfs_read") { println($nosuch) }'
expect entry-locks 0 'p0_entry_locks[] = {
	{ &lock_a, STP_READ, "a" },
};' "$STAP" -p3 -r "$release" -e 'global a probe kernel.function("vfs_read").return { println(@entry(a[tid()])) } probe timer.ms(10) { a[5]++ }'
expect objects 0 '# probes' "$STAP" -p2 --ldd --all-modules -d /bin/true -r "$release" -e "$begin"
expect objects-of-modules 0 '# probes' "$STAP" -p2 -d kernel -d xfs -r "$release" -e "$begin"
expect object-missing 0 "WARNING: missing unwind/symbol data for module \"/nosuch\": -d /nosuch: no such file" "$STAP" -p2 -d /nosuch -r "$release" -e "$begin"
expect object-missing-too 0 'vfs_read' "$STAP" -p3 -d /nosuch -d xfs --ldd -r "$release" -e 'probe kernel.function("vfs_read") { print_backtrace() print_ubacktrace() exit() }'
expect libraries-of-command 0 'libc.so.6", .id' "$STAP" -p3 -r "$release" -c /bin/cat -e 'probe kernel.function("vfs_read") { print_ubacktrace() exit() }'
expect libraries-of-process 0 'libc.so.6", .id' bash -c 'sleep 600 & "$0" -p3 -r "$1" -x $! -e '"'"'probe kernel.function("vfs_read") { print_ubacktrace() exit() }'"'"'; status=$?; kill $!; exit $status' "$STAP" "$release"
expect object-misspelt 0 '-d xfss: neither a file nor a module of the kernel (similar: xfs' "$STAP" -p2 -d xfss -r "$release" -e "$begin"
expect object-of-no-program 0 '-d /etc/passwd: not a program' user -p2 -d /etc/passwd -e "$begin"
expect object-for-programs 0 '-d ext4: no such file' user -p2 -d ext4 -e "$begin"
mkdir -p "$SCRATCH/share/systemtap/examples/one" "$SCRATCH/share/systemtap/examples/two"
echo 'probe begin { println("an example ", @1) exit() }' | tee "$SCRATCH/share/systemtap/examples/one/hello.stp" "$SCRATCH/share/systemtap/examples/one/both.stp" \
	"$SCRATCH/share/systemtap/examples/two/both.stp" >/dev/null
example() { XDG_DATA_DIRS=/nosuch:$SCRATCH/share user "$@"; }
expect example 0 'an example x' example --example hello.stp x
expect example-by-value 0 'an example x' example --example=hello.stp x
expect example-by-path 0 'an example x' example --example two/both.stp x
expect example-twice 1 'example name "both.stp" is ambiguous' example --example both.stp x
expect example-misspelt 1 'example "helo.stp" not found (similar: hello.stp' example --example helo.stp
expect example-list 0 "files
  cachestat      How well does the page cache work?" "$STAP" --example
expect example-list-others 0 "also runs the 3 examples of SystemTap in systemtap/examples below /nosuch:$SCRATCH/share" example --example
expect example-show 0 '# Replaces: biosnoop of BCC and bpftrace, blktrace' "$STAP" --example biosnoop --show
expect example-show-other 0 'println("an example ", @1)' example --example=hello --show
expect example-show-nothing 1 "--show requires --example NAME" "$STAP" --show
expect example-mentioned 1 'example "which task sleeps" not found; descriptions that mention it:
  cpu/stalls             Which tasks sleep uninterruptibly (state D), on what, and for how long?' "$STAP" --example "which task sleeps"
expect example-question-of-program 1 'descriptions that mention it:
  cpu/offcpu             Where does a program wait?' "$STAP" --example "my program stalls"
expect example-word-begins 1 'example "stall" not found (similar: stalls); descriptions that mention it:
  cpu/stalls             Which tasks sleep uninterruptibly (state D), on what, and for how long?' "$STAP" --example stall
expect example-question 1 'files/writers          Which process writes to this file, and how much?' "$STAP" --example "who writes"
expect example-misspelt-own 1 '"opensnop" not found (similar: opensnoop' "$STAP" --example opensnop
expect example-directory 1 '"disk/" is a directory of examples; name one of its scripts:
  disk/biolatency ' "$STAP" --example=disk/
expect example-usage 1 "Usage: stap --example latency PROGRAM FUNCTION PARAMETER [-c COMMAND | -x PID]; PARAMETER is written as '\$name'" user --example latency -p1
expect example-lacks-arguments 1 '--example latency lacks FUNCTION PARAMETER; --example latency --show' user --example latency /bin/cat
expect example-lacks-process 1 '--example trace lacks -c COMMAND (or -x PID); --example trace --show' "$STAP" --example trace
expect example-lacks-command 1 '--example callgraph lacks PATTERN -c COMMAND; ' "$STAP" --example callgraph vfs_read
expect example-process-of-pass 0 'target_set_pid(pid())' "$STAP" --example trace -p1
expect target-without-process 0 'WARNING: target() is 0: select a process by -c COMMAND or -x PID' user -e 'probe begin { if (pid() == target()) println(1) exit() }'
expect target-may-be-zero 0 'done' user -e 'probe begin { if (!target() || pid() == target()) println("done") exit() }'
if wanted target-with-command; then
	report options/target-with-command "$(user -e 'probe begin { if (pid() == target()) println(1) }' -c true 2>&1
		user -e 'probe begin { if (!target() || pid() == target()) exit() }' 2>&1; user -p4 -e 'probe begin { if (pid() == target()) exit() }' 2>&1 | grep WARNING)"
fi
expect example-usage-in-the-middle 1 'Usage: stap --output=svg:calls.svg --example callflow FUNCTION PATTERN -c COMMAND; ' user --example callflow -p1
expect example-limit 0 'MAXSTRINGLEN 2048' bash -c "echo 'MAXSTRINGLEN' \$('$STAP' --runtime=bpf --example offcpu -p3 -x 1 | sed -n 's/.*STP_STRLEN \([0-9]*\).*/\1/p')"
expect example-limit-given 0 'MAXSTRINGLEN 700' bash -c "echo 'MAXSTRINGLEN' \$('$STAP' --runtime=bpf --example offcpu -DMAXSTRINGLEN=700 -p3 -x 1 | sed -n 's/.*STP_STRLEN \([0-9]*\).*/\1/p')"
expect example-empty 1 '--example= lacks the name of a script; stap --example lists them' "$STAP" --example=
expect example-and-text 1 '--example and -e or -l cannot be used together' "$STAP" --example -e "$begin"
expect follow 0 'if (!__is_followed(pid()))' "$STAP" -v --follow -p2 -r "$release" -e 'probe kernel.trace("sched_switch") { if (pid() != target()) next; println(target() == 0) }'
expect follow-number 0 'target() == 0' "$STAP" -v --follow -p2 -r "$release" -e 'probe kernel.trace("sched_switch") { println(target() == 0) }'
expect follow-no-target 1 '--follow requires -c or -x' "$STAP" --follow -e "$begin"
expect follow-no-kernel 1 '--follow requires the kernel' user --follow -c true -e "$begin"
expect exclude-self 0 '__is_another_program:long ()' "$STAP" --exclude-self -p2 -r "$release" -e 'probe kernel.trace("sched_switch") { println(1) }'
expect exclude-self-not-in-timers 0 '' bash -c "! '$STAP' --exclude-self -p2 --runtime=user -e 'probe timer.s(1) { println(1) }' | grep another"
expect from-bpftrace 0 'probe kernel.function("vfs_read").call {' "$STAP" --runtime=user --from=bpftrace -e 'kprobe:vfs_read { @[comm] = count(); }'
expect from-nothing 1 "--from takes bpftrace, the language that scripts are translated from, not \"dtrace\"" "$STAP" --from=dtrace -e 'x'
expect from-part 1 'the builtin "numaid" has no equivalent' "$STAP" --runtime=user --from=bpftrace -e 'BEGIN { print(numaid); }'
expect monitor-bad 1 '--monitor takes a number of seconds' "$STAP" --monitor=0 -e "$begin"
expect monitor-of-lists 1 "--monitor and -l, -L or --dump options cannot be used together" "$STAP" --monitor -l 'timer.ms(1)'
expect monitor-of-dumps 1 "--monitor and -l, -L or --dump options cannot be used together" "$STAP" --monitor --dump-functions
expect refused-build-as 1 "stap: --build-as is refused: " "$STAP" --build-as=nobody -e "$begin"
expect sysroot-missing 1 "--sysroot=/no/such: No such file or directory" "$STAP" --sysroot=/no/such -p4 -e "$begin"
expect sysroot-file 1 "--sysroot=/etc/passwd: Not a directory" "$STAP" --sysroot=/etc/passwd -p4 -e "$begin"
expect sysroot-here 0 hello user --sysroot=/ -e "$begin"
expect sysroot-without-kernel 1 "--sysroot has no kernel in /lib/modules; give the release with -r" "$STAP" --sysroot="$SCRATCH/streams" -p4 -e "$begin"
expect sysroot-in-vm 1 "--sysroot and --vm cannot be used together" "$STAP" --sysroot="$SCRATCH" --vm -e "$begin"
expect sysroot-of-process 1 "--sysroot and -x cannot be used together" "$STAP" --sysroot="$SCRATCH" -x 1 -e "$begin"
expect sysenv-form 1 "--sysenv takes NAME=VALUE, not \"PATH\"" "$STAP" --sysenv=PATH -p4 -e "$begin"
expect refused-client-options 1 'compile servers are not supported' "$STAP" --client-options=x -e "$begin"
expect save-uprobes 0 hello user --save-uprobes -e "$begin"
expect benchmark 0 '2 threads, 1000 rounds' "$STAP" --benchmark-sdt-loops=1000 --benchmark-sdt-threads=2 --benchmark-sdt
expect benchmark-loops 1 '--benchmark-sdt-loops takes a number' "$STAP" --benchmark-sdt-loops=-1 --benchmark-sdt
expect benchmark-threads 1 '--benchmark-sdt-threads takes a number' "$STAP" --benchmark-sdt-threads=0 --benchmark-sdt
for option in --list-servers --trust-servers --use-http-server; do expect "refused$option" 1 'compile servers are not supported' "$STAP" $option -e "$begin"; done
expect unoptimised 0 'if (0)' user -v -p2 -u -e 'probe begin { if (0) println(1) }'
