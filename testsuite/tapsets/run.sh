#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole library is built: one script, made from the library's own files, calls every public function and prints
# every variable of every alias, for 6.1 and 6.12, with DWARF; with BTF alone it is translated to C, in which only
# the loads differ. If that fails, it is repeated file by file, to find the one that fails. Names as arguments
# choose files.
# Names of SystemTap's library that ours does not provide are in doc/not-provided.md, with the reason.
#   tapsets/absent         aliases that cannot be resolved: "NAME WHERE...", WHERE is a kernel's series, or btf: without DWARF
#   tapsets/aliases.tsv    alias, its variables: each is set on each kernel where the alias can be resolved
#   tapsets/types          alias, variable, its type
#   tapsets/untested       names whose results no test checks: "PATTERN REASON"; TAPSETS_TABLE=1 prints the tests of each file
#   tapsets/functions.tsv  function, arguments, result, "guru" where it needs that mode: no other function does
set -u
. "$TESTS/lib.sh"
PATH=$BUILD:$PATH          # stap.pass0 is a static probe in the stap of this build

newest() { # SERIES
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-"$1".* | sort -rV); do
		[ ! -d "/lib/modules/${image#/boot/vmlinuz-}/build" ] || { echo "${image#/boot/vmlinuz-}"; return; }
	done
}

aliases_of() { # FILES: public names
	sed -nE 's/^probe +([a-z][A-Za-z_0-9.]*) *\+?= .*/\1/p' "$@" | sort -u
}

# Writes calls of every public function with 1 and "1"; values are printed.
calls_of() { # FILES
	sed -E ':more; /^function [^)]*$/ { N; s/\n[ \t]*/ /; b more; }' "$@" |
		sed -nE '/^function +_/d; s/^function +([A-Za-z_0-9]+)(:[a-z]+)? *\(([^)]*)\).*/\1 \2 \3/p' | awk '
		{ name = $1; value = $2 ~ /^:/; rest = $0
		  sub(/^[^ ]+ (:[a-z]+)? ?/, "", rest)
		  n = split(rest, parameters, ","); list = ""
		  for (i = 1; i <= n; i++) list = list (i > 1 ? ", " : "") (parameters[i] ~ /:string/ ? "\"1\"" : "1")
		  print "\t" (value ? "println(" name "(" list "))" : name "(" list ")") }'
}

# Writes probes that print each variable.
probes_of() { # ALIASES
	local points
	points=$(printf '%s?, ' "$@")
	"$STAP" -r "$release" -L "${points%, }" </dev/null 2>"$SCRATCH/list.err" | awk '
		{ printf "probe %s {", $1
		  for (i = 2; i <= NF; i++) if ($i !~ /^\$/ && $i ~ /:(long|string)$/) { sub(/:.*/, "", $i); printf " println(%s)", $i }
		  print " }" }'
}

absent() { grep -qE "^$1( .*)? ($series|$how)( |\$)" "$TESTS/tapsets/absent"; }      # NAME

