# SPDX-License-Identifier: GPL-2.0-or-later
# Values of variables are compared with those that gdb prints, at every statement of programs that are compiled here
# (values.py):
#   zoo.c, zoo.cc: variables of many kinds; locations.s, locations_32bit.s: operations that compilers seldom use, in
#   programs of 64 and 32 bits;
#   random.py: arithmetic on locals, by a seed;
#   formats.c: enumerators as the program prints them; numbers in other formats, which are refused.
# A value that differs fails. A value that only gdb can read is counted and listed: at most $MISSING of 1,000.
# VALUES=full: gcc and clang, -O0 to -O3, DWARF 4 and 5, split, LTO, without frame pointers, PIE; ten random programs.
# Names: zoo cplusplus locations random formats missing
set -u
. "$TESTS/lib.sh"
export SHIM=$TESTS/values/shim.c RUNTIME=$SOURCE/runtime STAP SCRATCH
names=''
for name in zoo cplusplus locations random formats; do ! wanted $name && ! wanted missing || names+=" $name"; done
for tool in gdb gcc python3; do
	command -v "$tool" >/dev/null || { for name in $names; do skip "values/$name" "$tool"; done; exit 0; }
done
pairs=0 missing=0
: "${MISSING:=14}"
: >"$SCRATCH/missing"

# compare NAME SOURCE COMPILER FLAGS...
compare() {
	local name=$1 source=$2 compiler=$3 got program=$SCRATCH/values-program
	shift 3
	command -v "$compiler" >/dev/null || { skip "values/$name: $compiler $*" "$compiler"; return; }
	(cd "$SCRATCH" && "$compiler" -w "$@" -o "$program" "$source") >"$SCRATCH/err" 2>&1 ||
		{ not_ok "values/$name: $compiler $*" "$(head -n 5 "$SCRATCH/err")"; return; }
	PROGRAM=$program SOURCES="*@$(basename "$source"):*" FLAGS="$compiler $*" VISITS=${VISITS-1} \
		timeout 300 gdb -nx -batch -x "$TESTS/values/values.py" >"$SCRATCH/values" 2>&1 </dev/null
	got=$(sed -n 's/^VALUES pairs=\([0-9]*\) differ=\([0-9]*\) missing=\([0-9]*\).*/\1 \2 \3/p' "$SCRATCH/values" | tail -n 1)
	set -- ${got:-0 0 0} -- "$@"
	if [ "$1" -eq 0 ] || [ "$2" -ne 0 ]; then
		not_ok "values/$name: $compiler ${*:5}" "$(grep -v '^MISSING\|^EXTRA\|^SAME' "$SCRATCH/values" | tail -n 15)"
		return
	fi
	ok "values/$name: $compiler ${*:5} ($1 pairs)"
	pairs=$((pairs + $1)) missing=$((missing + $3))
	sed -n "s/^MISSING [^ ]*statement(\(.*\)) /MISSING $name: $compiler ${*:5}: \1 /p" "$SCRATCH/values" >>"$SCRATCH/missing"
}

# everything NAME SOURCE COMPILER: the builds for VALUES=full
everything() {
	local level
	for level in -O0 -O1 -O2 -O3; do
		compare "$@" -g $level -gdwarf-4
		compare "$@" -g $level -gdwarf-5
		compare "$@" -g $level -gsplit-dwarf
		compare "$@" -g $level -flto
		compare "$@" -g $level -fomit-frame-pointer
		compare "$@" -g $level -fPIE -pie
		compare "$@" -g $level -no-pie
	done
}

test_zoo() {
	if [ "${VALUES-}" = full ]; then
		for compiler in gcc clang; do everything zoo "$TESTS/values/zoo.c" $compiler; done
		return
	fi
	compare zoo "$TESTS/values/zoo.c" gcc -g -O0
	compare zoo "$TESTS/values/zoo.c" gcc -g -O2
	compare zoo "$TESTS/values/zoo.c" clang -g -O2 -gdwarf-4
}

test_cplusplus() {
	if [ "${VALUES-}" = full ]; then
		for compiler in g++ clang++; do everything cplusplus "$TESTS/values/zoo.cc" $compiler; done
		return
	fi
	compare cplusplus "$TESTS/values/zoo.cc" g++ -g -O3 -gsplit-dwarf
	compare cplusplus "$TESTS/values/zoo.cc" clang++ -g -O0
}

