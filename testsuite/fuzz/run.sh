#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile scripts, then each fuzzer, seeded with the test suite's own scripts: run.sh [NAME ...]. A short run
# generates the same inputs each time, since the compared operands and addresses from which libFuzzer learns are the
# same: addresses are not randomised, the environment and all paths are the same, the order of the seeds is fixed,
# and the corpus is not read again. $FUZZ_INPUTS multiplies their number: the default, 1, is for runs of the whole test suite;
# with 3 or more, "passes" also begins with all scripts instead of every third. With $FUZZ_SECONDS it continues for that time
# with others. The fuzzers are built by clang in $FUZZ_BUILD (default: in $SCRATCH, so each time, which takes three minutes
# of CPU time); their findings stay in $FUZZ_BUILD/found.
set -u
. "$TESTS/lib.sh"
build=${FUZZ_BUILD:-$SCRATCH/fuzz} seconds=${FUZZ_SECONDS:-0} inputs=${FUZZ_INPUTS:-1}
declare -A short=([lex]=1700 [parse]=1200 [bpftrace]=6000 [passes]=40 [regex]=1200 [index]=60000 [debuginfo]=800 [program]=9000 [report]=1000 [relay]=30000 [control]=30000 [module]=120000 [server]=12000)
sanitize='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined'

