#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The example scripts of systemtap-doc, as installed by that package: each is built by the check command of its
# .meta file (stap -p4 SCRIPT without one), for 6.1 or 6.12, alternately; scripts that can run without further input
# are then loaded for two seconds in a virtual machine, several at a time.
#   examples/passes    a line "NAME WHAT..." for each script known to pass on both kernels; WHAT: build, run. Each WHAT
#                      is a test. -u rewrites the file.
#   examples/not-run   scripts that are only built, with the reason
#   examples/not-built scripts that cannot be built on current kernels and systems, with the reason
#   LIVE_ALL=1, or names as arguments: on both kernels
#   EXAMPLES_ALL=1    scripts that are slow according to not-run are run, too, in as many guests as necessary
#   EXAMPLES=DIR       scripts of this directory instead; EXAMPLES_KEEP=DIR keeps modules and output; EXAMPLES_ON=6.1 or
#   EXAMPLES_BUILD_ONLY=1 do less
# Scripts that fail and are not listed are reported in a table, with the reason.
set -u
. "$TESTS/lib.sh"
. "$TESTS/examples/lib.sh"
examples=${EXAMPLES-/usr/share/systemtap/examples}
passes=$TESTS/examples/passes
work=$SCRATCH/examples
VM=$SOURCE/translator/run/stap-vm
known_to() { grep -qE "^$1( .*)? $2( |\$)" "$passes"; }

newest() { # SERIES: a release with an image and a build tree
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		[ ! -d "/lib/modules/${image#/boot/vmlinuz-}/build" ] || { echo "${image#/boot/vmlinuz-}"; return; }
	done
}

# Prints half of the scripts; all if all are tested on both kernels or only one kernel is available.
list_for() { # SERIES
	local both=${LIVE_ALL-}${UPDATE-}${EXAMPLES_ON-}$chosen
	[ -n "$(newest 6.1)" ] && [ -n "$(newest 6.12)" ] || both=1
	awk -v both="$both" -v other="$([ "$1" != 6.1 ]; echo $?)" 'both || NR % 2 == other' "$work/all"
}

# Prints the first line with a reason, without paths of the user.
reason() {
	{ grep -m 1 -oE '(error|ERROR|stap): .*' "$1" || head -n 1 "$1"; } | cut -c 1-150
}

may_run() { # NAME
	! grep -q "^$1 " "$TESTS/examples/not-run" || { [ -n "${EXAMPLES_ALL-}" ] && grep -qE "^$1 +slow: " "$TESTS/examples/not-run"; }
}

build_one() { # NAME FILE: $dir/NAME.{out,err}, $dir/run/NAME.ko; $dir/NAME.failed with the reason
	local module status
	cd "$(dirname "$2")" || return
	with_package "$(package_of "$1")" timeout -k 2 300 bash -c "$(check_command "$2")" >"$dir/$1.out" 2>"$dir/$1.err" </dev/null
	status=$?
	if [ $status -ne 0 ]; then
		echo "build: $(reason "$dir/$1.err")" >"$dir/$1.failed"
		return
	fi
	module=$(grep -m 1 '\.ko$' "$dir/$1.out")
	[ -z "$module" ] || ! may_run "$1" || cp "$module" "$dir/run/$1.ko"
}

why_not() { # NAME: prints the reason why a script cannot be built, if it is listed
	[ ! -e "$dir/run/$1.ko" ] && awk -v name="$1" '$1 == name { sub(/^[^ ]+ +/, ""); print "never: " $0; found = 1 } END { exit !found }' \
		"$TESTS/examples/not-built"
}

# Prints the tests without results in a guest that crashed.
unfinished() {
	sed -n 's/.*\] example //p' "$dir/log" | tr -d '\r' | while read -r name; do
		[ -e "$dir/guest/$name.rc" ] || echo "it ran: $name"
	done
}

# Runs the modules in $dir/run in one guest.
run_guest() {
	local file package probed=()
	for file in "$BUILD/stap" /usr/bin/php /usr/lib/*/libglib-2.0.so.0; do         # programs that some scripts
										       # probe
		[ ! -e "$file" ] || probed+=(-f "$(realpath "$file"):$(realpath "$file")")
	done
	for file in "$packages"/*"$libraries"/lib*.so.*; do
		[ ! -e "$file" ] || [ -L "$file" ] || probed+=(-f "$file:$libraries/${file##*/}")
	done
	"$VM" -r "$release" -t 900 -k softlockup_panic=1 -d "$dir:/t" -f "$BUILD/staprun/staprun:/bin/" -f "$BUILD/staprun/stapio:/bin/" \
		-f /bin/cat:/bin/cat.host "${probed[@]}" -l "$dir/log" -- sh /t/guest.sh >"$dir/tar" 2>"$dir/vm.err"
	status=$?
	tar xif "$dir/tar" -C "$dir/guest" 2>/dev/null      # several tar files, one after the other
	rm -f "$dir/tar"
	if [ $status -ne 0 ]; then
		unclean="$unclean$(cat "$dir/vm.err"; unfinished)"
	elif [ -s "$dir/guest/left" ]; then
		unclean="${unclean}left loaded: $(cat "$dir/guest/left")"
	fi
}

