# SPDX-License-Identifier: GPL-2.0-or-later
# The library's index: names are found, files are included as a whole, the cache is not used if a file changed or it is
# damaged. Uses $driver (unit/parse_main). (Read by run.sh.)
lib=$SCRATCH/library cache=$SCRATCH/cache
mkdir -p "$lib/x86_64" "$lib/arm64" "$lib/arch/x86_64" "$lib/linux/6.1" "$lib/linux/6.2" "$cache"

# wants NAME LAST_LINE OPTIONS...: compares the last line that the driver prints for a script that is always valid
wants() {
	local name=$1 line=$2 out
	shift 2
	out=$("$driver" -I "$lib" -c "$cache" "$@" -e 'probe never { }' 2>"$SCRATCH/err" | tail -n 1)
	if [ "$out" = "$line" ]; then ok "parse/library: $name"; else
		not_ok "parse/library: $name" "wanted $line, got $out
$(cat "$SCRATCH/err")"
	fi
}

cat >"$lib/a.stp" <<'EOF'
global a_count = 1, a_list%[10]
private global a_hidden
function a_one() { return a_two() }
function a_two() { a_hidden = 1; return 2 }
private function a_private() { return 3 }
probe a.first, a.second = begin { x = 1 }
%( kernel_v >= "2.0" %? probe a.new = kernel.function("x") { %: probe a.old = kernel.function("y") { %) y = 2 }
function a_after() { return 4 }
EOF
cat >"$lib/b.stp" <<'EOF'
probe a.b.third += vfs.{read,write}.return { function_name = "f" }
probe a.{x,y}.m{ews,{oo,}} = begin { }
function b() %{ /* pure */ STAP_RETURN(1); %}
EOF
echo 'function broken() { return (1 }' >"$lib/broken.stp"
echo 'function machine() { return 64 }' >"$lib/x86_64/machine.stp"
echo 'function machine_here() { return 64 }' >"$lib/arch/x86_64/here.stp"
echo 'function machine_other() { return 1 }' >"$lib/arm64/other.stp"
echo 'function new_kernel() { return 1 }' >"$lib/linux/6.1/version.stp"
echo 'function newer_kernel() { return 1 }' >"$lib/linux/6.2/version2.stp"

wants "function" "function a_one: yes, 1 files" -f a_one
wants "function that no file has" "function nothing: no, 0 files" -f nothing
wants "a private function is not visible" "function a_private: no, 0 files" -f a_private
wants "names after a brace opened in two branches" "function a_after: yes, 1 files" -f a_after
wants "a file with errors is not used" "function broken: no, 0 files" -f broken
# reported NAME DIRECTORY MESSAGE: errors of a file in a directory of -I are reported although the script does not
# use it
reported() {
	local status=0
	"$STAP" -p1 --runtime=user -I "$2" -e 'probe begin { next }' >/dev/null 2>"$SCRATCH/err" || status=$?
	if [ $status = 1 ] && grep -qF "$3" "$SCRATCH/err"; then ok "parse/library: $1"; else
		not_ok "parse/library: $1" "$(cat "$SCRATCH/err")"
	fi
}
reported "an unused file with errors" "$lib" "parse error: expected \")\" after the expression in parentheses, found \"}\": at $lib/broken.stp:1:31"
mkdir -p "$SCRATCH/twice"
echo '@define dup %( 1 %)' | tee "$SCRATCH/twice/a.stpm" >"$SCRATCH/twice/b.stpm"
reported "a macro that two files define" "$SCRATCH/twice" "duplicate macro @dup"
if SYSTEMTAP_TAPSET=$lib "$STAP" -p2 --runtime=user -e 'probe begin { broken() }' 2>&1 |
	grep -q "^WARNING: the library file .*broken.stp:1:31 is skipped: expected \")\""; then ok "parse/library: skipped with a warning"; else
	not_ok "parse/library: skipped with a warning"
fi
rm "$lib/broken.stp"
wants "embedded C needs no guru mode there" "function b: yes, 1 files" -f b
wants "directory of the machine" "function machine: yes, 1 files" -f machine
wants "arch/ directory of the machine" "function machine_here: yes, 1 files" -f machine_here
wants "not of another machine" "function machine_other: no, 0 files" -f machine_other
wants "directory of the kernel version" "function new_kernel: yes, 1 files" -f new_kernel
wants "not of another version" "function newer_kernel: no, 0 files" -f newer_kernel
wants "not of the kernel on the user runtime" "function new_kernel: no, 0 files" -u -f new_kernel

wants "alias" "alias a.second: yes, 1 files" -a a.second
wants "alias of the branch taken" "alias a.new: yes, 1 files" -a a.new
wants "alias of the branch not taken" "alias a.old: no, 1 files" -a a.old
wants "alias with braces in its name" "alias a.y.mews: yes, 1 files" -a a.y.mews
wants "alias with a suffix" "alias a.first.return.maxactive: yes, 1 files" -a a.first.return.maxactive
wants "alias by a glob" "alias a.*: yes, 1 files" -a 'a.*'
wants "alias by globs, one part each" "alias a.*.*: yes, 2 files" -a 'a.*.*'
wants "alias by **" "alias a**third: yes, 1 files" -a 'a**third'
wants "alias that no file has" "alias a.fourth: no, 0 files" -a a.fourth

echo 'function late() { return 1 }' >"$lib/late.stp"
wants "a new file is seen" "function late: yes, 1 files" -f late
echo 'function later() { return 1 }' >"$lib/late.stp"
wants "a changed file is seen" "function later: yes, 1 files" -f later
rm "$lib/late.stp"
wants "a removed file is gone" "function later: no, 0 files" -f later
mkdir "$lib/6.1.0"; echo 'function newest() { return 1 }' >"$lib/6.1.0/n.stp"
wants "a directory that was absent is seen" "function newest: yes, 1 files" -f newest
for index in "$cache"/*/*.library; do head -c 200 "$index" >"$index.cut"; mv "$index.cut" "$index"; done
wants "a cut index is made anew" "function a_one: yes, 1 files" -f a_one
for index in "$cache"/*/*.library; do sed -i 's/^f a_one$/Q a_one/' "$index"; done
wants "a damaged index is made anew" "function a_one: yes, 1 files" -f a_one
for index in "$cache"/*/*.library; do sed -i 's/^f a_one$/f a_won/' "$index"; done
wants "another name in the index is found by its checksum" "function a_one: yes, 1 files" -f a_one
rm -rf "${cache:?}"/*

cat >"$lib/m.stpm" <<'EOF'
@define lib_add(a, b) %( (@a + @lib_inner(@b)) %)
@define lib_inner(x) %( @x * 2 %)
%( arch == "x86_64" %? @define lib_arch %( "x86" %) %: @define lib_arch %( "other" %) %)
@define lib_sees %( @own %)
EOF
# shows NAME SCRIPT LINE: the printed tree contains the line
shows() {
	if "$driver" -I "$lib" -e "$2" 2>"$SCRATCH/err" | grep -qxF "$3"; then ok "parse/library: $1"; else
		not_ok "parse/library: $1" "$(cat "$SCRATCH/err")"
	fi
}
shows "macros" 'probe begin { x = @lib_add(1, y) }' $'\tx = 1 + y * 2;'
shows "macro of the branch taken" 'probe begin { x = @lib_arch }' $'\tx = "x86";'
shows "a macro's argument is the caller's" '@define own %( 5 %) probe begin { x = @lib_add(@own, 1) }' $'\tx = 5 + 1 * 2;'
if "$driver" -I "$lib" -e '@define own %( 5 %) probe begin { x = @lib_sees }' 2>&1 | grep -q 'unknown operator or macro @own'; then
	ok "parse/library: a library macro doesn't see the script's"
else
	not_ok "parse/library: a library macro doesn't see the script's"
fi
mkdir -p "$SCRATCH/order"
echo 'function uses() { return @known }' >"$SCRATCH/order/a.stp"
printf '@define known %%( 1 %%)\nprobe begin { }\n' >"$SCRATCH/order/b.stpm"
if "$driver" -I "$SCRATCH/order" -e 'probe begin { println(uses()) }' 2>&1 | grep -q "^parse error: .*b.stpm:2:1"; then
	ok "parse/library: errors of macro files, whatever the order of names"
else
	not_ok "parse/library: errors of macro files, whatever the order of names"
fi
echo 'probe begin { }' >>"$lib/m.stpm"
if "$driver" -I "$lib" -e 'probe begin { x = @lib_arch }' 2>&1 | grep -q "expected \"@define\" .*: at .*m.stpm:5:1"; then
	ok "parse/library: a .stpm holds macros only"
else
	not_ok "parse/library: a .stpm holds macros only"
fi
