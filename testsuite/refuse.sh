# SPDX-License-Identifier: GPL-2.0-or-later
# Tables of scripts that are accepted or refused, read by error/run.sh and rows/run.sh:
#   bad 'script with a ^ before the place' 'part of the message'   # "\^" is a real "^"
#   note 'part of a note'              # the bad script before also shows this
#   shows 'part of a line'             # or this, which is not a note
#   lone                               # the bad script before has no other error
#   warns 'script with a ^' 'part of the warning'    # accepted, but with this warning
#   good 'script'                      # accepted without a word
#   accepted 'script'                  # accepted, perhaps with warnings
# Without a ^ the message has no place. OPTIONS holds more options for stap, ARGUMENTS those of the script.
# Nothing is run: -p2, unless OPTIONS says -p1 or -p3. $table names the tests.
OPTIONS=() ARGUMENTS=() RUNTIME=(--runtime=user)

# Sets script, and place (LINE:COLUMN or empty) from the first ^ that has no backslash before it.
take_place() {
	local text=$1 before rest
	text=${text//\\^/$'\x01'}
	place=""
	if [ "$text" != "${text#*^}" ]; then
		before=${text%%^*}
		rest=${before//[!$'\n']/}
		place=$((${#rest} + 1))
		rest=${before##*$'\n'}
		place=$place:$((${#rest} + 1))
	fi
	script=${text/^/}
	script=${script//$'\x01'/^}
}

translate() {
	name="$table: ${1//$'\n'/ }"
	take_place "$1"
	status=0
	"$STAP" -p2 "${RUNTIME[@]}" ${OPTIONS[@]+"${OPTIONS[@]}"} -e "$script" ${ARGUMENTS[@]+"${ARGUMENTS[@]}"} >"$SCRATCH/out" 2>"$SCRATCH/err" ||
		status=$?
}

# told KIND MESSAGE: a line "KIND: ...MESSAGE...: at <input>:PLACE", also without a place.
told() {
	local line
	while IFS= read -r line; do
		[[ $line =~ ^$1:\  && $line == *"$2"* ]] || continue
		[[ -z $place || $line == *": at <input>:$place" ]] && return
	done <"$SCRATCH/err"
	return 1
}

bad() {
	translate "$1"
	if [ $status -ne 1 ]; then
		not_ok "$name" "exit status $status"
	elif told '[a-z]* error' "$2"; then
		ok "$name"
	else
		not_ok "$name" "wanted at $place: $2
$(cat "$SCRATCH/err")"
	fi
}

note() {
	if grep -F -- "$1" "$SCRATCH/err" | grep -q '^ *note: '; then ok "$name: note"; else
		not_ok "$name: note" "wanted: $1
$(cat "$SCRATCH/err")"
	fi
}

shows() {
	if grep -qF -- "$1" "$SCRATCH/err"; then ok "$name: shows $1"; else
		not_ok "$name: shows $1" "$(cat "$SCRATCH/err")"
	fi
}

lone() {
	if [ "$(grep -c '^[a-z]* error: ' "$SCRATCH/err")" -eq 1 ]; then ok "$name: one error"; else
		not_ok "$name: one error" "$(cat "$SCRATCH/err")"
	fi
}

warns() {
	translate "$1"
	if [ $status -ne 0 ]; then
		not_ok "$name" "exit status $status
$(cat "$SCRATCH/err")"
	elif told WARNING "$2"; then
		ok "$name"
	else
		not_ok "$name" "wanted at $place: $2
$(cat "$SCRATCH/err")"
	fi
}

good() {
	translate "$1"
	if [ $status -eq 0 ] && [ ! -s "$SCRATCH/err" ]; then ok "$name"; else
		not_ok "$name" "exit status $status
$(cat "$SCRATCH/err")"
	fi
}

accepted() {
	translate "$1"
	if [ $status -eq 0 ]; then ok "$name"; else
		not_ok "$name" "exit status $status
$(cat "$SCRATCH/err")"
	fi
}

