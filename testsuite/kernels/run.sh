#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The second tier: kernels of other suites and flavours (fetch.sh), each feature's smallest script built for
# it and run in it. Prints a line a kernel and feature, and in the end the table kernel by feature; a run of all of
# them writes it into doc/kernels.md. SUITE "installed": the newest of the series that this machine has.
# QUICKTAP_KERNELS: where the kernels are kept (default ~/.cache/quicktap/kernels).
# Usage: run.sh [SUITE:SERIES:FLAVOUR...]
set -u
TESTS=$(cd "$(dirname "$0")/.." && pwd)
SOURCE=$(dirname "$TESTS")
BUILD=${BUILD:-$SOURCE}
. "$TESTS/lib.sh"
cache=${QUICKTAP_KERNELS:-${XDG_CACHE_HOME:-$HOME/.cache}/quicktap/kernels}
SCRATCH=$(mktemp -d) && trap 'rm -rf "$SCRATCH"' EXIT
export SYSTEMTAP_DIR=$SCRATCH/home
all=
[ $# -gt 0 ] || { all=1; set -- bullseye:5.10:cloud-amd64 installed:6.1:cloud-amd64 bookworm:6.1:rt-amd64 installed:6.12:cloud-amd64 bookworm-backports:6.12:rt-amd64 trixie-backports:7.2:cloud-amd64; }

# name, what it prints, script
features() {
	cat <<'END'
hello|hello|probe begin { println("hello") exit() }
timer|1|global n probe timer.ms(5) { n++ } probe end { println(n > 5) }
profile|1|global n probe timer.profile { n++ } probe end { println(n > 0) }
function|1|global n probe kernel.function("vfs_read") { n++ } probe end { println(n > 0) }
parameter|1|global n probe kernel.function("vfs_read") { if ($count > 0) n++ } probe end { println(n > 0) }
return|1|global n probe kernel.function("vfs_read").return { if ($return > 0) n++ } probe end { println(n > 0) }
entry|1|global n probe kernel.function("vfs_read").return { if (@entry($count) >= $return) n++ } probe end { println(n > 0) }
alias|1|global n probe vfs.read { n++ } probe end { println(n > 0) }
tracepoint|1|global n probe kernel.trace("sched_switch") { n++ } probe end { println(n > 0) }
map|1|global a probe kernel.function("vfs_read") { a[execname(), pid()]++ } probe end { foreach ([e, p] in a) if (e == "cat") n += a[e, p] println(n > 0) }
statistics|1|global a probe kernel.function("vfs_read") { a[execname()] <<< $count } probe end { println(@count(a["cat"]) > 0) }
task|1|probe kernel.function("vfs_read") { if (execname() == "cat") { if (task_execname(task_current()) == "cat") n = 1; println(n) exit() } }
backtrace|1|probe kernel.function("vfs_read") { if (backtrace() != "") { println(1) exit() } }
user-string|1|probe kernel.function("vfs_read") { s = user_string($buf, "x") println(1) exit() }
process|1|global n probe process.begin { n++ } probe end { println(n > 0) }
END
}

# As fetch.sh says it.
installed() { # SERIES
	local image release
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		release=${image#/boot/vmlinuz-}
		[ -d "/lib/modules/$release/build" ] || continue
		printf 'release=%s\ntree=%s\nimage=%s\n' "$release" "/lib/modules/$release/build" "$image"
		return
	done
	echo "no kernel $1 with image and headers is installed" >&2
	return 1
}

facts_of() { # SUITE SERIES FLAVOUR
	if [ "$1" = installed ]; then installed "$2"; else "$TESTS/kernels/fetch.sh" "$cache" "$@"; fi
}

run_kernel() { # SUITE SERIES FLAVOUR
	local facts release tree image dir name want script
	facts=$(facts_of "$@" 2>"$SCRATCH/err") ||
		{ skip "kernels/$1-$2-$3" "$(tail -n 1 "$SCRATCH/err")"; return; }
	release=$(sed -n 's/^release=//p' <<<"$facts") tree=$(sed -n 's/^tree=//p' <<<"$facts") image=$(sed -n 's/^image=//p' <<<"$facts")
	dir=$SCRATCH/$release
	mkdir -p "$dir" "$dir.out"
	while IFS='|' read -r name want script; do
		(cd "$dir" && "$BUILD/stap" -B "CC=$TESTS/kernels/cc" -p4 -r "$tree" -m "t_${name//-/_}" -e "$script") \
			>"$dir.out/$name.build" 2>&1 </dev/null
	done < <(features)
	cat >"$dir/all.sh" <<-'END'
		cd /t && mkdir /out
		for m in t_*.ko; do
			timeout 30 staprun -c "sh -c 'cat /proc/1/status; sleep 0.3'" ./$m 2>/out/$m.err | grep -v : >/out/$m.out
			rmmod ${m%.ko} 2>/dev/null
		done
		cd /out && exec tar cf - .
	END
	"$SOURCE/translator/build/stap-vm" -r "$image" -t 300 -d "$dir:/t" -f "$BUILD/staprun/staprun:/bin/" -f "$BUILD/staprun/stapio:/bin/" \
		-- sh /t/all.sh >"$SCRATCH/tar" 2>"$SCRATCH/err" && ok "kernels/log is clean $release" ||
		not_ok "kernels/log is clean $release" "$(cat "$SCRATCH/err")"
	tar xf "$SCRATCH/tar" -C "$dir.out" 2>/dev/null
	while IFS='|' read -r name want script; do
		if [ "$(head -n 1 "$dir.out/t_${name//-/_}.ko.out" 2>/dev/null)" = "$want" ]; then
			ok "kernels/$name $release"
			echo "$release $name yes" >>"$SCRATCH/table"
		else
			not_ok "kernels/$name $release" "$(grep -hE 'error|ERROR' "$dir.out/$name.build" | head -n 3; cat "$dir.out/t_${name//-/_}.ko.err" "$dir.out/t_${name//-/_}.ko.out" 2>/dev/null | head -n 3)"
			echo "$release $name no" >>"$SCRATCH/table"
		fi
	done < <(features)
}

for kernel; do
	IFS=: read -r suite series flavour <<<"$kernel"
	run_kernel "$suite" "$series" "$flavour"
done
# Rows are features, columns kernels.
table() {
	awk '!($1 in col) { col[$1]; order[++n] = $1 } !($2 in row) { row[$2]; rows[++m] = $2 } { v[$1, $2] = $3 }
	END { printf "| feature |"; for (i = 1; i <= n; i++) printf " %s |", order[i]; printf "\n|---|"; for (i = 1; i <= n; i++) printf "---|"; print ""
		for (j = 1; j <= m; j++) { printf "| %s |", rows[j]; for (i = 1; i <= n; i++) printf " %s |", v[order[i], rows[j]]; print "" } }' "$SCRATCH/table"
}

if [ -e "$SCRATCH/table" ]; then
	table
	[ -z "$all" ] || { printf 'What was seen to work on which kernel; made by `make check-kernels`, each feature with the smallest script that needs it.\n\n'; table; } >"$SOURCE/doc/kernels.md"
fi
