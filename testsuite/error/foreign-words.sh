# SPDX-License-Identifier: GPL-2.0-or-later
# A message uses each row of translator/util/foreign_words.def, and the functions in it exist. Read by run.sh.

rows=$TESTS/../translator/util/foreign_words.def

# advised KIND SCRIPT WORDS: the message about each word contains the equivalent.
advised() {
	local missing='' word
	"$STAP" -p2 --runtime=user -v -e "$2" >"$SCRATCH/out" 2>"$SCRATCH/err"
	for word in $3; do grep -q "\"$word\": .*write " "$SCRATCH/err" || missing+=" $word"; done
	report "error/foreign-words-$1" "${missing:+without advice:$missing
$(head -5 "$SCRATCH/err")}"
}

declared=$("$STAP" --dump-functions | sed 's/[: (].*//' | sort -u)
values=$(sed -nE 's/^(BPFTRACE\(|VALUE\("[^"]*", )"([^"]*)".*/\2/p' "$rows" | tr ' ' '\n')
calls=$(sed -nE 's/^CALL\("[^"]*", "([^"]*)".*/\1/p' "$rows" | tr ' ' '\n' | grep -vxF "$declared")
advised values "probe begin { $(printf 'println(%s) ' $values)}" "$values"
advised calls "probe begin { $(printf '%s(1) ' $calls)}" "$calls"

wanted=$(grep -E '^(BPFTRACE|VALUE|CALL|OPERAND)\(' "$rows" | sed -E 's/^CALL\("[^"]*", "[^"]*"//' | grep -oE '(^|[^@.A-Za-z_0-9"])[a-z_]+\(' | grep -oE '[a-z_0-9]+' | sort -u)
report error/foreign-words-functions-exist "$(grep -vxF -e print -e printf -e println -e sprint -e sprintf -e error -e if -e while -e for <<<"$wanted" | grep -vxF "$declared")"

missing=''
while IFS= read -r advice; do
	grep -qF "${advice:0:24}" "$TESTS/error/foreign-words.tests" || missing+="$advice
"
done < <(sed -nE 's/^(SYNTAX|OPERAND)\(.*", "(.*)"\)$/\2/p' "$rows" | sed 's/\\\(["\\]\)/\1/g')
report error/foreign-words-each-pattern "${missing:+not in foreign-words.tests: $missing}"
