#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts of bpftrace: NAME.bt and its translation NAME.out, which pass 1 accepts, and pass 2, too, on kernels whose
# types are available; refused.tests, texts without translation; hints.tests; the tools of the package bpftrace,
# where it is installed.
set -u
. "$TESTS/lib.sh"
cd "$TESTS/foreign" || exit 1

# Without a kernel, members that are arrays of characters, or numbers of 16 bits, are recognised by their usual
# names.
for script in *.bt; do
	name=${script%.bt}
	wanted "$name" || continue
	if ! "$STAP" --runtime=user --from=bpftrace "$script" >"$SCRATCH/$name.stp" 2>"$SCRATCH/err" </dev/null; then
		not_ok "foreign/$name" "$(cat "$SCRATCH/err")"
		continue
	fi
	golden "foreign/$name" "$name.out" "$SCRATCH/$name.stp"
	if "$STAP" --runtime=user -g -p1 "$SCRATCH/$name.stp" 7 seven >"$SCRATCH/parsed" 2>&1 </dev/null; then
		ok "foreign/$name-parses"
	else
		not_ok "foreign/$name-parses" "$(cat "$SCRATCH/parsed")"
	fi
done

# refused.tests: a script, then lines that begin with ">": parts of messages, each with its line.
refused() { # NUMBER
	local line missing=''
	wanted refused || return 0
	if (cd "$SCRATCH" && "$STAP" --runtime=user --from=bpftrace refused.bt >out 2>err </dev/null); then
		missing='it is translated'
	fi
	while read -r line; do
		grep -qF -- "$line" "$SCRATCH/err" || missing="$missing no \"$line\""
	done <"$SCRATCH/messages"
	if [ -z "$missing" ]; then ok "foreign/refused-$1"; else not_ok "foreign/refused-$1" "$missing: $(cat "$SCRATCH/refused.bt" "$SCRATCH/err")"; fi
}
number=0
: >"$SCRATCH/refused.bt"
: >"$SCRATCH/messages"
while IFS= read -r line; do
	case $line in
	'# '*) ;;
	'>'*) printf '%s\n' "${line#> }" >>"$SCRATCH/messages" ;;
	'')
		refused $((number += 1))
		: >"$SCRATCH/refused.bt"
		: >"$SCRATCH/messages"
		;;
	*) printf '%s\n' "$line" >>"$SCRATCH/refused.bt" ;;
	esac
done <refused.tests

# Translates long chains of operators and of members, and parses each translation as a script.
chain() { # LINK NUMBER PATTERN: prints the translation of a chain of that number of links
	{ printf 'kprobe:f { $a = arg0; print($a'; printf "%.0s$1" $(seq "$2"); echo '); }'; } >"$SCRATCH/chain.bt"
	"$STAP" --runtime=user --from=bpftrace "$SCRATCH/chain.bt" >"$SCRATCH/chain.stp" 2>"$SCRATCH/err" </dev/null
	if grep -q -- "$3" "$SCRATCH/chain.stp" "$SCRATCH/err" && { [ -s "$SCRATCH/err" ] || "$STAP" -p1 "$SCRATCH/chain.stp" >/dev/null; }; then
		ok "foreign/chain $1 $2"
	else
		not_ok "foreign/chain $1 $2" "$(cat "$SCRATCH/chain.stp" "$SCRATCH/err")"
	fi
}
if wanted chain; then
	chain ' + 1' 1100 '\( + 1\)\{1100\}'
	chain ' + 1' 1300 'chain of more than 1200 operators: at .*chain.bt:1'
	chain '->m' 1300 'chain of more than 1200 operators: at .*chain.bt:1'
fi

# If a script of bpftrace is given to stap, the message contains its translation.
if wanted given; then
	"$STAP" --runtime=user -e 'kprobe:vfs_read { @[comm] = count(); }' >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
	status=$?
	if [ $status -eq 1 ] && grep -q "this script is in bpftrace's language" "$SCRATCH/err" &&
		grep -qF 'probe kernel.function("vfs_read").call {' "$SCRATCH/err"; then
		ok foreign/given
	else
		not_ok foreign/given "$(cat "$SCRATCH/err")"
	fi
fi

# hints.tests: lines in pairs: a script, and the hint for it.
if wanted hints; then
	wrong='' line=''
	while IFS= read -r text && IFS= read -r line; do
		"$STAP" --runtime=user -e "$text" 2>"$SCRATCH/err" </dev/null
		grep -qF -- "$line" "$SCRATCH/err" || wrong="$wrong$text: $(cat "$SCRATCH/err")"$'\n'
	done < <(grep -v '^# ' hints.tests)
	if [ -z "$wrong" ]; then ok foreign/hints; else not_ok foreign/hints "$wrong"; fi
fi

newest() { # SERIES: a release with DWARF and a build tree
	local image
	for image in $(printf '%s\n' /usr/lib/debug/boot/vmlinux-"$1".* | sort -rV); do
		[ ! -d "/lib/modules/${image##*/vmlinux-}/build" ] || { echo "${image##*/vmlinux-}"; return; }
	done
}

# The tools are translated as installed by the package. A function in one of them does not exist in 6.12.
absent='^6.12:swapin$'
tools=(/usr/sbin/*.bt)
for series in 6.1 6.12; do
	release=$(newest $series)
	if ! wanted tools || [ -n "${BASIC-}" ]; then
		continue
	elif [ ! -e "${tools[0]}" ] || [ -z "$release" ]; then
		skip "foreign/tools-$series" "the package bpftrace, and linux-image-$series with -dbg and headers"
		continue
	fi
	failed=''
	for tool in "${tools[@]}"; do
		name=$(basename "$tool" .bt)
		if ! "$STAP" -r "$release" --from=bpftrace "$tool" >"$SCRATCH/tool.stp" 2>"$SCRATCH/err" </dev/null; then
			failed="$failed$name: $(head -n 3 "$SCRATCH/err")"$'\n'
		elif ! "$STAP" -r "$release" -DSTP_MAX_BUCKETS=1002 -p2 "$SCRATCH/tool.stp" >/dev/null 2>"$SCRATCH/err" </dev/null; then
			[[ $series:$name =~ $absent ]] || failed="$failed$name: $(head -n 3 "$SCRATCH/err")"$'\n'
		fi
	done
	if [ -z "$failed" ]; then ok "foreign/tools-$series"; else not_ok "foreign/tools-$series" "$failed"; fi
done

if wanted compare && [ -z "${NO_GUEST-}" ]; then
	. "$TESTS/foreign/compare.sh"
	compare_with_bpftrace
fi
