# SPDX-License-Identifier: GPL-2.0-or-later
# --lint: the warnings of each script by their names, a script that permits a warning, and the example scripts,
# which have none. Read by run.sh, needs "$STAP".

check() { # NAME-OF-WARNING... -- SCRIPT [ARGUMENT...]
	local want='' got status=0
	for (( ; ; )); do
		[ "$1" != -- ] || break
		want+=" $1"
		shift
	done
	"$STAP" --lint -e "$2" "${@:3}" >"$SCRATCH/err" 2>&1 </dev/null || status=$?
	got=$(sed -n 's/^WARNING: .*\[\([a-z-]*\)\]: at .*/ \1/p' "$SCRATCH/err" | tr -d '\n')
	[ "$got/$status" = "$want/$((${#want} > 0))" ] || wrong+="$2: wanted$want, found$got, status $status"$'\n'
}

lint_checks() {
	local wrong='' hot='probe kernel.trace("sched_switch")' b='probe begin {'
	check -- "$b exit() }"
	check unused-global -- "global a, b $b b = 1 print(b) }"
	check -- "global a function f(x:long) %{ STAP_GLOBAL_SET_a(1); %} $b f(1) }"
	check never-written -- "global a $b print(a[1]) }"
	check never-written -- "global a $b delete a }"
	check -- "global a = 5, b $b print(a, b) }" -G b=3
	check never-written -- "global b $b print(b) }"
	check never-deleted -- 'global a probe vfs.read { a[tid()] = 1 } probe vfs.read.return { print(a[tid()]) }'
	check -- 'global a probe vfs.read { a[tid()] = 1 } probe vfs.read.return { print(a[tid()]) delete a[tid()] }'
	check -- 'global a% probe vfs.read { a[tid()] = 1 } probe vfs.read.return { print(a[tid()]) }'
	check unread-variable -- "$b x = 1 }"
	check unread-variable -- "$b x++ }"
	check -- "$b x = 1 print(x) foreach_key = 2 _y = 3 print(foreach_key) }"
	check -- 'probe a = begin { x = 1 } probe a { print(x) }'
	check unused-function -- "function f() { return 1 } $b exit() }"
	check unused-parameter -- "function f(x, _y) { return 1 } $b print(f(1, 2)) }"
	check constant-condition -- "$b if (1) exit() }"
	check constant-condition -- "global n $b n = 1 if (n == n) exit() }"
	check constant-condition -- "$b while (1) print(2) }"
	check constant-condition -- "$b print(0 && pid() ? 1 : 2) }"
	check -- "$b while (1) { if (pid()) break } }"
	check -- "$b if (\$1 > 0 || \$2) exit() }"
	check assigned-condition -- "$b if (x = pid()) print(x) }"
	check costly-probe frequent-output -- 'probe kernel.function("*") { println(1) }'
	check costly-probe -- 'probe kernel.trace("*:*") { exit() }'
	check -- 'probe kernel.function("*@fs/open.c") { if (pid() != target()) next println(1) }'
	check frequent-output -- "$hot { println(1) }"
	check frequent-output -- 'probe syscall.* { println(name) }'
	check -- "$hot { if (pid() == 1) println(1) }" 
	check -- 'probe syscall.open { println(name) }'
	check shared-counter -- "global a $hot { a[pid()]++ }"
	check shared-counter -- "global a $hot { a[pid()] += 2 }"
	check -- "global a $hot { a[pid()]++ } probe end { a[1] = 0 }"
	check -- "global a $hot { a[pid()] <<< 1 }"
	# embedded C uses k by STAP_GLOBAL_GET_k and m by a marker; "count" only contains the letter n
	check unused-global -- "global n, m, k function f() %{ /* pragma:read:m */ int count = STAP_GLOBAL_GET_k(); %} $b f() }" \
		-g
	check -- $'# lint:unused-global\nglobal a\nprobe begin { exit() }'
	check unused-global -- $'# lint:unused-global\n\nglobal a\nprobe begin { exit() }'
	[ -z "$wrong" ] && ok parse/checks || not_ok parse/checks "$wrong"
}
! wanted checks || lint_checks

if wanted checks-examples; then
	found=$(for file in "$SOURCE"/examples/*/*.stp; do "$STAP" --lint "$file" 2>&1 </dev/null; done)
	[ -z "$found" ] && ok parse/checks-examples || not_ok parse/checks-examples "$found"
fi

if wanted checks-errors; then
	"$STAP" --lint -e 'probe begin { x = }' >"$SCRATCH/err" 2>&1 </dev/null
	[ $? = 1 ] && grep -q '^parse error' "$SCRATCH/err" && ok parse/checks-errors || not_ok parse/checks-errors "$(<"$SCRATCH/err")"
fi
