# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Read by run.sh: every system call of staprun, and of stapio, fails once (inject.c). In each case: no hang and no
# crash; a module that was loaded is unloaded, or a message says that it could not be; no file and no process remains;
# success is only reported for complete output, and other results have a message.
# FAULTS=full: each call with every error; else each with one error, and only some of the calls for ways to run that have
# most in common with others (STRIDE).

fault_errors=(4 12 1 11 5 24 28 2)         # EINTR ENOMEM EPERM EAGAIN EIO EMFILE ENOSPC ENOENT

# Checks the results of a run. $1: exit status, $2: pattern of complete output
fault_problems() {
	local loads unloads
	[ "$1" -lt 124 ] || echo "exit status $1"
	loads=$(grep -c '^f*init_module' "$dir/log") unloads=$(grep -c '^delete_module' "$dir/log")
	[ -n "${FAKE_LOAD-}" ] || [ "${LEAVES-}$1" = 10 ] || [ "$loads" -le "$unloads" ] || grep -q "cannot remove the module\|is in use\|is not loaded" "$dir/errors" ||
		echo "the module stays"
	# The background process writes to the system log.
	[ "$1" -ne 0 ] || [ "$2" = behind ] || [ "$(cat "$dir/output")" = "$2" ] || echo "success, but the output is: $(cat "$dir/output")"
	[ "$1" -eq 0 ] || [ -s "$dir/errors" ] || [ "$(cat "$dir/report" 2>/dev/null)" = 1 ] || echo "exit status $1 without a word"
	if [ "$(cat "$dir/report" 2>/dev/null)" = 84 ]; then   # rmdir
		rmdir /dev/.staprun-*
	elif ! rmdir /dev/.staprun-* 2>&1 | grep -q 'No such'; then
		echo "a directory in /dev stays"
	fi
	! pgrep -f "$scratch/stapio" >/dev/null || echo "stapio stays"
	[ ! -e "$dir/relay-caps" ] || echo "the relay is privileged: $(grep -E '^(Uid|Cap)' "$dir/relay-caps")"
	grep -q 'AddressSanitizer\|runtime error' "$dir/errors" && cat "$dir/errors"
}

fault_run() { # WHO K ERROR ARGUMENT...: sets status. WHO: staprun, stapio, or the command that runs staprun
	local program=$scratch/staprun
	[[ $1 == sta* ]] || program=$1
	local who=$1 inject="$scratch/inject $2 $3 $dir/report"
	shift 3
	: >"$dir/log" && chmod 666 "$dir/log" && rm -f "$dir/report" "$dir"/out* "$dir/relay-caps"
	if [ "$who" = stapio ]; then
		printf '#!/bin/sh\nexec %s %s "$@"\n' "$inject" "$scratch/stapio" >"$dir/relay"
		chmod +x "$dir/relay"
		relay=$dir/relay inject=''
	elif [ "$who" != staprun ]; then
		# shellcheck disable=SC2016  # the script expands it
		printf '#!/bin/sh\ngrep -qE "%s" /proc/self/status && cp /proc/self/status %s/relay-caps\nexec %s "$@"\n' \
			'^Cap(Inh|Prm|Eff|Amb):.*[1-9a-f]|^[UG]id:.*[^0-9]0' "$dir" "$scratch/stapio" >"$dir/relay"
		chmod +x "$dir/relay"
		relay=$dir/relay
	else
		relay=$scratch/stapio
	fi
	# shellcheck disable=SC2086
	(cd "$dir" && FAKE_DIR=$dir FAKE_SCENARIO=$dir/scenario SYSTEMTAP_STAPIO=$relay ASAN_OPTIONS=detect_leaks=0 \
		timeout -k 1 300 $inject $program "$@" >output 2>errors </dev/null)
	status=$?
	# -D: waits for the end of the background process, too.
	[[ " $* " != *' -D '* ]] || for _ in {1..200}; do pgrep -f "$scratch/sta(prun|pio)" >/dev/null || break; sleep 0.05; done
	[ ! -e "$dir/out" ] || mv "$dir/out" "$dir/output"
	[ ! -e "$dir/out.0" ] || mv "$dir/out.0" "$dir/output"
	[ ! -e "$dir/out_cpu0" ] || "$scratch/stap-merge" "$dir"/out_cpu* >"$dir/output" 2>/dev/null
}

