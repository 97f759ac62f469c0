# SPDX-License-Identifier: GPL-2.0-or-later
# Every available script, printed by -p1, parses to the same tree: those of the test suite, of the library, and of
# systemtap-doc if it is installed. Read by run.sh, needs "$STAP".

# Both rounds use the first of these arguments with which the script is accepted.
round() {
	local file=$1 arguments
	for arguments in '' '1 2 3 4 5 6 7 8 9' 'begin 1' 'begin begin begin' '17 text begin' 'begin begin 1 begin' '1 2 @sum begin end'; do
		# shellcheck disable=SC2086  # several words
		"$STAP" -p1 -g -w --runtime=user "$file" $arguments >"$SCRATCH/first" 2>"$SCRATCH/err" </dev/null || continue
		"$STAP" -p1 -g -w --runtime=user "$SCRATCH/first" $arguments >"$SCRATCH/second" 2>"$SCRATCH/err" </dev/null ||
			return
		diff -u <(sed 2d "$SCRATCH/first") <(sed 2d "$SCRATCH/second") >"$SCRATCH/err"
		return
	done
	return 1
}

rounds() { # NAME FILE...
	local name=parse/roundtrip-$1 wrong='' n=0
	shift
	for file; do
		case $file in
		*.bad.stp | */security-bandaid-template.stp) continue ;; # scripts that are invalid on purpose
		esac
		n=$((n + 1))
		round "$file" || wrong+="$file: $(head -n 6 "$SCRATCH/err")"$'\n'
	done
	if [ -z "$wrong" ]; then ok "$name: $n scripts"; else not_ok "$name" "$wrong"; fi
}

rounds tests "$TESTS"/*/*.stp
rounds tapsets "$SOURCE"/tapsets/*.stp
if [ -d /usr/share/systemtap/examples ]; then
	mapfile -t examples < <(find /usr/share/systemtap/examples /usr/share/doc/systemtap -name '*.stp')
	rounds examples "${examples[@]}"
else
	skip parse/roundtrip-examples 'systemtap-doc'
fi