# Runs all scripts in one guest; with EXAMPLES_ALL forty per guest.
run_all() {
	local name status unclean=''
	mkdir "$dir/guest"
	if [ -z "${EXAMPLES_ALL-}" ]; then
		run_guest
	else
		mv "$dir/run" "$dir/all"
		for name in "$dir"/all/*.ko; do echo "$name"; done | xargs -n 40 >"$dir/batches"
		while read -r name; do
			rm -rf "$dir/run" && mkdir "$dir/run"
			# shellcheck disable=SC2086
			ln $name "$dir/run/"
			run_guest
		done <"$dir/batches"
		rm -rf "$dir/run" && mv "$dir/all" "$dir/run"
	fi
	if [ -z "$unclean" ]; then ok "examples/kernel log is clean $release"; else not_ok "examples/kernel log is clean $release" "$unclean"; fi
	for name in "${built[@]}"; do
		[ -e "$dir/run/$name.ko" ] || continue
		if [ ! -e "$dir/guest/$name.rc" ]; then
			echo "run: no result" >"$dir/$name.failed"
		elif [ "$(cat "$dir/guest/$name.rc")" != 0 ] || grep -q '^ERROR' "$dir/guest/$name.err"; then
			echo "run: exit status $(cat "$dir/guest/$name.rc"): $(reason "$dir/guest/$name.err")" >"$dir/$name.failed"
		fi
	done
}

tell() { # NAME WHAT
	if ! known_to "$1" "$2"; then
		return
	elif [ -n "$(package_of "$1")" ] && [ ! -d "$packages/$(package_of "$1")" ]; then
		skip "examples/$1 $2 $release" "package $(package_of "$1") cannot be had"
	elif [ -e "$dir/$1.failed" ]; then
		not_ok "examples/$1 $2 $release" "$(cat "$dir/$1.failed")
$(head -n 12 "$dir/$1.err")"
	else
		ok "examples/$1 $2 $release"
	fi
}

on_kernel() {
	local name file all wanting dir=$work/$release built=()
	mkdir -p "$dir/run" "$dir/target"
	list_for "$1" >"$work/list"
	: >"$dir/build.names"
	: >"$dir/run.names"
	cp "$TESTS/examples/guest.sh" "$dir/"
	export SYSTEMTAP_RELEASE=$release dir release
	stap -p4 -e 'probe begin { println(1) }' >/dev/null 2>&1 </dev/null      # builds the runtime once
	while read -r name file; do echo "$name"; echo "$file"; done <"$work/list" |
		xargs -d '\n' -n 2 -P "$(nproc)" bash -c 'build_one "$@"' build_one
	while read -r name file; do
		if [ -e "$dir/$name.failed" ]; then
			tell "$name" build
			continue
		fi
		echo "$name" >>"$dir/build.names"
		tell "$name" build
		built+=("$name")
		check_command "$file" | grep -oE -m 1 -e ' -[cx]' | tr -d ' ' >"$dir/target/$name"
	done <"$work/list"
	[ -n "${EXAMPLES_BUILD_ONLY-}" ] || run_all
	for name in "${built[@]}"; do
		[ -e "$dir/run/$name.ko" ] && [ -z "${EXAMPLES_BUILD_ONLY-}" ] || continue
		tell "$name" run
		[ -e "$dir/$name.failed" ] || echo "$name" >>"$dir/run.names"
	done
	all=$(wc -l <"$work/list") wanting=0
	while read -r name file; do
		[ -e "$dir/run/$name.ko" ] || [ ! -e "$dir/$name.failed" ] || supported "$file" || wanting=$((wanting + 1))
	done <"$work/list"
	printf 'examples on %s: %d, built %d, run %d; of all %d %% built, without the %d whose own conditions fail here %d %%\n' "$release" "$all" \
		"$(grep -c . "$dir/build.names")" "$(grep -c . "$dir/run.names")" $(($(grep -c . "$dir/build.names") * 100 / all)) "$wanting" \
		$(($(grep -c . "$dir/build.names") * 100 / (all - wanting)))
	for file in "$dir"/*.failed; do
		[ -e "$file" ] || continue
		name=$(basename "$file" .failed)
		printf '%-28s %s\n' "$name" "$(why_not "$name" || cat "$file")"
	done | tee "$dir/table" | sed 's/^/    /'
	[ -z "${EXAMPLES_KEEP-}" ] || cp -r "$dir" "$EXAMPLES_KEEP"
}

if [ ! -d "$examples" ]; then
	skip "examples/*" "package systemtap-doc"
	exit 0
fi
mkdir -p "$work" "$SCRATCH/bin"
ln -s "$STAP" "$SCRATCH/bin/stap"
export PATH=$SCRATCH/bin:$PATH TMPDIR=$SCRATCH
export packages libraries
export -f build_one may_run check_command reason package_of with_package
chosen=$*
list_scripts | awk -v names="$chosen" 'BEGIN { n = split(names, name); for (i in name) chosen[name[i]] } !n || $1 in chosen' >"$work/all"
while read -r name _; do
	package=$(package_of "$name")
	[ -z "$package" ] || fetch_package "$package"
done <"$work/all"
for series in ${EXAMPLES_ON-6.1 6.12}; do
	release=$(newest $series)
	if [ -z "$release" ]; then
		skip "examples/* on $series" "no kernel $series with image and headers is installed"
	else
		on_kernel "$series"
	fi
done
if [ -n "${UPDATE-}" ] && [ $# -eq 0 ]; then
	for what in build run; do
		sort "$work"/*/$what.names 2>/dev/null | uniq -c | awk -v what=$what '$1 == 2 { print $2, what }'
	done | sort | awk '{ what[$1] = what[$1] " " $2 } END { for (name in what) print name what[name] }' | sort >"$passes"
fi
