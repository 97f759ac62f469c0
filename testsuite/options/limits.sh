#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each limit of runtime/include/limits.def, with the values minimum - 1, minimum, maximum and maximum + 1: inside
# its range a script that uses strings, arrays, recursion and histograms is translated (and built, if that depends
# on the limit), outside of it an error prints the range. The manual contains the same numbers.
limits_test() {
	local name least most usual values value wrong="" builds="" script page=$SCRATCH/limits-page

	script='global a, b[5], h, done
function deep:string(n:long, s:string) { return n > 0 ? deep(n - 1, s . "x") : s }
probe begin { b[1] = a[1, "k"]++ h <<< 3 foreach ([i, k] in a-) println(i, k, b[1]) println(deep(3, "a"))
	if (@count(h)) println(@hist_log(h)) error("e") }
probe timer.s(1) { if (!done++) exit() }'
	awk -f "$SOURCE/doc/tables.awk" "$SOURCE/runtime/include/limits.def" | sed 's/\\-/-/g' >"$page"
	while read -r name least most usual; do
		for value in "$least" "$most"; do
			# The products of frames and of queues are checked, too.
			case $name,$value in
			MAXTRYLOCK,"$most") values=(-DTRYLOCKDELAY=1) ;;
			TRYLOCKDELAY,"$most") values=(-DMAXTRYLOCK=100) ;;
			STP_DEFAULT_BUFFERS,"$most") values=(-DSTP_CTL_BUFFER_SIZE=1) ;;
			STP_CTL_BUFFER_SIZE,"$most") values=(-DSTP_DEFAULT_BUFFERS=1) ;;
			*) values=() ;;
			esac
			"$STAP" -p4 --runtime=user -D"$name=$value" "${values[@]}" -e "$script" >"$SCRATCH/out" 2>&1 ||
				wrong+="-D$name=$value is refused: $(head -n 3 "$SCRATCH/out")"$'\n'
		done
		for value in $((least - 1)) $((most + 1)) 99999999999999999999 -99999999999999999999; do
			"$STAP" -p2 --runtime=user -D"$name=$value" -e 'probe begin { exit() }' >"$SCRATCH/out" 2>&1 &&
				wrong+="-D$name=$value is accepted"$'\n'
			grep -qF -- "-D$name=$value is out of range; use $least " "$SCRATCH/out" || wrong+="-D$name=$value: $(<"$SCRATCH/out")"$'\n'
		done
		grep -qx "\.B $name" "$page" || wrong+="$name is not in the manual"$'\n'
		[ "$most" = 1 ] || grep -q "^From $least to ${most}[.;]" "$page" || wrong+="$name has another range in the manual"$'\n'
		builds+=x
	done < <(awk -v plain=1 -f "$SOURCE/doc/tables.awk" "$SOURCE/runtime/include/limits.def")
	[ ${#builds} -gt 25 ] || wrong+="only ${#builds} limits were found"
	if [ -z "$wrong" ]; then ok options/limits; else not_ok options/limits "$(head -n 20 <<<"$wrong")"; fi
}
limits_test