seed_scripts() { # DIRECTORY [EVERY]
	local n=0
	for file in "$TESTS"/*/*.stp; do ((n++ % ${2:-1})) || cp "$file" "$1/$n.stp"; done
}

seed_patterns() {
	local n=0
	grep -rhoE '[=!]~ *"[^"]*"' --include='*.stp' "$TESTS" | sed -E 's/^.. *"//; s/"$//' | sort -u |
		while read -r pattern; do
			n=$((n + 1))
			printf %s "$pattern" >"$1/$n"
		done
}

# Tables with a few names for which the searches look.
seed_index() {
	printf '\20\2\2\2\2\2\2\2\2\2\2\0a\0b\0a.c\0x/b\0ab\0abc' >"$1/small"
	{ printf '\20\2\2\2\2\2\2\2\2\2\2\0a\0b\0a.c\0x/b\0ab\0'; head -c 300 /dev/zero | tr '\0' '\1'; } >"$1/ones"
	{ printf '\20\2\2\2\10\10\2\10\2\2\2\0a\0b\0a.c\0x/b\0ab\0'; head -c 600 /dev/zero; } >"$1/zeroes"
}

# Inputs: BTF and DWARF of a program, in two versions, optimised or not.
seed_debuginfo() {
	local flags n=0
	for flags in '-O1 -gdwarf-4' '-O1 -gdwarf-5' '-O0 -g' '-O2 -g -fdebug-types-section'; do
		gcc $flags -ffile-prefix-map="$PWD=." -ffile-prefix-map="$TESTS=." -c -o "$1/$((n++)).o" "$TESTS/fuzz/seed.c"
	done
	gcc -O1 -gbtf -c -o "$SCRATCH/btf.o" "$TESTS/fuzz/seed.c" &&
		objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$SCRATCH/btf.o" "$1/seed.btf"
	# A struct with an unnamed member of its own type.
	printf '\237\353\1\0\30\0\0\0\0\0\0\0\30\0\0\0\30\0\0\0\5\0\0\0\1\0\0\0\1\0\0\4\4\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0zoo\0' >"$1/itself.btf"
}

# Recorded sessions: of the user runtime, with items that it never writes, and of older versions.
seed_report() {
	local kind
	for kind in stacks lists described-twice names; do
		PYTHONDONTWRITEBYTECODE=1 python3 "$TESTS/report/hostile_session.py" $kind >"$1/$kind"
	done
	for kind in 2 3 4; do
		sed "s/taqr\x05/taqr\x0$kind/" "$1/lists" >"$1/lists-$kind"
	done
	timeout 300 "$STAP" -w --runtime=user --record "$TESTS/report/values.stp" -T 1 >"$1/values" 2>/dev/null
	timeout 300 "$STAP" -w --runtime=user --record -e 'global n probe begin { printf("%d %s\n", 5, "a"); n[1, "b"] <<< 2 exit() }
		probe end { print(@hist_log(n[1, "b"])) }' >"$1/small" 2>/dev/null
}

# Small programs and libraries: with static probes, with symbols in an xz-compressed file inside, with frames and
# lines of both versions; and a file of compressed bytes only.
seed_programs() {
	local flags n=0 bare='-nostdlib -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,max-page-size=16'
	for flags in '-O1 -gdwarf-4 -fno-asynchronous-unwind-tables' '-O2 -gdwarf-5' '-O0 -g -shared -fPIC' '-O2 -shared -fPIC -Wl,-z,lazy'; do
		gcc $flags -ffile-prefix-map="$PWD=." -ffile-prefix-map="$TESTS=." $bare -Wl,-e,zoo_visit -I"$SOURCE/include" -DMARKS -o "$1/$((n++)).elf" "$TESTS/fuzz/seed.c" || return
	done
	# 32-bit programs, if they can be compiled.
	gcc -m32 -O1 -g -ffile-prefix-map="$PWD=." -ffile-prefix-map="$TESTS=." $bare -Wl,-e,zoo_visit -I"$SOURCE/include" -DMARKS -o "$1/narrow.elf" "$TESTS/fuzz/seed.c" 2>/dev/null
	cp "$1/3.elf" "$SCRATCH/packed" && strip "$SCRATCH/packed"
	objcopy -S --keep-symbol=zoo_visit "$1/1.elf" "$SCRATCH/symbols" && xz -f -C none -k "$SCRATCH/symbols" &&
		objcopy --add-section .gnu_debugdata="$SCRATCH/symbols.xz" "$SCRATCH/packed" "$1/packed.elf"
	objcopy --compress-debug-sections=zlib "$1/1.elf" "$1/zlib.elf"
	head -c 900 "$1/1.elf" >"$SCRATCH/some" && gzip -c "$SCRATCH/some" >"$1/some.gz"; xz -C none -c "$SCRATCH/some" >"$1/some.xz"
	zstd -q -c "$SCRATCH/some" >"$1/some.zst" 2>/dev/null; lz4 -l -q -c "$SCRATCH/some" >"$1/some.lz4" 2>/dev/null
	find "$1" -size 0 -delete
}

# Input: a whole session with HELLO, WANTs, their addresses, START, hits, STOP.
seed_control() {
	local zeroes='\0\0\0\0\0\0\0\0' i
	{
		printf '\2\1\100\0\1'
		for i in 1 2 3 4 5 6 7; do printf "$zeroes"; done
		printf '\0\0\0\0\0\0\0'
		for i in 0 1 2; do printf '\6\0\20'; done
		for i in 0 1 2; do printf "\\2\\2\\20\\0\\$i\\0\\0\\0\\0\\0\\0\\0\\1\\2\\3\\4\\5\\6\\7\\0"; done
		printf '\2\3\12\0number=123\2\4\10\0\0\0\0\0\0\0\0\0\3\0'
		for i in 0 1 2 3; do printf "\\17\\$i\\5\\0"; done
		printf '\2\6\0\0\12\1\1\2\5\0\0\2\0\6\0\20'
	} >"$1/session"
}

# Inputs: records, a message of each type, output of commands.
seed_relay() {
	printf '\0\0\0\0\1\7\4\0\5\1\0\5\2\1\3\10\0\0\0\0\0\0\0\0\0\10\20\5\3\1\6\5\0hello\1\5\60\0' >"$1/session"
}

# Messages of an editor.
seed_server() {
	local text n=0
	for text in '{"id":1,"method":"initialize","params":{}}' '{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///%20a","text":"x"}}}' \
		'{"params":{"position":{"line":0,"character":7},"contentChanges":[{"text":"# é\nprobe timer.s(1), kernel.function(\"f\") { x = $a->b /* c */ }"}]}}' \
		'{"params":{"position":{"line":0,"character":2},"contentChanges":[{"range":{"start":{"line":0,"character":6},"end":{"line":0,"character":9}},"text":"𝒳"}]}}'; do
		printf '\100Content-Length: %d\r\n\r\n%s' "$(printf %s "$text" | wc -c)" "$text" >"$1/$n.message"
		printf '\101%s' "$text" >"$1/$n.content"
		n=$((n + 1))
	done
}

# Inputs: the smallest module that staprun accepts, with a long and with a short name.
seed_module() {
	gcc -c '-DRELEASE="6.1.0"' -o "$1/module.ko" "$TESTS/staprun/module.c" && strip --strip-unneeded "$1/module.ko"
	sed 's/stap_0123456789abcdef0123/a/' "$TESTS/staprun/module.c" | gcc -c '-DRELEASE="6.1.0"' -x c -o "$1/short.ko" - && strip --strip-unneeded "$1/short.ko"
}

