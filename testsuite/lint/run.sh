#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the sources: width, trailing blanks, length of files and functions, licence lines, tables, wording, spelling, shell.
set -u
. "$TESTS/lib.sh"
cd "$SOURCE" || exit 1

mapfile -t sources < <(find translator runtime staprun report tapsets testsuite bench -name '*.[ch]' -o -name '*.stp' -o -name '*.def' | sort)
mapfile -t code < <(printf '%s\n' "${sources[@]}" | grep '\.[ch]$')
mapfile -t shell < <(find . -path ./.git -prune -o -type f -size -100k -exec grep -lE '^#!/(bin/|usr/bin/env )(ba)?sh$' {} + | grep -v '^./configure')

report lint/width "$(awk 'length($0) > 120 { print FILENAME ":" FNR ": " length($0) " characters" }' "${code[@]}")"
report lint/trailing-blanks "$(grep -nE '[[:blank:]]+$' "${code[@]}")"
report lint/licence "$(grep -L 'SPDX-License-Identifier: GPL-2.0-or-later' "${code[@]}" translator/*/*.def quickstart testsuite/runtests)"
report lint/file-length "$(wc -l "${sources[@]}" | awk '$1 > 900 && $2 != "total" { print $2 ": " $1 " lines" }')"
# The privileged program stays small enough to be audited.
report lint/privileged-size "$(cat staprun/{staprun,caps,module,sign,kallsyms,syscalls,sibling_path,log}.c staprun/{staprun,syscalls,log}.h |
	wc -l | awk '$1 > 1880 { print "staprun has " $1 " lines" }')"
report lint/function-length "$(awk 'FNR == 1 { s = 0 } /^[A-Za-z_].*\)[ \t]*$/ { name = $0 } /^\{/ { s = FNR }
	/^\}/ { if (s && FNR - s > 80) printf "%s:%d: %d lines: %s\n", FILENAME, s, FNR - s, name; s = 0 }' "${code[@]}")"
report lint/families "$(python3 "$TESTS/lint/families.py" 2>&1)"
# Loops of the runtime over data whose size scripts or processes determine charge their work.
report lint/loops "$(python3 "$TESTS/lint/loops.py" "$TESTS/.." 2>&1)"
# Tests and files in the tables of the test suite's description and of the guarantees exist.
report lint/named-tests "$(grep -h '^|' "$TESTS/COVERAGE.md" doc/guarantees.md | grep -oE '`[a-z]+/[^`]+`' | tr -d '\140' | sort -u | while IFS=/ read -r part name; do
	[ ! -e "$part/$name" ] || continue
	[ -n "$(ls "$TESTS/$part"/{"$name".{test,stp,tests,sh,c},scenarios/"$name".scenario} 2>/dev/null)" ] || grep -qsw -- "$name" "$TESTS/$part/run.sh" || echo "$part/$name: no such test or file"
done)"
# Live tests share a directory: tests that create a file of the same name create it by the same command. One shell
# reads all live tests, so a function with the name of a command would replace it in later tests.
report lint/live-commands "$(grep -nE '^(gcc|clang|cc|ld|ar|nm|awk|sed|grep|sort|cp|objcopy|objdump|readelf|python3|make|timeout)\(\)' "$TESTS"/live/*.test)"
# A library in the test's own directory is copied to that directory in the guest, where other tests link the
# directory to /t.
report lint/live-directory "$(grep -nE 'mkdir -p ([^;&|]* )?"?\$dir"?( |;|&|$)|-rpath,"?\$dir"?( |\)|$)' "$TESTS"/live/*.test | grep -v '"\$dir"/')"
# A file that a command in the background writes in each round, and that a test waits for, has no text of earlier rounds.
report lint/live-awaited "$(python3 "$TESTS/lint/awaited.py" "$TESTS"/live/*.test)"
report lint/live-files "$(grep -oE '[a-z]+ [^|&;()]*(-o |>|cp (-r )?"[^"]*" )"\$dir/[^"$]+"[^|&;]*|cp (-r )?"[^"]*" "\$dir/[^"$]+"' "$TESTS"/live/*.test | sort -u | awk '{
	file = name = made = $0; sub(/:.*/, "", file); sub(/^[^:]*:/, "", made); sub(/[ \t]+$/, "", made); sub(/^.*(-o |>|" )"\$dir\//, "", name); sub(/".*/, "", name)
	if (name !~ /\.ko$/ && by[name] && by[name] != file && (how[name] != made || made ~ /<<|cp -r/)) print file ": $dir/" name " is made differently by " by[name]
	by[name] = file; how[name] = made }')"
# PART/NAME runs that test alone; a name without a test is an error.
select_tests() { # STATUS ERRORS RESULT NAME...: RESULT begins the last line; what the machine lacks is skipped
	local status=0
	"$TESTS/runtests" --build "$BUILD" "${@:4}" >"$SCRATCH/selected" 2>&1 || status=$?
	[ $status -eq "$1" ] && [[ "$(tail -n 1 "$SCRATCH/selected")" = "$3, "* ]] && [ "$(grep -c '^    \(no such test\|unknown part\)' "$SCRATCH/selected")" -eq "$2" ] ||
		{ echo "runtests ${*:4}: status $status"; tail -n 5 "$SCRATCH/selected"; }
}
report lint/selected-tests "$(wanted selected-tests || exit 0
	select_tests 0 0 '1 passed, 0 failed' options/version
	select_tests 0 0 '3 passed, 0 failed' elab/alias-condition elab/alias-order options/help
	select_tests 1 1 '0 passed, 1 failed' elab/none-of-these
	select_tests 1 1 '1 passed, 1 failed' options/none-of-these options/version
	select_tests 1 1 '0 passed, 1 failed' none-of-these)"
