# SPDX-License-Identifier: GPL-2.0-or-later
# points.tests: every form of probe point is listed and rejected as expected. Then all points at once, for which -l,
# -L, -L -v and --json must agree. (Read by run.sh, which sets $release.)
points=$SCRATCH/points
mkdir -p "$points" && cd "$points" || exit 1
cat >libt.c <<-'E2'
	#include <stdlib.h>
	#include <sys/sdt.h>
	int twice(int n) { STAP_PROBE1(lib, twice, n); void *volatile p = malloc(n); free(p); return 2 * n; }
	static inline int half(int n) { __asm__ volatile("" : "+r"(n)); return n / 2; }
	int quarter(int n)
	{
		if (n < 0)
			goto out;
		n = half(n) + half(n + 3);
	out:
		__asm__ volatile("nop");
		return n;
	}
E2
echo 'volatile int kept; int main(void) { kept = 1; return kept; }' >fixed.c
echo 'int twice(int), quarter(int); int main(int c, char **v) { return twice(c) + quarter(c); }' >user.c
for program in known marks; do gcc -g -O2 -I"$SOURCE/include" -o $program "$TESTS/programs/$program.c"; done &&
	gcc -g -O2 -fPIC -shared -I"$SOURCE/include" -o libt.so libt.c && gcc -g -no-pie -o fixed fixed.c && gcc -g -O2 -o user user.c -L. -lt -Wl,-rpath,. ||
	{ not_ok list/points gcc; return; }
id=$(readelf -n known | sed -n 's/.*Build ID: //p')
mkdir -p "ids/.build-id/${id:0:2}" && ln -s "$points/known" "ids/.build-id/${id:0:2}/${id:2}"
add=0x$(nm known | awk '$3 == "add" { print $1 }')
vfs_read=0x$(nm "/usr/lib/debug/boot/vmlinux-$release" | awk '$3 == "vfs_read" { print $1 }')
lo_ioctl=0x$(nm "$(find "/usr/lib/debug/lib/modules/$release" -name 'loop.ko*')" | awk '$3 == "lo_ioctl" { print $1 }')
advice="DWARF debuginfo is in the package linux-image-$release-dbg"
with_dwarf=/usr/lib/debug:$points/ids every=()

ask() { # PATH[:-cCOMMAND] ARGUMENTS...
	local command=()
	[ "$1" = "${1#*:-c}" ] || command=(-c "${1#*:-c}")
	SYSTEMTAP_DEBUGINFO_PATH=${1%:-c*} timeout 300 "$STAP" -r "$release" ${command[@]+"${command[@]}"} "${@:2}" >"$points/out" 2>"$points/err" </dev/null
}

listed() { # NAME PATH POINT PATTERN
	local line status=0
	ask "$2" -g -L "$3" || status=$?
	while IFS= read -r line; do
		# shellcheck disable=SC2053
		[[ $status -ne 0 || $line != $4 ]] || { ok "$1"; return; }
	done <"$points/out"
	if [ "$4" = - ] && [ $status -eq 1 ] && [ ! -s "$points/out" ] && grep -q "^stap: nothing found: " "$points/err"; then ok "$1"; else
		not_ok "$1" "status $status, wanted: $4
$(head -n 6 "$points/out" "$points/err")"
	fi
}

point() {
	listed "list/points $1" "$with_dwarf" "$1" "$2"
	every+=("$1")
	[ $# -lt 3 ] || listed "list/points $1 without DWARF" /nonexistent "$1" "$3"
}

of_command() { listed "list/points $1 of a command" "$with_dwarf:-c./fixed" "$1" "$2"; }

refused() { # NAME PATH POINT TEXT
	local status=0
	ask "$2" -p2 -e "probe $3 { println(1) }" || status=$?
	if [ $status -eq 1 ] && grep -qF -- "$4" "$points/err"; then ok "$1"; else
		not_ok "$1" "status $status, wanted: $4
$(head -n 6 "$points/err")"
	fi
}

misuse() {
	[ -z "$2" ] || refused "list/misuse $1" "$with_dwarf" "$1" "$2"
	[ $# -lt 3 ] || refused "list/misuse $1 without DWARF" /nonexistent "$1" "$3"
}

# shellcheck source=/dev/null
. "$TESTS/list/points.tests"

agree() { # PATH NAME
	local all
	all=$(printf '%s, ' "${every[@]}")
	ask "$1" -g -L "${all%, }" && cp out vars
	ask "$1" -g -l "${all%, }" && cp out names
	ask "$1" -g -v -L "${all%, }" && cp out each
	ask "$1" -g --json -L "${all%, }" && cp out json
	ask "$1" -g --json -l "${all%, }" && cp out json-names
	# Each point that is printed is accepted and found again; "timer.s(number)" is a pattern, and the process
	# with an ID has exited.
	grep -v '(number)\|(string)\|^process([0-9]' names >typed
	all=$(paste -sd, typed)
	ask "$1" -g -l "$all" && cp out again
	python3 - <<-'E2' >problems 2>&1
		import json
		point = lambda line: line[:end(line)]
		def end(line):
		    depth = quoted = 0
		    for i, c in enumerate(line):
		        quoted ^= c == '"'
		        if c == ' ' and not quoted:
		            return i
		    return len(line)
		vars, names, each = ([l.rstrip("\n") for l in open(f)] for f in ("vars", "names", "each"))
		if len(names) < 50: print("few:", len(names))
		if [point(l) for l in vars] != names: print("-l and -L differ:", set(names) ^ {point(l) for l in vars})
		if {point(l) for l in each} != set(names) or len(each) < len(vars): print("-v has other points, or fewer lines")
		text = lambda p: " ".join([p["point"]] + [v["name"] + ":" + v["type"] for v in p["variables"]])
		if [text(p) for p in json.load(open("json"))] != vars: print("--json differs from -L")
		lost = sorted(set(open("typed")) - set(open("again")))
		if lost: print("not found when they are typed:", "".join(lost))
		if [p["point"] for p in json.load(open("json-names"))] != names: print("--json differs from -l")
	E2
	if [ -s problems ]; then not_ok "list/$2" "$(head -c 3000 problems)"; else ok "list/$2"; fi
}
agree "$with_dwarf" 'all points agree'
agree /nonexistent 'all points agree without DWARF'
cd "$TESTS/list" || exit 1
