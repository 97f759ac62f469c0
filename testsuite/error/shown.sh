# SPDX-License-Identifier: GPL-2.0-or-later
# The format of messages, their selection, repetition and colours. Read by run.sh.

translate_with() { # SCRIPT OPTION...
	local script=$1
	shift
	status=0
	"$STAP" -p2 --runtime=user "$@" -e "$script" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null || status=$?
}
# is NAME STATUS COMMAND...: checks the exit status and the output of the command, which reads the messages
is() {
	local name=error/shown-$1 want=$2 text=$3
	shift 3
	if [ "$status" -ne "$want" ]; then
		not_ok "$name" "exit status $status, not $want: $(cat "$SCRATCH/err")"
	elif [ "$("$@" <"$SCRATCH/err")" = "$text" ]; then
		ok "$name"
	else
		not_ok "$name" "wanted: $text
$(cat -v "$SCRATCH/err")"
	fi
}
shown() { grep -c '^[a-z]* error: '; }
has() { grep -qF -- "$1" && echo yes; }
nth() { sed -n "$1p"; }

many='probe begin {'
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do many+=" f$n()"; done
translate_with "$many }"
is ten-errors 1 10 shown
is the-rest-is-counted 1 yes has '2 more errors not shown; -v shows all'
translate_with "$many }" -v
is all-with-v 1 12 shown
translate_with "probe begin { f1() f2() f3() f4() f5() f6() f7() f8() f9() f10() f11() }"
is one-more 1 yes has '1 more error not shown'
translate_with 'probe begin { 1 = } global 5 function f( { } probe end { x = } probe never { println(1) }'
is all-of-pass-1 1 5 shown
translate_with 'probe begin { f1() } probe end { g = 1 + "a" x[1] = 2 }'
is all-of-a-step 1 2 shown

translate_with 'probe a = begin { nosuch() } probe a { x = 1 println(x) } probe a { y = 1 println(y) }'
is same-error-once 1 1 shown
translate_with "probe a = begin { nosuch() } probe a { x = 1 println(x) } probe a { y = 1 println(y) }" -v
is none-left-with-v 1 0 grep -c 'not shown'
translate_with 'probe a = begin { println(unset + 1) } probe a { println(1) } probe a { println(2) }'
is same-warning-once 0 1 grep -c 'never-assigned'
translate_with 'probe begin { println(unset + 1) }' -w
is no-warnings 0 '' cat
translate_with 'probe begin { println(unset + 1) }' -W
is warnings-are-errors 1 1 grep -c '^semantic error: never-assigned'
translate_with 'probe begin { println(1) }' -W
is nothing-to-warn-of 0 '' cat

"$STAP" -p1 --runtime=user -e 'probe begin { println($1) }' 1 two three >/dev/null 2>"$SCRATCH/err"
status=$?
is unused-arguments 0 2 grep -c 'the script does not use its argument'

translate_with 'global __privat probe begin { println(__privat) }'
is no-advice-for-a-declared-global 1 0 grep -c 'note: '

translate_with "$(printf 'probe begin\n{\n\tif (1)\tx = ;\n}')"
is place 1 "parse error: expected an expression, found \";\": at <input>:3:13" nth 1
is source-line 1 "$(printf '        source: \tif (1)\tx = ;')" nth 2
is caret-under-tabs 1 "$(printf '                \t      \t    ^')" nth 3
translate_with "probe begin { println(\"$(printf '%0500d' 0)\" + 1) }"
is long-line 1 400 awk '/source:/ { print length($0) - length("        source: ") }'
translate_with 'probe begin { x = '
is end-of-file 1 "parse error: expected an expression, found the end of the file: at <input>:1:19" nth 1
translate_with 'global a probe begin { a = 1 } probe end { a = "x" }'
is second-place 1 "    note: \"a\" is a long because of this use: at <input>:1:24" grep note:
translate_with 'probe begin { local x = 42 println(x) }'
is declaration 1 1 grep -c '"local" does not declare a variable'
translate_with 'probe begin { println(argstr()) }'
is variable-called 1 1 grep -c "note: \"argstr\" is a variable of the library's probes: write it without ()"
translate_with 'probe begin { println(argstr(1)) }'
is no-variable 1 0 grep -c 'note:'
translate_with 'probe begin { x = 1 println(x &lt; 2) }'
is entity 1 "    note: \"&lt;\" is an HTML entity; copy the text of the page, not its source: at <input>:1:31" grep note:
translate_with 'probe begin { println(&#39;x) }'
is entity-by-number 1 1 grep -c "note: \"&#39;\" is an HTML entity"
translate_with 'probe begin { x = 1 & #39;'
is no-entity 1 0 grep -c note:
translate_with '  1 probe begin { }'
is line-number 1 1 grep -c 'note: remove line numbers, prompts and markup'
translate_with '$ stap x.stp'
is prompt 1 1 grep -c 'note: remove line numbers, prompts and markup'
translate_with '@define INNER(x) %( 1 + @x %) @define OUTER %( @INNER("a") %) probe begin { println(@OUTER) }'
is macro-chain 1 "$(printf '        in expansion of macro: @OUTER at <input>:1:85')" grep 'in expansion'
translate_with '@define INNER %( 1 + "a" %) @define OUTER %( @INNER %) probe begin { println(@OUTER) }'
is macro-chain-of-two 1 "$(printf '        in expansion of macro: @INNER at <input>:1:46\n        in expansion of macro: @OUTER at <input>:1:78')" grep 'in expansion'