# Source files in the drawings and the maps of the code exist; NAME stands for any.
report lint/named-files "$(grep -oE '\b[a-zA-Z_/]+\.(c|h|def|py)\b' doc/internals.md HACKING.md | grep -v NAME | sort -u | while IFS=: read -r document file; do
	[ -n "$(git ls-files "$file" "*/$file")" ] || echo "$document: $file does not exist"
done)"
# Large libraries that few runs require are loaded at their first use.
report lint/late-libraries "$(readelf -d "$STAP" | grep -E 'NEEDED.*lib(archive|crypto|debuginfod|xml2|icu)')"
# The completion of other programs has the options that their usage texts list.
report lint/completions "$(for program in 'stap report' staprun stap-merge stap-prep; do
	case $program in
	'stap report') "$STAP" report --help ;; stap-prep) "$SOURCE/translator/target/stap-prep" -h ;;
	*) "$BUILD/staprun/$program" -h ;;
	esac >"$SCRATCH/usage" 2>&1
	diff <(grep -E '^  -|\(also' "$SCRATCH/usage" | grep -oE '(  |, |also )--?[A-Za-z][a-z-]*' | grep -oE -- '-.*' | sort -u) \
		<("$STAP" --complete "$program -" | sed 's/=$//' | sort -u) | sed -n "s/^</completions lack an option of $program:/p; s/^>/not in the usage of $program:/p"
done)"
report lint/options-once "$("$STAP" --help | grep -oE '^  (-., )?--[a-z-]+' | sed 's/.*--/--/' | sort | uniq -d)"
# Each option of --help is used in a test; a letter must be in a line that runs stap.
cat "$TESTS"/*/*.{sh,test,tests,py} >"$SCRATCH/tests"
is_tested() { # OPTION...
	local option
	for option; do
		[[ $option == --* ]] || option="(STAP|stap|expect|user).* [\"']?$option"
		! grep -qE -- "(^|[^a-zA-Z-])$option([^a-zA-Z-]|\$)" "$SCRATCH/tests" || return 0
	done
	return 1
}
report lint/options-tested "$("$STAP" --help | sed -nE 's/^  (-[^], =[]+)(, (--[a-z-]+))?.*/\1 \3/p' | while read -r option word; do
	is_tested "$option" $word || echo "$option: no test has this option"
done)"
# Waits of the runtime have a bound or a proof in a comment.
report lint/waits "$(python3 "$TESTS/lint/waits.py" "$TESTS/.." 2>&1)"
# Functions in the guarantees, "`file` (`function`)", are defined in these files.
report lint/named-functions "$(grep -oE '`[a-z/_]+\.[a-z]+` \(`[a-z_]+`' doc/guarantees.md | tr -d '\140(' | while read -r file name; do
	grep -qsE "\b$name\(" "$file" || echo "doc/guarantees.md: $file does not have $name()"
done)"
# number.h parses external numbers, since it checks their range; str_real() parses those with a decimal point.
report lint/numbers "$(git ls-files '*.[ch]' | xargs grep -nE '\b(strto[a-z]+|ato(i|l|ll|f)|v?f?sscanf) *\(' |
	grep -vE '^(testsuite|bench|runtime/kernel)/|:[0-9]+:.*\bstrtok(_r)? *\(|^translator/util/str.c:[0-9]+:	\*n = strtod\(' |
	grep -vE ':.*sscanf\(rest, " %c %511s')"
# Only cache_file_read() reads files of the cache, and it checks a private copy: no other function maps or opens
# them.
report lint/cache-files "$(grep -nE '\b(mmap|cache_file_(read|copy)) *\(|\bcache_path *\(' translator/*/*.[ch] translator/*/*/*.[ch] |
	grep -vE '^translator/cache/|^translator/(debuginfo/elf/resources|toolchain/object)\.c:.*mmap|:	*s->stored_path = cache_path\(')"