# Both ends of the loader's channel, which are not part of the translator. The kernel's end is built without kernel
# headers.
build_loader() { # NAME
	local flags=(-std=gnu11 -D_GNU_SOURCE -g -O1 '-fsanitize=address,undefined,fuzzer' -fno-sanitize-recover=undefined -pthread
		-Wno-gnu-variable-sized-type-not-at-end -I"$SOURCE/runtime/include" -o "$build/testsuite/fuzz/fuzz_$1")
	local header sources
	case $1 in
	module) clang "${flags[@]}" "$TESTS/fuzz/fuzz_module.c" "$SOURCE/staprun/image.c" ;;
	relay) clang "${flags[@]}" "$TESTS/fuzz/fuzz_relay.c" "$SOURCE"/staprun/{ring,outfile,losses,frames,repeated,log}.c \
			"$SOURCE"/runtime/user/{mapped_files,code_file}.c ;;
	report)
		mapfile -t sources < <(printf '%s\n' "$SOURCE"/report/*.c | grep -vE '/(main|monitor|screen)\.c$')
		clang "${flags[@]}" -DHTML_DIR="\"$SOURCE/report/html/\"" "$TESTS/fuzz/fuzz_report.c" "${sources[@]}" "$SOURCE/translator/util/debuginfod_client.c" \
			"$SOURCE"/runtime/core/{format,hist,print,string}.c "$SOURCE"/runtime/user/code_file.c -ljson-c -lcrypto -lz -ldw -lelf ;;
	control)
		sources=("$SOURCE"/runtime/kernel/{control,site_addresses,ring}.c)
		mkdir -p "$build/headers/linux"
		for header in $(sed -n 's,^#include <linux/\(.*\)>.*,\1,p' "${sources[@]}"); do : >"$build/headers/linux/$header"; done
		clang "${flags[@]}" -w -fwrapv -fno-strict-aliasing -fno-sanitize=signed-integer-overflow -I"$build/headers" \
			"$TESTS/fuzz/fuzz_control.c" "$SOURCE"/runtime/core/*.c ;;
	esac
}

build_all() {
	mkdir -p "$build/found" && cd "$build" || return
	[ -e Makefile ] || "$SOURCE/configure" CC=clang --disable-gc CFLAGS="-g -O1 $sanitize" >configure.log 2>&1 || return
	local name translator=()
	mkdir -p testsuite/fuzz && : >make.log
	for name; do
		case $name in
		report | relay | control | module) build_loader "$name" >>make.log 2>&1 || return ;;
		*) translator+=("testsuite/fuzz/fuzz_$name") ;;
		esac
	done
	[ ${#translator[@]} -eq 0 ] || make -s -j2 "${translator[@]}" >>make.log 2>&1
}

try() {
	local seeds=seeds-$1 new=corpus-$1 longest=4096 variables=(ASAN_OPTIONS=detect_leaks=0 SYSTEMTAP_TAPSET=tapsets)
	rm -rf "$seeds" && ln -sfn "$SOURCE/tapsets" tapsets
	[[ $1 != debuginfo && $1 != program ]] || longest=16384
	[ $1 != report ] || longest=8192
	mkdir -p "$seeds" "$new"
	case $1 in
	bpftrace) cp "$TESTS"/foreign/*.bt "$seeds" ;;
	regex) seed_patterns "$seeds" ;;
	index) seed_index "$seeds" ;;
	debuginfo) seed_debuginfo "$seeds" ;;
	control) seed_control "$seeds" ;;
	module) seed_module "$seeds" ;;
	server) seed_server "$seeds" ;;
	relay) seed_relay "$seeds" ;;
	report) seed_report "$seeds" ;;
	program) seed_programs "$seeds" ;;
	passes) seed_scripts "$seeds" $((inputs < 3 && !seconds ? 3 : 1)) ;;
	*) seed_scripts "$seeds" ;;
	esac
	local run=(env -i "${variables[@]}" setarch -R) amount=(-reload=0 -seed=1 -runs=$((short[$1] * inputs)))
	setarch -R true 2>/dev/null || run=(env -i "${variables[@]}")
	amount+=(-seed_inputs="$(find "$seeds" -type f | sort | paste -sd,)" "$new")
	((!seconds)) || amount=(-max_total_time="$seconds" "$new" "$seeds")
	if timeout -k 2 $((seconds + 300)) "${run[@]}" "testsuite/fuzz/fuzz_$1" "${amount[@]}" -timeout=60 -rss_limit_mb=1500 \
		-max_len=$longest -close_fd_mask=3 -artifact_prefix="found/$1-" >"$SCRATCH/fuzz.log" 2>&1; then
		ok "fuzz/$1"
	else
		not_ok "fuzz/$1" "$(grep -E 'ERROR|SUMMARY|Test unit|^ +#[0-9] ' "$SCRATCH/fuzz.log" | tail -n 20)"
	fi
}

names=''
for name in lex parse bpftrace passes regex index debuginfo program report relay control module server hostile; do
	! wanted $name || names+=" $name"
done
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