test_locations() {
	compare locations "$TESTS/values/locations.s" gcc -g0
	if runs_32bit; then
		compare locations "$TESTS/values/locations_32bit.s" gcc -g0 -m32 -nostdlib -static
	else
		skip values/locations "a kernel that runs 32-bit programs"
	fi
}

test_random() {
	local seed last=1 level
	[ "${VALUES-}" != full ] || last=10
	for ((seed = 1; seed <= last; seed++)); do
		python3 "$TESTS/values/random.py" $seed >"$SCRATCH/random.c"
		if [ "${VALUES-}" = full ]; then
			for level in -O1 -O2 -O3; do
				compare "random $seed" "$SCRATCH/random.c" gcc -g -fwrapv $level
				compare "random $seed" "$SCRATCH/random.c" clang -g -fwrapv $level
			done
		else
			compare "random $seed" "$SCRATCH/random.c" gcc -g -fwrapv -O2
		fi
	done
}

# A number in another format is rejected, and printed as "?" in a structure that contains it.
refuses() { # MEMBER PROGRAM
	local got point="process(\"$2\").function(\"look\")"

	got=$("$STAP" -p2 -e "probe $point { println(\$f->$1) }" 2>&1)
	[[ $got = *"cannot be read, because it is "* ]] || { echo "$1 is not refused: $got"; return; }
	got=$("$STAP" -p2 --vp 01 -e "probe $point { println(\$f$\$) }" 2>&1)
	[[ $got = *".${1##*>}=?"* && $got = *'.usual=%d'* ]] || echo "$1 in its struct: $got"
}

test_formats() {
	local compiler flag member got name program=$SCRATCH/values-formats bad

	for compiler in gcc clang; do
		for flag in -gdwarf-5 -gdwarf-4 "-gdwarf-2 -gstrict-dwarf"; do
			command -v $compiler >/dev/null || { skip "values/formats: $compiler $flag" $compiler; continue; }
			$compiler -w -g $flag -o "$program" "$TESTS/values/formats.c" || { not_ok "values/formats: $compiler $flag"; continue; }
			"$program" >"$SCRATCH/formats"
			got=$(sed 's/ .*//; s/.*/printf("%s %d\\n", "&", @enum("&"))/' "$SCRATCH/formats")
			got=$("$STAP" -p2 --vp 01 -e "probe process(\"$program\").function(\"look\") { $got }" 2>&1)
			bad=$(sed 's/\(.*\) \(.*\)/"\1", \2)/' "$SCRATCH/formats" | while read -r name; do
				[[ $got = *"$name"* ]] || echo "not $name: ${got}"
			done)
			set -- complex_float
			[ $compiler != gcc ] || set -- complex_float decimal pair
			[ "$compiler $flag" != "gcc -gdwarf-5" ] || set -- "$@" 'big->wide' 'big->narrow' 'big->low' 'big->high'
			for member; do
				bad+=$(refuses "$member" "$program")
			done
			[ -z "$bad" ] && ok "values/formats: $compiler $flag" || not_ok "values/formats: $compiler $flag" "$(head -n 12 <<<"$bad")"
		done
	done
	# Values of an enumeration without negative enumerators, but with a signed type; gdb treats them as
	# unsigned.
	got='enum class Sign : signed char { ONE = 1 }; int look(Sign sign) { return (int)sign; } int main() { return look((Sign)-3); }'
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || { skip "values/formats: $compiler" $compiler; continue; }
		$compiler -g -x c++ -o "$program" - <<<"$got"
		bad=$("$STAP" -p2 --vp 01 -e "probe process(\"$program\").function(\"look\") { println(\$sign\$) }" 2>&1)
		[[ $bad = *'sprintf("%d"'* ]] && ok "values/formats: $compiler" || not_ok "values/formats: $compiler" "$bad"
	done
}

[ -n "$names" ] || exit 0
for name in $names; do
	declare -F "test_$name" >/dev/null && "test_$name"
done
echo "# $pairs pairs, $missing that gdb alone has"
[ "${VALUES-}" != full ] || cat "$SCRATCH/missing"
if [ $((1000 * missing)) -le $((MISSING * pairs)) ]; then
	ok values/missing
else
	not_ok values/missing "$missing of $pairs values are known to gdb alone, more than $MISSING of 1,000:
$(head -n 20 "$SCRATCH/missing")"
fi
