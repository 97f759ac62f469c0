#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# staprun and stapio on real kernels, in one boot each: the output of vm-guest.sh must equal vm.out. KILL_STEP=1:
# killed, and stopped, at each system call instead of every N-th; LIMIT: seconds (1800).
# Usage: vm.sh [-u] [RELEASE...]   (default: every kernel of /boot that has headers)
set -u
cd "$(dirname "$0")" || exit 1
source=$(cd ../.. && pwd) build=${BUILD:-$(cd ../.. && pwd)}
scratch=$(mktemp -d "${SCRATCH:-/tmp}/staprun-vm.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
update=${UPDATE-}
[ "${1-}" != -u ] || { update=1; shift; }
if [ $# -eq 0 ]; then
	for image in /boot/vmlinuz-*; do
		[ ! -e "/lib/modules/${image#/boot/vmlinuz-}/build" ] || set -- "$@" "${image#/boot/vmlinuz-}"
	done
fi

module() { # NAME ARGUMENTS OF stap
	local name=$1
	shift
	(cd "$scratch/$release" && "$build/stap" -p4 -r "$release" -m "$name" "$@") >"$scratch/log" 2>&1 ||
		cat "$scratch/log"
}

modules() {
	mkdir -p "$scratch/$release"
	module t_hello -e 'probe begin { println("hello") exit() }'
	module t_count -e 'global n probe kernel.function("vfs_read") { n++ } probe end { println(n > 0) }'
	module t_tick -e 'probe begin { println("began ", target() > 0) } probe timer.ms(50) { println("tick") }
		probe end { println("ended") }'
	module t_many -e 'probe kernel.function("vfs_read") {
		for (i = 0; i < 20; i++) println(cpu(), " ", i, " abcdefghijklmnopqrstuvwxyz") }'
	module t_end -DMAXACTION=1000000 -e 'probe end {
		for (i = 0; i < 5000; i++) println("end ", i, " abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz") }'
	module t_system -e 'probe begin { println("one") system("echo from system; id -u") }
		probe timer.ms(300) { exit() }'
	module t_error -e 'global z probe begin { z++; z--; println(1/z) }'
	module t_set -e 'global x = 1, s = "a" probe begin { println(x, s) exit() }'
	module t_argv -e 'probe begin { printf("%d", argc) for (i = 1; i <= argc; i++) printf(" [%s]", argv[i]) println("") warn("w") exit() }' one
	module t_bulk -b -e 'global n probe kernel.function("vfs_read") { if (execname() == "dd") printf("%d %d\n", ++n, cpu()) }
		probe end { println("all ", n) }'
	module t_remote -e 'probe begin { println(remote_id(), " ", remote_uri()) exit() }'
	module stap_0123456789abcdef -e 'global v = 0 probe begin { println("value ", v) } probe timer.ms(100) { println("tick ", v) }'
	module t_user --privilege=stapusr -e 'probe begin { println("hello ", uid()) exit() }'
	module t_own --privilege=stapusr -e 'probe process.begin, process.end, process.syscall { println(uid()) }'
	module t_guard --privilege=stapusr -e 'global seen probe process.begin, process.syscall { if (execname() =~ "^guard") seen[execname()]++ }
		probe end { foreach (name in seen+) println(name) }'
	module t_mine -e 'global mine probe process.syscall { if (execname() =~ "^guard") mine[uid(), is_myproc()]++ }
		probe end { foreach ([u, own] in mine+) println(u, " ", own) }'
	module t_level --privilege=stapsys -e 'probe timer.s(60), kernel.function("vfs_read") { exit() } probe end { println("system") }'
	module t_files -e 'probe procfs("f").read { $value = "x" } probe begin { println("began") } probe timer.ms(200) { exit() }'
	module t_slow -g -DSTP_NO_OVERLOAD -e '%{ #include <linux/delay.h> %} function slow() %{ mdelay(1500); %}
		probe kernel.function("proc_mkdir") { if (execname() == "stapio") slow() } probe begin { println("slow") }'
	# The other CPU is busy for 2.5 s from the moment at which a module queues the work that finds its stack.
	module t_late -g -e '%{ #include <linux/delay.h>
		#include <linux/kallsyms.h>
		#include <linux/smp.h>
		static void busy(void *unused) { mdelay(2500); }
		static call_single_data_t call = { .func = busy }; %}
		global made_busy
		function late(f, cpu) %{ char name[KSYM_SYMBOL_LEN]; sprint_symbol_no_offset(name, STAP_ARG_f);
			STAP_RETVALUE = !strncmp(name, "learn [", 7) && STAP_ARG_cpu != smp_processor_id();
			if (STAP_RETVALUE) smp_call_function_single_async(STAP_ARG_cpu, &call); %}
		probe kernel.trace("workqueue_queue_work") { made_busy += late($work->func, $req_cpu) }
		probe begin { println("late") } probe end { println("made busy: ", made_busy) }'
	module t_profile -e 'global n probe timer.profile { n[cpu()]++ } probe timer.s(4) { println(n[0] > 0, n[1] > 0) exit() }'
	module t_big -g -e '%{ char stp_test_big[1100000000]; %} function big() %{ stp_test_big[1] = 1; %} probe begin { big() exit() }'
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout "$scratch/key" -out "$scratch/$release/cert.pem" 2>"$scratch/log" ||
		cat "$scratch/log"
	for name in t_user t_own t_guard t_level t_hello t_tick; do "$source/staprun/stap-sign-module" "$scratch/key" "$scratch/$release/$name.ko"; done
	cp "/lib/modules/$release/kernel/drivers/net/dummy.ko"* "$scratch/$release"
	[ ! -e "$scratch/$release/dummy.ko.xz" ] || xz -d "$scratch/$release/dummy.ko.xz"
	# In the layout of make install, for a machine without other files.
	mkdir -p "$scratch/$release/usr/bin" "$scratch/$release/usr/libexec/quicktap"
	cp "$build/staprun/staprun" "$scratch/$release/usr/bin" && cp "$build/staprun/stapio" "$scratch/$release/usr/libexec/quicktap"
	echo '#include <sys/prctl.h>
		#include <unistd.h>
		int main(int n, char **args) { if (n > 1) prctl(PR_SET_DUMPABLE, 0), prctl(PR_SET_NAME, args[1]); return setuid(getuid()) || getppid() == 1; }' |
		gcc -static -x c -o "$scratch/$release/guard" -
	echo '#include <unistd.h>
		__attribute__((constructor)) static void loaded(void) { if (write(2, "loaded\n", 7)) _exit(9); }' |
		gcc -shared -fPIC -x c -o "$scratch/$release/evil.so" -
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -static -I"$source/runtime/include" -o "$scratch/$release/hostile" hostile.c &&
		gcc -std=gnu11 -D_GNU_SOURCE -O1 -static -o "$scratch/$release/inject" inject.c || return
	cp "$build/staprun/stap-merge" "$build/staprun/staprun" "$build/staprun/stapio" vm-guest.sh "$scratch/$release"
	# A module for another kernel, according to its version text (with CRCs, the release alone is ignored).
	sed "s/vermagic=$release SMP/vermagic=${release//[0-9]/9} UP_/" "$scratch/$release/t_hello.ko" \
		>"$scratch/$release/other.ko"
	sed "s/vermagic=$release SMP/vermagic=$release UP_/" "$scratch/$release/t_hello.ko" >"$scratch/$release/build.ko"
	objcopy --dump-section "__versions=$scratch/versions" "$scratch/$release/t_hello.ko" "$scratch/plain.ko" &&
		printf '\1\2\3\4' | dd of="$scratch/versions" conv=notrunc 2>"$scratch/log" &&
		objcopy --update-section "__versions=$scratch/versions" "$scratch/plain.ko" "$scratch/$release/version.ko"
	# Names that are paths, and a truncated file.
	sed 's/name=t_hello/name=..\/x\/y/g' "$scratch/$release/t_hello.ko" >"$scratch/$release/named.ko"
	sed 's/name=t_hello/name=t_hullo/' "$scratch/$release/t_hello.ko" >"$scratch/$release/lied.ko"
	head -c 9000 "$scratch/$release/t_hello.ko" >"$scratch/$release/half.ko"
	sed "s/misc_register/misc_regXster/g" "$scratch/$release/t_hello.ko" >"$scratch/$release/symbol.ko"
}

for release; do
	modules
	"$source/translator/run/stap-vm" -r "$release" -t "${LIMIT:-1800}" -d "$scratch/$release:/suite" \
		-- sh -c "KILL_STEP=${KILL_STEP-} sh /suite/vm-guest.sh 2>&1" >"$scratch/out" 2>"$scratch/err"
	echo "status $?" >>"$scratch/out"
	sed "/^Killed\$/d; /^WARNING: Missed timer ticks: [0-9]* (handlers took longer than the interval); use a longer interval\$/d; /Records of output not read/d; s/symbol [a-z_]* (err -22)/symbol NAME (err -22)/; s/$release/RUNNING/g; s/${release//[0-9]/9}/OTHER/g" "$scratch/out" >"$scratch/now"
	if [ -n "$update" ]; then
		cp "$scratch/now" vm.out
	fi
	if diff -u vm.out "$scratch/now" >"$scratch/diff" && [ ! -s "$scratch/err" ]; then
		echo "ok staprun/vm on $release"
	else
		echo "not ok staprun/vm on $release"
		cat "$scratch/diff" "$scratch/err" | sed 's/^/    /'
	fi
done
