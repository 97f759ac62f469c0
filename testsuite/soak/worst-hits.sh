#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that use up their budget of work, one for each kind of work, in a virtual machine whose clock counts
# instructions: a hit of each must take less than 2 million instructions, and more than a third of its charged work;
# otherwise the costs of work.def are wrong.
# bench/worst-hit has more of them. They ask for the CPU in a loop, so that they are hits and no part runs in slices.
# Usage: worst-hits.sh RELEASE DIRECTORY; STAP, BUILD and SOURCE as the suite sets them.
# shellcheck disable=SC2016  # what looks like variables is the script's
set -eu
release=$1 dir=$2
handlers=(
	'while (1) foreach ([x+, i] in words) break'
	'while (1) foreach (i in numbers-) break'
	'while (1) str = str_replace(text, "5", "555")'
	'while (1) n += isinstr(searched, half)'
	'while (1) n += text =~ "0.*1.*2.*x"'
	'while (1) str = sprintf("%#s%500d", text, n)'
	'while (1) printf("%s %s %d\n", text, text, n)'
	'while (1) print(@hist_log(h))'
	'while (1) numbers[n++ % 2000] += text == copy'
	'while (1) n += words[text, 1] + words[text, 2] + words[text, 3] + words[text, 4] + words[text, 5] + words[text, 6]'
	'while (1) printf("%s%s%s%s%s%s%s%s", text, text, text, text, text, text, text, text)'
	'while (1) { print_syms(text) print_usyms(text) }'
	'while (1) n += changed(text, text, text) + changed(text, text, text) + changed(text, text, text)'
	'while (1) str = tokenize(text . text, "5") . copy'
	'while (1) n += __name_of(names, 77, "none") == "x"'
)
script='global n, words, numbers, text, copy, str, searched, half, names, h
	function changed(a, b, c) { if (n < 0) a = b = c = "" return 1 + (a == b . c) }
	probe begin {
	for (i = 0; i < 49; i++) text .= "0123456789" copy = text
	for (i = 0; i < 2000; i++) { words[text, i] = i numbers[i] = i h <<< i * i * i }
	for (i = 0; i < 250; i++) { searched .= "aa" half .= "a" } half .= "b"
	for (i = 0; i < 60; i++) names .= sprintf("N%d=%d ", i, i) }
	probe timer.ms(400) { exit() }'
for i in "${!handlers[@]}"; do
	script+="
	probe timer.ms($((100 + 20 * i))) { for (once = 0; once < 1; once++) { if (cpu() > 4000) next ${handlers[i]} } }"
done
mkdir -p "$dir"
(cd "$dir" && "$STAP" -t -w -p4 -r "$release" -m t_worst -DMAXERRORS=1000 -DSTP_NO_OVERLOAD -DMAXACTION_INTERRUPTIBLE=100000 -e "$script" >/dev/null)
"$SOURCE/translator/run/stap-vm" -r "$release" -i -k mitigations=off -t 600 -d "$dir:/t" -f "$BUILD/staprun/staprun:/bin/" -f "$BUILD/staprun/stapio:/bin/" \
	-- sh -c 'staprun /t/t_worst.ko | cut -c 1-200 | grep "^timer"' >"$dir/report" 2>"$dir/errors" || true
for i in "${!handlers[@]}"; do
	most=$(sed -n "s|^timer.ms($((100 + 20 * i))),.*avg/\([0-9]*\)max.*|\1|p" "$dir/report")
	[ -z "${SOAK-}" ] || echo "# ${most:-0} ${handlers[i]}"
	if [ "${most:-0}" -gt 2000000 ] || [ "${most:-0}" -lt 500000 ]; then
		echo "${most:-no hit} instructions: ${handlers[i]}"
		failed=1
	fi
done
[ -z "${failed-}" ] || { tail -n 20 "$dir/errors"; exit 1; }
