#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile scripts, then each fuzzer for $FUZZ_SECONDS (10) s on top of the test suite's own scripts:
# run.sh [NAME ...]. They are built by clang in $FUZZ_BUILD (default: in $SCRATCH, so every time anew);
# what they find stays in $FUZZ_BUILD/found.
set -u
. "$TESTS/lib.sh"
build=${FUZZ_BUILD:-$SCRATCH/fuzz} seconds=${FUZZ_SECONDS:-10}
sanitize='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined'

seed_scripts() {
	local n=0
	for file in "$TESTS"/*/*.stp; do cp "$file" "$1/$((n++)).stp"; done
}

seed_patterns() {
	local n=0
	grep -rhoE '[=!]~ *"[^"]*"' --include='*.stp' "$TESTS" | sed -E 's/^.. *"//; s/"$//' | sort -u |
		while read -r pattern; do
			n=$((n + 1))
			printf %s "$pattern" >"$1/$n"
		done
}

# Tables with a few names that the searches ask for.
seed_index() {
	printf '\20\2\2\2\2\2\2\2\2\2\2\0a\0b\0a.c\0x/b\0ab\0abc' >"$1/small"
	{ printf '\20\2\2\2\2\2\2\2\2\2\2\0a\0b\0a.c\0x/b\0ab\0'; head -c 300 /dev/zero | tr '\0' '\1'; } >"$1/ones"
	{ printf '\20\2\2\2\10\10\2\10\2\2\2\0a\0b\0a.c\0x/b\0ab\0'; head -c 600 /dev/zero; } >"$1/zeroes"
}

# A program's BTF and DWARF, of two versions and optimised or not.
seed_debuginfo() {
	local flags n=0
	for flags in '-O1 -gdwarf-4' '-O1 -gdwarf-5' '-O0 -g' '-O2 -g -fdebug-types-section'; do
		gcc $flags -c -o "$1/$((n++)).o" "$TESTS/fuzz/seed.c"
	done
	gcc -O1 -gbtf -c -o "$SCRATCH/btf.o" "$TESTS/fuzz/seed.c" &&
		objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$SCRATCH/btf.o" "$1/seed.btf"
}

build_all() {
	mkdir -p "$build/found" && cd "$build" || return
	[ -e Makefile ] || "$SOURCE/configure" CC=clang --disable-gc CFLAGS="-g -O1 $sanitize" >configure.log 2>&1 || return
	make -s -j2 "${@/#/testsuite/fuzz/fuzz_}" >make.log 2>&1
}

try() {
	local seeds=$SCRATCH/seeds-$1 new=$build/corpus-$1 longest=4096
	[ "$1" != debuginfo ] || longest=16384
	mkdir -p "$seeds" "$new"
	case $1 in
	regex) seed_patterns "$seeds" ;;
	index) seed_index "$seeds" ;;
	debuginfo) seed_debuginfo "$seeds" ;;
	*) seed_scripts "$seeds" ;;
	esac
	if SYSTEMTAP_TAPSET=$SOURCE/tapsets ASAN_OPTIONS=detect_leaks=0 timeout -k 2 $((seconds + 120)) \
		"testsuite/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 -max_len=$longest \
		-close_fd_mask=3 -artifact_prefix="found/$1-" "$new" "$seeds" >"$SCRATCH/fuzz.log" 2>&1; then
		ok "fuzz/$1"
	else
		not_ok "fuzz/$1" "$(grep -E 'ERROR|SUMMARY|Test unit|^ +#[0-9] ' "$SCRATCH/fuzz.log" | tail -n 20)"
	fi
}

names=${*:-lex parse passes regex index debuginfo hostile}
if [[ " $names " = *" hostile "* ]]; then
	bash "$TESTS/fuzz/hostile"
	names=${names/hostile/}
fi
if ! command -v clang >/dev/null; then
	for name in $names; do skip "fuzz/$name" "clang"; done
	exit 0
fi
[ -n "${names// /}" ] || exit 0
build_all $names || { not_ok fuzz/build "$(tail -n 20 "$build/configure.log" "$build/make.log" 2>&1)"; exit 0; }
for name in $names; do try "$name"; done
