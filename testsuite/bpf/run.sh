#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts that run as BPF programs, on the running kernel: NAME.test uses the helper functions of this file.
# refused.tests: scripts that pass 2 rejects. Without root, BPF, clang or the headers of libbpf only the latter are
# tested.
set -u
. "$TESTS/lib.sh"
. "$TESTS/refuse.sh"

missing=""
[ "$(id -u)" -eq 0 ] || missing=root
[ -e /sys/kernel/btf/vmlinux ] || missing="a kernel with BTF"
[ -e /usr/include/bpf/libbpf.h ] || missing=libbpf-dev
command -v clang >/dev/null || missing=clang
[ -n "$missing" ] || "$STAP" --runtime=bpf -e 'global n probe kernel.trace("sched_switch") { n++ } probe begin { exit() } probe end { println(n >= 0) }' \
	>"$SCRATCH/out" 2>"$SCRATCH/err" || ! grep -q 'cannot be loaded' "$SCRATCH/err" || missing="a kernel that loads BPF programs"

# A program that calls the kernel a known number of times: each of THREADS threads calls getppid(), whose number is
# this, COUNT times.
getppid=110
gcc -g -O1 -pthread -o "$SCRATCH/calls" "$TESTS/bpf/calls.c" || exit 1
gcc -g -O1 -fno-optimize-sibling-calls -pthread -o "$SCRATCH/returns" "$TESTS/bpf/returns.c" || exit 1

# carried NAME EXPECTED OPTION...: the script on standard input prints EXPECTED and nothing on standard error, and ends with status 0.
carried() {
	local label=bpf/$1 want=$2 status=0
	wanted "$1" || return 0
	[ -z "$missing" ] || { skip "$label" "$missing"; return; }
	cat >"$SCRATCH/$1.stp"
	# On a busy machine, hits may wait too long for the client, which was preempted while it held a lock: another try.
	for _ in 1 2 3; do
		status=0
		STP_BPF_COUNTS=$SCRATCH/counts-$1 timeout -k 2 600 "$STAP" --runtime=bpf -DMAXTRYLOCK=10000 "${@:3}" "$SCRATCH/$1.stp" \
			>"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
		grep -q 'Skipped due to global lock timeout' "$SCRATCH/err" || break
	done
	# A busy machine may run the client too late for its timers; a script may end before its command.
	sed -i '/^WARNING: Missed timer ticks/d; /^the script ended; waiting for /d' "$SCRATCH/err"
	if [ $status -ne 0 ] || [ -s "$SCRATCH/err" ] || [ "$(cat "$SCRATCH/out")" != "$want" ]; then
		not_ok "$label" "status $status, printed:
$(head -n 30 "$SCRATCH/out")
$(head -n 30 "$SCRATCH/err")
wanted:
$want"
		return
	fi
	ok "$label"
}

# failed NAME PATTERN OPTION...: the script on standard input ends with this error, printed once, and status 1.
failed() {
	local label=bpf/$1 want=$2 status=0
	wanted "$1" || return 0
	[ -z "$missing" ] || { skip "$label" "$missing"; return; }
	cat >"$SCRATCH/$1.stp"
	STP_BPF_COUNTS=$SCRATCH/counts-$1 timeout -k 2 600 "$STAP" --runtime=bpf "${@:3}" "$SCRATCH/$1.stp" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
	if [ $status -eq 1 ] && [ "$(grep -c "^ERROR: $want" "$SCRATCH/err")" -eq 1 ]; then
		ok "$label"
	else
		not_ok "$label" "status $status, wanted $want:
$(head -n 30 "$SCRATCH/err")"
	fi
}

cd "$TESTS/bpf" || exit 1
for part in *.test; do
	# shellcheck source=/dev/null
	. "$TESTS/bpf/$part"
done
if wanted refused; then
	table=bpf/refused RUNTIME=(--runtime=bpf)
	if [ -e /sys/kernel/btf/vmlinux ]; then
		# shellcheck source=/dev/null
		. "$TESTS/bpf/refused.tests"
	else
		skip bpf/refused "a kernel with BTF"
	fi
fi

# The number of instructions that the verifier has followed for each test: for the largest program (limit 1,000,000)
# and for all programs of the script. The table is in $SCRATCH/verifier (--keep), and its first lines are printed.
for file in "$SCRATCH"/counts-*; do
	[ ! -e "$file" ] || printf '%s %s\n' "$(sort -rn "$file" | head -n 1)" "${file#"$SCRATCH"/counts-}"
done | sort -rn | awk '{ printf "%8d %8d %s\n", $1, $2, $3 }' >"$SCRATCH/verifier"
if [ -s "$SCRATCH/verifier" ]; then
	echo "# bpf: the verifier's instructions (of 1,000,000): the largest program, all programs, the test"
	head -n 8 "$SCRATCH/verifier" | sed 's/^/# /'
	if awk '$1 > 800000 { found = 1 } END { exit !found }' "$SCRATCH/verifier"; then
		not_ok bpf/verifier "a program is near the limit: $(head -n 3 "$SCRATCH/verifier")"
	else
		ok bpf/verifier
	fi
fi