faults_of() { # NAME WHO OUTPUT ARGUMENT...
	local name=faults-$1 who=$2 want=$3 k count errors problems='' found stride=1
	wanted "$name" || return 0
	shift 3
	dir=$scratch/$name
	mkdir -p "$dir" && chmod 777 "$dir" && cp kallsyms notes "$dir" && echo 10:63 >"$dir/number" && cp "$scratch/module.ko" "$dir"
	printf '%s\n' ${BULK:+bulk} 'wait start' 'rec 0 1 one\n' 'started 0' 'rec 1 2 two\n' 'message exit' 'wait stop' 'rec 0 3 three\n' \
		'stopped 0 0 0' | grep -v "${WITHOUT-^none}" >"$dir/scenario"
	[ -z "${MISC-}" ] || echo "DEVNAME=systemtap/$MISC" >"$dir/uevent"
	fault_run "$who" 0 0 "$@"
	count=$(sed -n 's/^count //p' "$dir/report" 2>/dev/null)
	if [ "$status" -eq 125 ] || [ -z "$count" ]; then
		echo "skip staprun/$name # no tracing of processes here"
		return
	fi
	found=$(fault_problems "$status" "$want")
	[ "$status" -eq 0 ] || [ -n "${FAKE_LOAD-}" ] || found+="exit status $status: $(cat "$dir/errors")"
	[ "$want" != behind ] || [ "$(cat "$dir/output")" = $'one\ntwo\nthree' ] || found+="output: $(cat "$dir/output")"
	[ -z "${MISC-}" ] || grep -q "^delete_module $MISC" "$dir/log" || found+="not removed"
	[ -z "$found" ] || problems="without a fault: $found"$'\n'
	[ "${FAULTS-}" = full ] || stride=${STRIDE-1}
	for ((k = 1; k <= count; k += stride)); do
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

# Files and signatures belong to root, in a mount namespace: a module of the administrator's directory and a signed
# one, for a member of stapusr.
administrators() {
	local dir
	dir=/lib/modules/$(uname -r)/systemtap
	[ -n "${UNSHARED-}" ] && mount -t tmpfs -o mode=755 none /lib/modules && mkdir -p "$dir" /etc/systemtap/staprun &&
		mount -t tmpfs -o mode=755 none /etc/systemtap/staprun && cp "$scratch/module.ko" "$dir/stap_installed.ko" || return
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout "$scratch/key" -out /etc/systemtap/staprun/cert.pem 2>/dev/null &&
		cp "$scratch/module.ko" "$scratch/signed.ko" && "$source/staprun/stap-sign-module" "$scratch/key" "$scratch/signed.ko"
}

faults() {
	local caps=+sys_module,+syslog,+mknod,+chown,+dac_override lines=$'one\ntwo\nthree'
	faults_of load staprun "$lines" ./module.ko x=5
	FAKE_DEVICE=unnamed faults_of rename staprun "$lines" -R -b 3 ./module.ko
	faults_of relay stapio "$lines" -x $$ -M 1 ./module.ko x=5
	faults_of file stapio "$lines" -o out -S 5 -c true ./module.ko
	WITHOUT=start faults_of attach staprun "$lines" -A stap_x
	faults_of remove staprun '' -d stap_x
	STRIDE=5 faults_of daemon staprun behind -D -o out ./module.ko
	STRIDE=11 faults_of daemon-relay stapio behind -D -o out ./module.ko
	WITHOUT='rec\|exit\|stop' LEAVES=1 STRIDE=11 faults_of detach staprun '' -L ./module.ko
	WITHOUT='rec\|exit\|stop' LEAVES=1 STRIDE=11 faults_of detach-relay stapio '' -L ./module.ko
	WITHOUT=start STRIDE=11 faults_of attach-relay stapio "$lines" -A stap_x
	BULK=1 STRIDE=11 faults_of bulk stapio "$lines" -o out ./module.ko
	MISC=$(find /sys/class/misc -mindepth 1 -printf '%f\n' 2>/dev/null | grep -x '[a-z_]*' | head -n 1) faults_of remove-all staprun '' -d '*'
	FAKE_LOAD=ENOEXEC faults_of refused staprun '' ./module.ko
	# With capabilities instead of root, as with file capabilities.
	if setpriv --inh-caps "$caps" true 2>/dev/null && chmod 711 "$scratch"; then
		faults_of caps "/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all,$caps --ambient-caps -all,$caps $scratch/staprun-caps" "$lines" ./module.ko
	else
		echo "skip staprun/faults-caps # capabilities"
	fi
	if administrators; then
		FAKE_RIGHTS=installed faults_of installed staprun "$lines" stap_installed
		FAKE_RIGHTS=installed faults_of signed staprun "$lines" "$scratch/signed.ko"
		umount /etc/systemtap/staprun && rmdir --ignore-fail-on-non-empty /etc/systemtap/staprun /etc/systemtap
	else
		echo "skip staprun/faults-installed, staprun/faults-signed # no mount namespace"
	fi
}