script_of() { # FILES
	local names
	mapfile -t names < <(aliases_of "$@")
	echo 'probe kernel.function("vfs_read") { println(1)'
	calls_of "$@"
	echo '}'
	[ ${#names[@]} -eq 0 ] || probes_of "${names[@]}"
}

# Prints the names for which doc/not-provided.md has a reason, as patterns of the shell.
excused() {
	awk -F'|' '/^\|/ && $2 !~ /`:/ { n = split($2, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' "$SOURCE/doc/not-provided.md"
}

not_excused() { # reads names from standard input, and prints those without a reason
	local name pattern patterns
	mapfile -t patterns < <(excused)
	while read -r name; do
		for pattern in "${patterns[@]}"; do
			# shellcheck disable=SC2053
			[[ ${name%% *} != $pattern ]] || continue 2
		done
		echo "$name"
	done
}

tables() {
	local missing
	missing=$({ "$STAP" --dump-probe-aliases; "$STAP" --dump-probe-types; } </dev/null | awk -F'\t' '
		NR == FNR { sub(/[ (].*/, "", $1); have[$1]; sub(/\.hz$/, "", $1); have[$1]; next }
		!/^#/ && !($1 in have) { print $1 }' - "$TESTS/tapsets/aliases.tsv" | not_excused)
	if [ -z "$missing" ]; then ok tapsets/names-of-aliases; else not_ok tapsets/names-of-aliases "$missing"; fi
	missing=$("$STAP" --dump-functions </dev/null | awk '
		NR == FNR {      # NAME:TYPE (a:string, b:long)
			name = $0; sub(/[:( ].*/, "", name)
			result = substr($0, length(name) + 1) ~ /^:string/ ? "s" : "-"
			list = $0; sub(/^[^(]*\(/, "", list); sub(/\).*/, "", list)
			n = split(list, parameter, /, */); types = n ? "" : "-"
			for (i = 1; i <= n; i++) types = types (parameter[i] ~ /:string/ ? "s" : "n")
			have[name] = have[name] " " types result
			next
		}
		/^#/ { next }
		{ form = $2 $3; gsub(/n/, "[ns]", form); sub(/-$/, "[-s]", form)
		  if (!(have[$1] " " ~ " " form " ")) print $1 " (" $2 ") " $3 ", there is" have[$1] }' \
		- "$TESTS/tapsets/functions.tsv" | not_excused)
	if [ -z "$missing" ]; then ok tapsets/names-of-functions; else not_ok tapsets/names-of-functions "$missing"; fi
}

functions_of() { # FILES
	sed -nE '/^function +_/d; s/^function +([A-Za-z_0-9]+).*/\1/p' "$@" | sort -u
}

# Prints "FILE NAME TEST" for each public function or probe alias and each test that contains its name, a pattern that
# matches it, or its parts as arguments of a macro ("(tcpmib, InSegs"); "FILE NAME" if no test does. Paths are ignored.
tests_of_names() { # FILES
	local file
	for file in "$@"; do
		{ functions_of "$file"; aliases_of "$file"; } | sed "s|^|$(basename "$file" .stp) |"
	done >"$SCRATCH/names"
	(cd "$TESTS" && grep -aoHE '(/[A-Za-z_0-9.-]+)+|[A-Za-z_][A-Za-z_0-9]*([.][A-Za-z_0-9*]*([{][A-Za-z_0-9,]*[}])?[A-Za-z_0-9*]*)*|[(][a-z]+, *[a-z.A-Z_0-9]+' \
		live/*.test run/*.stp language/*.tests syscalls/*) | awk -F: '
		function has(name, test) { if (!known[name, test]++) tests[name] = tests[name] " " test }
		NR == FNR { split($0, line, " "); files[line[2]] = files[line[2]] " " line[1]; next }
		{ while (sub(/[.](process|counter|sample|hz|maxactive)$/, "", $2)) ; }
		seen[$2, $1]++ { next }
		$2 ~ /^[(]/ { sub(/^[(]/, "", $2); sub(/, */, ".", $2) }
		$2 ~ /[*{]/ { pattern = $2; gsub(/[.]/, "[.]", pattern); gsub(/[*]/, ".*", pattern)
			gsub(/,/, "|", pattern); gsub(/[{]/, "(", pattern); gsub(/[}]/, ")", pattern)
			for (name in files) if (name ~ "^" pattern "$" && name ~ /[.]/) has(name, $1)
			next }
		$2 in files { has($2, $1) }
		END { for (name in files) { n = split(files[name], file, " "); m = split(tests[name], test, " ")
			for (i = 1; i <= n; i++) { if (!m) print file[i], name
				for (j = 1; j <= m; j++) print file[i], name, test[j] } } }' "$SCRATCH/names" - | sort
}

# Every public name has a test, or a reason; every file has a name with a test that runs in kernels, or all its
# names have reasons. A name with a reason must not have a test.
tested() { # FILES
	local problems
	tests_of_names "$@" >"$SCRATCH/tests"
	problems=$(awk 'FILENAME ~ /untested$/ { if (!/^#/ && NF) { pattern = $1; gsub(/\./, "[.]", pattern); gsub(/\*/, ".*", pattern)
				patterns[$1] = "^" pattern "$"; if (NF < 2) print $1 ": no reason" } next }
		NF == 3 { tests[$1] = 1 }
		{ for (p in patterns) if ($2 ~ patterns[p]) { if (NF == 2) { used[p]; next } else if (p == $2 && !told[p]++) print p ": has a test, " $3 } }
		NF == 2 { print $2 " of " $1 ": no test has it" }
		END { for (p in patterns) if (!(p in used) && !(p in told)) print p ": a reason that nothing needs" }' \
		"$TESTS/tapsets/untested" "$SCRATCH/tests")
	if [ -z "$problems" ]; then ok tapsets/names-in-tests; else not_ok tapsets/names-in-tests "$problems"; fi
	[ -z "${TAPSETS_TABLE-}" ] || awk 'NF == 3 && !seen[$1, $3]++ { sub(/\.[a-z]*$/, "", $3); tests[$1] = tests[$1] " " $3 }
		{ files[$1] } END { for (f in files) print f ":" (f in tests ? tests[f] : " none") }' "$SCRATCH/tests" | sort
}

# All functions that the translator lists as public are called by the script that is built.
complete() {
	local missing
	missing=$("$STAP" --dump-functions </dev/null | sed 's/[:( ].*//' | sort -u | while read -r name; do
		grep -qE "(^|[^A-Za-z_0-9])$name\(" "$SCRATCH/all.stp" || echo "$name()"
	done)
	if [ -z "$missing" ]; then ok "tapsets/functions $how $release"; else not_ok "tapsets/functions $how $release" "not called: $missing"; fi
}

# Prints variables that the library's text assigns in aliases, but that the probes in all.stp do not print.
assigned() { # FILES
	awk '
		NR == FNR { if (split($0, word, " ") && word[1] == "probe") have[word[2]] = $0; next }
		/^probe +[a-z][A-Za-z_0-9.]* *\+?=/ { name = $2; body = "" }
		name { line = $0; gsub(/"([^"\\]|\\.)*"/, "", line); sub(/\/\/.*/, "", line); body = body " " line }
		name && (/^}/ || /\{\}$/ || /\} *(\/\/.*)?$/ && !/^[ \t]/) {
			sub(/^[^{]*\{/, "", body)
			while (name in have && match(body, /(^|[^A-Za-z_0-9$@.>])[a-z][A-Za-z_0-9]* *=[^=~]/)) {
				v = substr(body, RSTART, RLENGTH); gsub(/[^A-Za-z_0-9]/, "", v)
				body = substr(body, RSTART + RLENGTH - 1)
				if (v !~ /^_/ && !index(have[name], "println(" v ")")) print name ": no " v
			}
			name = ""
		}' "$SCRATCH/all.stp" "$@" | sort -u
}

# Calls every public function without guru mode.
gurus() { # FILES
	local differ
	{ echo 'probe kernel.function("vfs_read") {'; calls_of "$@"; echo '}'; } >"$SCRATCH/gurus.stp"
	"$STAP" -w -v -p2 -r "$release" "$SCRATCH/gurus.stp" </dev/null >/dev/null 2>"$SCRATCH/gurus.err"
	differ=$(diff <(sed -n 's/.*"\([^"]*\)" may only be called in guru mode.*/\1/p' "$SCRATCH/gurus.err" | sort -u) \
		<(awk -F'\t' '$4 == "guru" { print $1 }' "$TESTS/tapsets/functions.tsv" | sort -u))
	if [ -z "$differ" ]; then ok tapsets/functions-for-gurus; else not_ok tapsets/functions-for-gurus "$differ"; fi
}

# The probes in all.stp print every variable of the table.
variables() {
	awk -F'\t' '
		NR == FNR { if (split($0, word, " ") && word[1] == "probe") have[word[2]] = $0; next }
		!/^#/ && $1 in have { n = split($2, v, " ")
			for (i = 1; i <= n; i++) if (!index(have[$1], "println(" v[i] ")")) print $1 ": no " v[i] }' \
		"$SCRATCH/all.stp" "$TESTS/tapsets/aliases.tsv"
}

# Prints variables whose type differs from the table, and missing ones; points that this kernel does not have are
# omitted.
types() {
	local points
	points=$(awk '!/^#/ && NF { print $1 "?" }' "$TESTS/tapsets/types" | sort -u | paste -sd,)
	"$STAP" -r "$release" -L "$points" </dev/null 2>"$SCRATCH/types.err" | awk '
		NR == FNR { seen[$1]; for (i = 2; i <= NF; i++) { split($i, v, ":"); type[$1, v[1]] = v[2] } next }
		!/^#/ && NF && $1 in seen && type[$1, $2] != $3 { print $1 ": " $2 " is \"" type[$1, $2] "\", not " $3 }
		!/^#/ && $1 in seen { n++ }
		END { if (n < 20) print "only " n " of the variables are there" }' - "$TESTS/tapsets/types"
}

build() { # SCRIPT
	timeout -k 2 600 "$STAP" -g -w "$([ "$how" = btf ] && echo -p3 || echo -p4)" -r "$release" -DMAXACTION=1000 "$1" </dev/null >"$SCRATCH/built" 2>&1
}

on_kernel() { # dwarf|btf FILES
	local how=$1 name file missing=''
	shift
	script_of "$@" >"$SCRATCH/all.stp"
	while read -r name; do
		grep -q "^probe $name {" "$SCRATCH/all.stp" || absent "$name" || missing="$missing $name"
	done < <(aliases_of "$@")
	if [ -z "$missing" ]; then ok "tapsets/aliases $how $release"; else not_ok "tapsets/aliases $how $release" "cannot be resolved:$missing"; fi
	[ -n "$chosen" ] || complete
	missing=$(variables; assigned "$@")
	if [ -z "$missing" ]; then ok "tapsets/variables $how $release"; else not_ok "tapsets/variables $how $release" "$missing"; fi
	missing=$([ -n "$chosen" ] || types)
	if [ -z "$missing" ]; then ok "tapsets/types $how $release"; else not_ok "tapsets/types $how $release" "$missing"; fi
	if build "$SCRATCH/all.stp"; then
		for file in "$@"; do ok "tapsets/$(basename "$file" .stp) $how $release"; done
		return
	fi
	for file in "$@"; do
		script_of "$file" >"$SCRATCH/one.stp"
		if build "$SCRATCH/one.stp"; then
			ok "tapsets/$(basename "$file" .stp) $how $release"
		else
			not_ok "tapsets/$(basename "$file" .stp) $how $release" "$(head -n 12 "$SCRATCH/built")"
		fi
	done
}

# Compares statuses and file types of NFS with the enumerations of a kernel's headers; for a status with two names,
# either is accepted.
nfs_names() { # HEADERS
	local differ
	sed -nE '/enum (nfs_stat|nfsstat4|nfs_ftype4) /,/};/ {
		s/^[ \t]*(NFS_OK|NFS4?ERR_[A-Z_0-9]+|NF4[A-Z]+)[ \t]*=[ \t]*([0-9]+),?.*/\2 \1/; s/NFS4ERR/NFSERR/; s/NFS4_OK/NFS_OK/; /^[0-9]/p
		}' "$1/uapi/linux/nfs.h" "$1/linux/nfs4.h" | grep -v NF4BAD >"$SCRATCH/enumerators"
	{ echo 'probe begin {'; awk '{ printf "println(%d, \" \", %s(%d))\n", $1, $2 ~ /^NF4/ ? "nfs4_ctype" : "nfsderror", $1 }' \
		"$SCRATCH/enumerators"; echo 'exit() }'; } >"$SCRATCH/nfs.stp"
	differ=$(timeout -k 2 100 "$STAP" --runtime=user "$SCRATCH/nfs.stp" 2>&1 </dev/null | awk '
		NR == FNR { names[$0]; next } { n++ } !($0 in names) { print } END { if (n < 90) print n + 0 " names" }' "$SCRATCH/enumerators" -)
	if [ -z "$differ" ]; then ok "tapsets/nfs-names $release"; else not_ok "tapsets/nfs-names $release" "$differ"; fi
}

files=()
for file in "$SOURCE"/tapsets/*.stp "$SOURCE"/tapsets/arch/x86_64/*.stp; do
	[ $# -eq 0 ] || case " $* " in *" $(basename "$file" .stp) "*) ;; *) continue ;; esac
	files+=("$file")
done
chosen=$*
[ ${#files[@]} -gt 0 ] || exit 0
[ $# -gt 0 ] || { tables; tested "${files[@]}"; }
for series in 6.1 6.12; do
	release=$(newest $series)
	if [ -z "$release" ]; then
		skip "tapsets/* on $series" "no kernel $series with image and headers is installed"
		continue
	fi
	[ $# -gt 0 ] || [ $series != 6.1 ] || gurus "${files[@]}"
	[ $# -gt 0 ] || nfs_names "$(realpath "/lib/modules/$release/source")/include"
	if [ -e "/usr/lib/debug/boot/vmlinux-$release" ]; then
		on_kernel dwarf "${files[@]}"
	else
		skip "tapsets/* dwarf $release" "the kernel's -dbg package"
	fi
	SYSTEMTAP_DEBUGINFO_PATH=/nonexistent
	export SYSTEMTAP_DEBUGINFO_PATH
	on_kernel btf "${files[@]}"
	unset SYSTEMTAP_DEBUGINFO_PATH
done