bad='probe begin { nosuch() }'
plain=$(printf '\033[')
translate_with "$bad" --color=always
is colours 1 yes has "$(printf '\033[01;31msemantic error:\033[0m')"
is colour-of-the-source 1 yes has "$(printf '\033[00;34mprobe begin')"
is colour-of-the-caret 1 yes has "$(printf '\033[01m^')"
translate_with 'probe begin { println(unset + 1) }' --color=always
is colour-of-warnings 0 yes has "$(printf '\033[00;33mWARNING:\033[0m')"
translate_with "$bad" --color=never
is no-colours 1 '' has "$plain"
translate_with "$bad" --color=auto
is no-colours-in-a-file 1 '' has "$plain"
translate_with "$bad" --color=sometimes
is color-takes 1 yes has 'auto, always or never'
export SYSTEMTAP_COLORS=caret=35:error=32
translate_with "$bad" --color=always
is own-colours 1 yes has "$(printf '\033[32msemantic error:\033[0m')"
is own-colour-of-the-caret 1 yes has "$(printf '\033[35m^')"
is other-colours-stay 1 yes has "$(printf '\033[00;34mprobe begin')"
unset SYSTEMTAP_COLORS
if command -v script >/dev/null; then
	in_terminal() {
		status=0
		script -qec "$1 '$STAP' -p2 --runtime=user -e '$bad'" /dev/null >"$SCRATCH/err" 2>&1 </dev/null || status=$?
	}
	in_terminal 'env -u NO_COLOR'
	is colours-on-a-terminal 1 yes has "$(printf '\033[01;31msemantic error:')"
	in_terminal 'env NO_COLOR=1'
	is NO_COLOR 1 '' has "$plain"
else
	skip error/shown-colours-on-a-terminal script
	skip error/shown-NO_COLOR script
fi

translate_with 'probe begin { nosuch() a[1] = 2 }' --semantic-keep-going
is catalogue-begins 1 'SEMANTIC_ERRORS: 2' grep '^SEMANTIC_ERRORS:'
is catalogue-has-all 1 2 grep -c '^SEMANTIC_ERROR	<input>	1	'
is catalogue-fields 1 'SEMANTIC_ERROR	<input>	1	24	a	unresolved array "a", missing "global a"?' grep '	24	'
is catalogue-ends 1 SEMANTIC_ERRORS_END grep END
# Errors in the remaining script are found although an earlier step failed; consequences of an error are not
# reported.
translate_with 'global g, h[5], w
function bad(x) { return nosuch(x) }
function ok(x) { return x + "a" }
probe begin { g = 1 w = "s" println(bad(1)) }
probe end { println(g, ok(1), w . "x") }
probe timer.ms(1) { h[1,2] = 3 }
probe timer.ms(2) { h[1] = 3 }
probe timer.ms(3) { x = "a" + 1 println(x) }' --semantic-keep-going
is catalogue-of-steps 1 'SEMANTIC_ERRORS: 4' grep '^SEMANTIC_ERRORS:'
is catalogue-goes-on 1 'SEMANTIC_ERROR	<input>	3	29	"a"	type mismatch (string vs. long): "+" requires a long; write a . b to join strings, strtol(text, 10) for the number in a text' grep '	29	'
translate_with 'probe begin { println(1) }' --semantic-keep-going
is catalogue-of-nothing 0 'SEMANTIC_ERRORS: 0' grep '^SEMANTIC_ERRORS:'

# Misspelt names are reported with suggestions.
near() { # NAME SCRIPT WORD
	translate_with "$2"
	is "near-$1" 1 yes has "$3"
}
near function 'function my_function() { return 1 } probe begin { println(my_funtcion()) }' '(similar: my_function'
near library-function 'probe begin { println(exename()) }' '(similar: execname'
near print 'probe begin { prinf("x") }' 'printf'
near operator 'global s probe begin { s <<< 1 println(@cuont(s)) }' 'count'
near macro '@define my_macro %( 1 %) probe begin { println(@my_marco) }' '(similar: my_macro'
near array 'global table probe begin { table[1] = 1 println(tabel[1]) }' '(similar: table)'
near point 'probe timer.secs(1) { println(1) }' '(similar: timer.sec(number)'
near alias 'probe my.alias = begin { } probe my.alais { println(1) }' '(similar: my.alias'
near keyword 'globl x probe begin { println(1) }' "did you mean \"global\"?"
translate_with 'probe begin { counter = 1 println(countr + counter) }'
is near-local 0 yes has '(similar: counter)'
