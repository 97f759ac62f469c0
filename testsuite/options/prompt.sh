# SPDX-License-Identifier: GPL-2.0-or-later
# -i: commands from standard input, and on a pseudo-terminal with an interrupt, an editor and completion. Read by run.sh.

if wanted prompt-commands; then
	got=$(printf '%s\n' 'global n' 'probe begin {' ' n = 5' ' println("n is ", n)' ' exit()' '}' 'probe begin { x = = }' 'probe begin { nosuch() }' \
		list run 'delete 1' delete 'delete 7' 'delete 8iV' 'delete all' list 'probe begin { println(2) exit() }' "save $SCRATCH/saved.stp" 'delete all' "load $SCRATCH/saved.stp" \
		'set -v' show run quit list | "$STAP" -i --runtime=user 2>"$SCRATCH/err"; echo "status $?")
	want='1: global n
2: probe begin {
 n = 5
 println("n is ", n)
 exit()
}
n is 5
--runtime=user -v 
2
status 1'
	if [ "$got" = "$want" ] && [ "$(grep -cx 'not added' "$SCRATCH/err")" = 2 ] && grep -q 'parse error: expected an expression' "$SCRATCH/err" &&
		grep -q 'unresolved function "nosuch".*: at <input>:' "$SCRATCH/err" && grep -q 'invalid number "7"' "$SCRATCH/err" && grep -q 'invalid number "8iV"' "$SCRATCH/err" &&
		grep -q 'invalid number ""' "$SCRATCH/err" && grep -q '^Pass 5: run completed' "$SCRATCH/err"; then
		ok options/prompt-commands
	else
		not_ok options/prompt-commands "$got
$(<"$SCRATCH/err")"
	fi
fi

# The kernel does not take an argument of 128 KiB.
if wanted prompt-long; then
	{ printf 'probe begin { println(0x12ef) exit() } #'; head -c 200000 /dev/zero | tr '\0' x; printf '\nrun\n'; } >"$SCRATCH/long"
	got=$("$STAP" -i --runtime=user <"$SCRATCH/long" 2>&1)
	if [ "$got" = 4847 ]; then ok options/prompt-long; else not_ok options/prompt-long "$(head -c 600 <<<"$got")"; fi
fi

# Options of one run and of all runs, split as by a shell; arguments that a command does not accept.
if wanted prompt-options; then
	got=$(printf '%s\n' "set -D 'MAXERRORS=7' -DMAXSTRINGLEN=100" 'probe begin { println("ran") exit() }' 'run -p3 -v' 'run "' 'list all' show |
		"$STAP" -i --runtime=user 2>"$SCRATCH/err"; echo "status $?")
	if grep -q '\.errors = 7' <<<"$got" && ! grep -qx ran <<<"$got" && [ "$(tail -n 2 <<<"$got")" = '--runtime=user -D MAXERRORS=7 -DMAXSTRINGLEN=100 
status 1' ] && grep -q 'list takes no argument: all' "$SCRATCH/err" && grep -q 'cannot divide the options' "$SCRATCH/err"; then
		ok options/prompt-options
	else
		not_ok options/prompt-options "$got
$(<"$SCRATCH/err")"
	fi
fi

if wanted prompt-terminal; then
	if got=$(python3 "$TESTS/options/prompt.py" "$STAP" 2>&1); then ok options/prompt-terminal; else not_ok options/prompt-terminal "$got"; fi
fi