# Modules and loaders of different versions detect each other.
report lint/protocol "$(python3 "$TESTS/lint/protocol.py" 2>&1)"
# The library counts truncated results of functions.
report lint/cuts "$(python3 "$TESTS/lint/cuts.py" 2>&1)"
# Directories of the translator depend on each other in one direction.
report lint/includes "$(python3 "$TESTS/lint/includes.py" 2>&1)"
# Functions that are used in one file only are static.
report lint/exported "$(python3 "$TESTS/lint/exported.py" "$TESTS/.." 2>&1)"
# Names that the translator searches in embedded C exist in the runtime.
report lint/runtime-names "$(python3 "$TESTS/lint/runtime_names.py" 2>&1)"
# The table of markers of embedded C describes those that the translator recognises.
report lint/markers "$(python3 "$TESTS/lint/markers.py" 2>&1)"
report lint/losses "$(python3 "$TESTS/lint/losses.py" 2>&1)"
report lint/stack "$(python3 "$TESTS/lint/stack.py" 2>&1)"
report lint/language-rules "$(. "$TESTS/language/complete.sh" && language_complete 2>&1)"
# Suggestions are made by diag_similar(), which computes them only for messages that are printed. The files below call
# str_similar() for messages that end the program.
report lint/similar-names "$(grep -lE '\bstr_similar\(' translator/*/*.c | grep -vE '/(util/(str|diag)|driver/bad_option|driver/example|session/limits|ast/embedded|parse/parse_expr).c$')"
# Every public name of the library has a comment that names it.
report lint/tapset-comments "$(awk '
	FNR == 1 { block = "" }
	/^\/\*\*/ { block = ""; open = 1 }
	open { block = block " " $0; if (/\*\//) open = 0; next }
	/^function +[A-Za-z]/ || /^probe +[A-Za-z][A-Za-z_0-9.]* *\+?=/ {
		name = $2; sub(/[:(].*/, "", name); names = block; gsub(/[*,]/, " ", names)
		if (!index(names " ", " " name " ")) print FILENAME ":" FNR ": " name " has no comment that names it"
	}' tapsets/*.stp tapsets/arch/*/*.stp)"
report lint/example-mode "$(for file in examples/*/*.stp; do [ "$(head -c 2 "$file")" != '#!' ] || [ -x "$file" ] || echo "$file: begins with #!, but is not executable"; done)"
# Each example of SystemTap that cannot be built has a reason in the documents.
report lint/examples "$(while read -r name _; do
		grep -qF "\`$name\`" doc/compatibility.md || echo "doc/compatibility.md: no row for the example $name"
	done <testsuite/examples/not-built)"
# Files of other projects are unchanged: their README contains the checksums.
report lint/vendor "$(for file in report/html/vendor/*.js; do
		grep -qF "$(sha256sum "$file" | cut -d' ' -f1)" report/html/vendor/README.md || echo "$file: its checksum is not in the README.md beside it"
	done)"
# Comments, messages and manual pages are full sentences in common words.
report lint/words "$(python3 "$TESTS/lint/words.py" 2>&1)"
if git rev-parse --git-dir >/dev/null 2>&1; then
	# Subjects of commits that are not in main yet have the form "area: what it does now".
	report lint/subjects "$(git log --no-merges --format=%s main.. 2>/dev/null | awk 'length($0) > 72 { print length($0) " characters: " $0 }
		/;/ { print "a second clause: " $0 }
		!/^[^:; ]+: ./ { print "does not begin with one area: " $0 }')"
	# Inputs and outputs of tests may contain bytes that are not text.
	report lint/binaries "$(git ls-files --eol | awk '/^i\/-text/ && $NF !~ /^testsuite\/(run\/[^\/]*\.(out|stp)|staprun\/(notes|scenarios\/.*\.scenario))$/ { print $NF ": is a binary file" }')"
fi
if command -v codespell >/dev/null; then
	report lint/spelling "$(find . -path ./testsuite -prune -o -path ./.git -prune -o -type f \( -name '*.[ch]' -o -name '*.md' -o -name '*.stp*' \
		-o -name '*.in' -o -name '*.txt' -o -name '*.8' -o -name '*.3stap' -o -name '*.def' \) -print0 | sort -z |
		xargs -0 codespell -q 3 --ignore-regex '\\[nt]' -L "$(tr '\n' , <"$TESTS/lint/names.txt")" 2>&1)"
else
	skip lint/spelling codespell
fi
# Tables of tests are shell scripts: after a syntax error the remaining part of a file would not be run. Those of
# foreign/ are text.
report lint/tables "$(for file in "$TESTS"/[!f]*/*.tests "$TESTS"/live/*.test; do bash -n "$file" 2>&1; done)"
if command -v shellcheck >/dev/null; then
	report lint/shell "$(shellcheck -S warning -e SC1091,SC2154,SC2034,SC2148 "${shell[@]}" 2>&1)"
else
	skip lint/shell shellcheck
fi
