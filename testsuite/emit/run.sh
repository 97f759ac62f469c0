#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The generated C: NAME.stp gives NAME.c.out, and every script here and in testsuite/run gives C that gcc and clang
# compile without a warning. NAME.slices.stp: see slices(). NAME.bad.stp: pass 3 rejects it with the error in its
# first line.
set -u
. "$TESTS/lib.sh"
cd "$TESTS/emit" || exit 1
# Kernels before 5.18 are compiled with gnu89.
WARN=(-std=gnu89 -O2 -Wall -Wextra -Wno-unused -Wno-unused-parameter -Wno-tautological-compare -Werror -Wdeclaration-after-statement -ffreestanding
	-I "$SOURCE/runtime/include")

gives() { # NAME
	"$STAP" --runtime=user -p3 "$1.stp" >"$SCRATCH/out" 2>"$SCRATCH/err" ||
		cp "$SCRATCH/err" "$SCRATCH/out"
	sed -i "s#$SOURCE/##" "$SCRATCH/out"
	golden "emit/$1" "$1.c.out" "$SCRATCH/out"
}

refuses() { # NAME
	local text
	text=$(directive "$1.bad.stp" error)
	if "$STAP" --runtime=user -g -p3 "$1.bad.stp" >"$SCRATCH/out" 2>"$SCRATCH/err"; then
		not_ok "emit/$1.bad" 'pass 3 took it'
	elif grep -qF -- "$text" "$SCRATCH/err"; then
		ok "emit/$1.bad"
	else
		not_ok "emit/$1.bad" "$(head -n 20 "$SCRATCH/err")"
	fi
}

# All scripts are compiled at once. The output does not show which of them fails, so failing batches are repeated
# one by one.
compiles() { # COMPILER FILE...
	local cc=$1 file bad='' frame=()
	[ "$cc" != gcc ] || frame=(-Wframe-larger-than=400)   # modules are built by gcc, and kernel stacks are
							      # small
	command -v "$cc" >/dev/null || { skip "emit/compiles-with-$cc" "$cc"; return; }
	shift
	for file; do
		"$cc" "${WARN[@]}" ${frame[@]+"${frame[@]}"} -c -o /dev/null "$file" 2>"$SCRATCH/err" ||
			bad+="$(basename "$file"): $(head -n 3 "$SCRATCH/err")"$'\n'
	done
	if [ -z "$bad" ]; then ok "emit/compiles-with-$cc"; else not_ok "emit/compiles-with-$cc" "$bad"; fi
}

# Lines with "// in slices" mark the probes whose handlers run in slices in a module. "# options: ": options for
# stap.
slices() { # NAME
	# shellcheck disable=SC2046  # words
	"$STAP" -p3 $(directive "$1.slices.stp" options) "$1.slices.stp" 2>"$SCRATCH/err" | sed -n '/\.in_slices/,/\.where/s/.*\.where = ".*stp:\([0-9]*\):[0-9]*",$/\1/p' >"$SCRATCH/out"
	if [ -s "$SCRATCH/out" ] && sed -n '\,// in slices$,=' "$1.slices.stp" | cmp -s - "$SCRATCH/out"; then
		ok "emit/$1.slices"
	else
		not_ok "emit/$1.slices" "$(cat "$SCRATCH/err")in slices are lines $(paste -sd, "$SCRATCH/out")"
	fi
}

# Hundreds of statements that differ only in names, constants and texts give rows of a table, not C of their own.
shares() { # NAME N STATEMENT, with I for the number of the statement
	{
		awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) print "global g" i ", s" i }'
		echo 'probe begin {'
		awk -v n="$2" -v text="$3" 'BEGIN { for (i = 0; i < n; i++) { line = text; gsub(/I/, i, line); print line } }'
		echo '} probe end { println(1)'
		awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) print "println(g" i ", @sum(s" i "), @avg(s" i "))" }'
		echo '}'
	} >"$SCRATCH/shares.stp"
	"$STAP" --runtime=user -p3 "$SCRATCH/shares.stp" >"$SCRATCH/out" 2>"$SCRATCH/err"
	if [ "$(grep -c 'stp_scalar_merge\|stp_copy\|stp_stat_add' "$SCRATCH/out")" -le 10 ] && grep -q stp_scalar_merge "$SCRATCH/out"; then
		ok "emit/shares-$1"
	else
		not_ok "emit/shares-$1" "$(head -n 20 "$SCRATCH/err"; grep -c . "$SCRATCH/out") lines of C"
	fi
}

for name in $(wanted_files .stp "$@"); do
	case $name in
	*.bad) refuses "${name%.bad}" ;;
	*.slices) slices "${name%.slices}" ;;
	*) gives "$name" ;;
	esac
done
if wanted_some shares-; then
	shares one 300 'sI <<< I; gI = I'
	shares several 300 'if (gI > I) println("I", gI); gI = gI * 2 + I; xI = sprint(gI); println(xI . "I"); sI <<< strlen(xI)'
fi
wanted_some compiles-with- || exit 0

mkdir -p "$SCRATCH/emit"
for file in *.stp ../run/*.stp; do
	eval "options=($(directive "$file" options))"
	eval "args=($(directive "$file" args))"
	"$STAP" --runtime=user -p3 ${options[@]+"${options[@]}"} "$file" ${args[@]+"${args[@]}"} \
		>"$SCRATCH/emit/$(basename "$file" .stp).c" 2>/dev/null || rm -f "$SCRATCH/emit/$(basename "$file" .stp).c"
done
compiles gcc "$SCRATCH"/emit/*.c
[ -n "${BASIC-}" ] || compiles clang "$SCRATCH"/emit/*.c
