# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Read by run.sh: every system call of staprun, and of stapio, fails once (inject.c). Whatever fails: no hang and
# no crash; a module that was loaded is unloaded, or it is said that it could not be; no file and no process stays;
# success is only claimed for complete output, and what else comes of it is said in a message.
# FAULTS=full: each call with every error; else each with one of them.

fault_errors=(4 12 1 11 5 24 28 2)         # EINTR ENOMEM EPERM EAGAIN EIO EMFILE ENOSPC ENOENT

# What a run did wrong. $1: exit status, $2: what stands for complete output
fault_problems() {
	local loads unloads
	[ "$1" -lt 124 ] || echo "exit status $1"
	loads=$(grep -c '^f*init_module' "$dir/log") unloads=$(grep -c '^delete_module' "$dir/log")
	[ "$loads" -le "$unloads" ] || grep -q "can't remove the module\|in use; later\|no module" "$dir/errors" ||
		echo "the module stays"
	[ "$1" -ne 0 ] || [ "$(cat "$dir/output")" = "$2" ] || echo "success, but the output is: $(cat "$dir/output")"
	[ "$1" -eq 0 ] || [ -s "$dir/errors" ] || echo "exit status $1 without a word"
	if [ "$(cat "$dir/report" 2>/dev/null)" = 84 ]; then   # rmdir
		rmdir /dev/.staprun-*
	elif ! rmdir /dev/.staprun-* 2>&1 | grep -q 'No such'; then
		echo "a directory in /dev stays"
	fi
	! pgrep -f "$scratch/stapio" >/dev/null || echo "stapio stays"
	grep -q 'AddressSanitizer\|runtime error' "$dir/errors" && cat "$dir/errors"
}

fault_run() { # WHO K ERROR ARGUMENT...: sets status
	local who=$1 inject="$scratch/inject $2 $3 $dir/report"
	shift 3
	: >"$dir/log" && rm -f "$dir/report" "$dir/out.0"
	if [ "$who" = stapio ]; then
		printf '#!/bin/sh\nexec %s %s "$@"\n' "$inject" "$scratch/stapio" >"$dir/relay"
		chmod +x "$dir/relay"
		relay=$dir/relay inject=''
	else
		relay=$scratch/stapio
	fi
	# shellcheck disable=SC2086
	(cd "$dir" && FAKE_DIR=$dir FAKE_PLAY=$dir/play SYSTEMTAP_STAPIO=$relay ASAN_OPTIONS=detect_leaks=0 \
		timeout -k 1 10 $inject "$scratch/staprun" "$@" >output 2>errors </dev/null)
	status=$?
	[ ! -e "$dir/out.0" ] || mv "$dir/out.0" "$dir/output"
}

faults_of() { # NAME WHO OUTPUT ARGUMENT...
	local name=faults-$1 who=$2 want=$3 k count errors problems='' found
	shift 3
	dir=$scratch/$name
	mkdir -p "$dir" && cp kallsyms notes "$dir" && echo 10:63 >"$dir/number" && cp "$scratch/module.ko" "$dir"
	printf '%s\n' 'wait start' 'rec 0 1 one\n' 'started 0' 'rec 1 2 two\n' 'message exit' 'wait stop' 'rec 0 3 three\n' \
		'stopped 0 0 0' >"$dir/play"
	fault_run "$who" 0 0 "$@"
	count=$(sed -n 's/^count //p' "$dir/report" 2>/dev/null)
	if [ "$status" -eq 125 ] || [ -z "$count" ]; then
		echo "skip staprun/$name # no tracing of processes here"
		return
	fi
	found=$(fault_problems "$status" "$want")
	[ -z "$found" ] || problems="without a fault: $found"$'\n'
	for ((k = 1; k <= count; k++)); do
		errors=("${fault_errors[@]}")
		[ "${FAULTS-}" = full ] || errors=("${fault_errors[k % ${#fault_errors[@]}]}")
		for error in "${errors[@]}"; do
			fault_run "$who" "$k" "$error" "$@"
			found=$(fault_problems "$status" "$want")
			[ -z "$found" ] || problems+="call $k of $count (number $(cat "$dir/report" 2>/dev/null)) fails with $error: $found; $(head -c 300 "$dir/errors")"$'\n'
		done
	done
	if [ -z "$problems" ]; then
		echo "ok staprun/$name"
	else
		echo "not ok staprun/$name"
		sed 's/^/    /' <<<"$problems"
	fi
}

faults() {
	local lines=$'one\ntwo\nthree'
	faults_of load staprun "$lines" ./module.ko x=5
	FAKE_DEVICE=unnamed faults_of rename staprun "$lines" -R -b 3 ./module.ko
	faults_of relay stapio "$lines" ./module.ko x=5
	faults_of file stapio "$lines" -o out -S 5 -c true ./module.ko
}
