# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that are found without a path, programs whose debuginfo is in another file or missing, and calls of
# libraries by programs. (Read by run.sh.) Everything is compiled here; nothing is run by a kernel.
files=$SCRATCH/programs
rm -rf "$files"; mkdir -p "$files" && cd "$files" || return

# lists NAME EXPECTED ARGUMENTS OF STAP: standard output and errors, without the directory and line numbers
lists() {
	local name=$1 want=$2 got
	shift 2
	got=$("$STAP" -r "$release" "$@" 2>&1 | grep -v '^Pass 2: \|^ *\^\|source: ' | sed -E "s#$files/##g; s#(known|calls|boxes)\.(c|cc):[0-9]+#\1.\2#g; s# /\* (pc=|<- ).*##")
	if [ "$got" = "$want" ]; then
		ok "debuginfo/programs $name"
	else
		not_ok "debuginfo/programs $name" "wanted: $want
got: $got"
	fi
}
point() { "$STAP" -r "$release" "$@" 2>&1 | sed "s#$files/##g"; }
line_of() { grep -n -e "$1" "$2" | head -n 1 | cut -d: -f1; } # EXPRESSION FILE: the number of the first line that matches
id_of() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1; }

cp "$TESTS/programs/known.c" "$TESTS/programs/boxes.cc" .
cat >calls.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { char *p = malloc(argc + 20); puts(argv[0]); putenv(p); return p == NULL; }
END

# ------------------------------------------------------------ programs by their names
gcc -g -O1 -o known known.c && mkdir -p bin && ln -sf ../known bin/other
by_name() { # NAME STAP'S ARGUMENTS: they name ./known
	if [ "$(point -l "${@:2}")" = 'process("known").function("main@known.c:'"$(grep -n '^int main' "$files/known.c" | cut -d: -f1)"'")' ]; then
		ok "debuginfo/programs by name: $1"
	else
		not_ok "debuginfo/programs by name: $1" "$(point -l "${@:2}")"
	fi
}
for name in known ./known bin/../known bin/other "$PWD/known" "$PWD/bin/../bin/other"; do
	by_name "process(\"$name\")" 'process("'"$name"'").function("main")'
	by_name "-c $name" 'process.function("main")' -c "$name"
done
PATH=$PATH:bin by_name 'in a relative folder of PATH' 'process("other").function("main")'
PATH=$PATH:bin by_name '-c in a relative folder of PATH' 'process.function("main")' -c other
for words in "./known 'x y'" "./kno'wn' x" '"./known" "a;b|c"' "known 1"; do
	by_name "-c $words" 'process.function("main")' -c "$words"
done
cd bin
by_name 'as -c names it' 'process("known").function("main")' -c '../known 1'
by_name 'as -d names it' 'process("known").function("main")' -d ../known
cd ..
mkdir -p elsewhere && echo 'probe process("known").function("main") { println(1) }' >script.stp
got=$(cd elsewhere && point -p2 ../script.stp | grep -o '^process("known").function("main@')
[ -n "$got" ] && ok "debuginfo/programs by name: beside the script" || not_ok "debuginfo/programs by name: beside the script" "$(cd elsewhere && point -p2 ../script.stp)"
"$STAP" -r "$release" -p2 -v -e 'probe process("known").begin { println(1) }' 2>&1 | grep -qx "program \"known\": $PWD/known" &&
	ok "debuginfo/programs by name: -v prints the path" || not_ok "debuginfo/programs by name: -v prints the path"
for command in known "./known '1;2'" 'bin/../known "a # b"'; do
	got=$("$STAP" --runtime=user -c "$command" -e 'probe begin { println("begun") }' 2>&1)
	[[ $got = *begun* && $got = *"fib 5"* ]] && ok "debuginfo/programs runs -c $command" || not_ok "debuginfo/programs runs -c $command" "$got"
done

# ------------------------------------------------------------ names of C++ and their scopes
cat >scopes.cc <<'END'
struct base { int i, only; };
struct derived : base { int i; enum inner { in_class = 31 }; inner e; };
static int in_unit = 3;
namespace ns { enum color { red = 7, green }; int paint(int a, color c) { enum local { lone = 42 }; return a + lone + c; } }
__attribute__((noinline)) int use(derived *d, int par) { int loc = par + d->i;
	in_unit += loc; return loc + d->e; }
int main() { derived d; d.i = 1; d.base::i = 2; d.e = derived::in_class; return use(&d, ns::paint(1, ns::green)); }
END
g++ -g -O0 -o scopes scopes.cc
body() { # POINT EXPRESSION [PROGRAM]: the C of a handler that prints it
	"$STAP" -r "$release" -p3 -e "probe process(\"./${3-scopes}\").$1 { println($2) }" 2>&1 | sed -n '/^static void p0(/,/^}/p; /error:/p' | grep -v 'STP_CHECK\|/\*'
}
alike() { # POINT EXPRESSION EXPRESSION: the code of both is the same
	if [ -n "$(body "$1" "$2")" ] && [ "$(body "$1" "$2")" = "$(body "$1" "$3")" ]; then
		ok "debuginfo/programs $2 is $3 in $1"
	else
		not_ok "debuginfo/programs $2 is $3 in $1" "$(body "$1" "$2"; body "$1" "$3")"
	fi
}
for name in d par loc in_unit; do alike 'statement("use@scopes.cc:6")' '@var("'$name'")' '$'$name; done
alike 'function("use").return' '@var("par")' '$par'
alike 'function("use").return' '@var("in_unit")' '@var("in_unit@scopes.cc")'
alike 'function("use")' '$d->i' '@cast($d, "derived", "scopes")->i'
body 'function("use")' '$d->i' | grep -q '_uload4(c, (u64)t1 + 8)' &&
	ok "debuginfo/programs a member hides that of a base" || not_ok "debuginfo/programs a member hides that of a base" "$(body 'function("use")' '$d->i')"
for constant in lone=42 green=8 in_class=31; do
	alike 'function("paint")' '$'${constant%=*} ${constant#*=}
	[ ${constant%=*} = lone ] || alike 'function("use")' '@var("'${constant%=*}'", "scopes")' ${constant#*=}
done
lists 'enumerators of a program without probes' '# probes
begin' -p2 -e 'probe begin { println(@var("green", "scopes") + @var("in_class", "scopes")) }'
lists 'an enumerator of another function' 'semantic error: unable to find "$lone" in "use" (available: d, par, loc): at <input>:1:53' -p2 -e 'probe process("./scopes").function("use") { println($lone) }'

cat >bases.cc <<'END'
struct A { int id, only_a; static int st; };
struct B { int pad, id, st; };
struct C : A, B { int own; };
struct V { int v, w; };
struct L : virtual V { int l, w; };
struct R : virtual V { int r; };
struct D : R, L { int d; };
struct N : V { int n; };
struct M : V { int m; };
struct E : N, M { int e; };
struct S : B { static int id; };
struct F : C { union { int id; float f; }; };
namespace other { struct V { int v; }; struct O : virtual V { int o; }; }
struct T : L, other::O { int t; };
int A::st = 7, S::id = 8;
__attribute__((noinline)) int use(C *c, D *d, E *e, S *s, F *f, T *t) { return c->own + d->v + d->w + e->e + s->id + f->id + t->t; }
int main() { C c; D d; E e; S s; F f; T t; return use(&c, &d, &e, &s, &f, &t) == 77; }
END
refused_member() { # EXPRESSION REASON
	lists "$* ($compiler)" "semantic error: the member \"${1#*->}\" of struct $2: at <input>:1:56" -p2 -e "probe process(\"./bases\").function(\"use\") { println($1) }"
}
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || { skip "debuginfo/programs members of bases ($compiler)" $compiler; continue; }
	$compiler -g -O0 -o bases bases.cc
	refused_member '$c->id' 'C is ambiguous: both struct A and struct B have it; read @cast(ADDRESS, "struct A")->id or @cast(ADDRESS + 8, "struct B")->id, where ADDRESS is the address of the object'
	refused_member '$c->st' 'C is ambiguous: both struct A and struct B have it'
	refused_member '$e->w' 'E is ambiguous: both struct V of struct N and struct V of struct M have it; read @cast(ADDRESS, "struct V")->w or @cast(ADDRESS + 12, "struct V")->w, where ADDRESS is the address of the object'
	refused_member '$s->id' 'S is a static member of struct S: read @var("id")'
	refused_member '$t->v' 'T is ambiguous: both struct V of struct L and struct V of struct O have it'
	for access in 'c->own (u64)t1 + 20' 'd->w (u64)t1 + 28' 's->pad t1' 'f->id (u64)t1 + 24' 'f->only_a (u64)t1 + 4'; do
		body 'function("use")' "\$${access%% *}" bases | grep -qF "_uload4(c, ${access#* })" &&
			ok "debuginfo/programs \$$access ($compiler)" || not_ok "debuginfo/programs \$$access ($compiler)" "$(body 'function("use")' "\$${access%% *}" bases)"
	done
	lists "\$d->v, in a virtual base ($compiler)" $'# probes\nprocess("bases").function("use@bases.cc:16")' -p2 -e 'probe process("./bases").function("use") { println($d->v, $t->l) }'
done

# ------------------------------------------------------------ types in units of their own
cat >units.c <<'END'
struct inner { signed char c; unsigned bits:5, more:20; };
union both { long l; struct inner in; };
struct outer { int n; union both u; struct inner *next; enum { MINUS = -1, PLUS } e; };
__attribute__((noinline)) long visit(struct outer *o, struct inner in) { return o->u.in.more + o->next->bits + in.bits + o->e; }
int main(int c, char **v) { struct inner i = { c, 3, 5 }; struct outer o = { c, { 9 }, &i, MINUS }; return visit(&o, i) == 7; }
END
for compiler in gcc clang; do
	command -v $compiler >/dev/null || { skip "debuginfo/programs type units ($compiler)" $compiler; continue; }
	for version in 4 5; do
		$compiler -g -O0 -gdwarf-$version -o units units.c && $compiler -g -O0 -gdwarf-$version -fdebug-types-section -o sunit units.c
		want=$(body 'function("visit")' '$o->u->in->more + $o->next->bits + $in->bits + $o->e, $o$$, $in$' units)
		got=$(body 'function("visit")' '$o->u->in->more + $o->next->bits + $in->bits + $o->e, $o$$, $in$' sunit)
		[[ $want = *uload* && $got = "$want" ]] && ok "debuginfo/programs type units ($compiler, DWARF $version)" ||
			not_ok "debuginfo/programs type units ($compiler, DWARF $version)" "$got"
	done
done

missing='has a type that is not found in the debuginfo; types in units of their own (-fdebug-types-section) cannot be read together with -gsplit-dwarf'
gcc -g -O0 -gdwarf-4 -gsplit-dwarf -fdebug-types-section -o sunit units.c
lists 'split type units, a variable' "semantic error: unable to find \"\$in\" in \"visit\", where it $missing: at <input>:1:54" \
	-p2 -e 'probe process("./sunit").function("visit") { println($in->c) }'
lists 'split type units, a member' "semantic error: the member \"u\" of struct outer $missing: at <input>:1:58" \
	-p2 -e 'probe process("./sunit").function("visit") { println($o->u->l) }'
cat >opaque.c <<'END'
struct opaque;
__attribute__((noinline)) int visit(struct opaque *o) { return o != 0; }
int main(int c, char **v) { return visit((struct opaque *)v); }
END
gcc -g -O0 -o opaque opaque.c
lists 'a type that is only declared' 'semantic error: the members of struct opaque are unknown: the debuginfo of opaque only declares it: at <input>:1:59' \
	-p2 -e 'probe process("./opaque").function("visit") { println($o->x) }'

# ------------------------------------------------------------ lists of variables without debuginfo
cat >lists.c <<'END'
extern int bare(int a);
int main(int c, char **v) { return bare(c) == 7; }
END
echo 'int bare(int a) { return a + 3; }' >bare.c
gcc -c -o bare.o bare.c && gcc -o nodebug lists.c bare.o && gcc -g -o partly lists.c bare.o
for list in vars parms locals; do
	lists "\$\$$list without DWARF" "semantic error: \"\$\$$list\" is not available: nodebug has no DWARF debuginfo for this function; compile nodebug with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:55" \
		-p2 -e 'probe process("./nodebug").function("bare") { println($$'$list') }'
	lists "\$\$$list of a function without DWARF" "WARNING: \"\$\$$list\" is empty in some probes: DWARF of partly does not describe all of its functions: at <input>:1:54
# probes
process(\"partly\").function(\"bare\")" -p2 -e 'probe process("./partly").function("bare") { println($$'$list') }'
done
lists '$$return without DWARF' 'WARNING: types of results are unknown in nodebug: $return is the whole register; compile nodebug with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:62
# probes
process("nodebug").function("bare").return' -p2 -e 'probe process("./nodebug").function("bare").return { println($$return) }'
body 'function("bare").return' '$$return' nodebug | grep -qF '{ .n = (s64)stp_reg(c, 80) }' && ok 'debuginfo/programs $$return is the register' ||
	not_ok 'debuginfo/programs $$return is the register' "$(body 'function("bare").return' '$$return' nodebug)"
[ -n "$(SYSTEMTAP_DEBUGINFO_PATH=/nonexistent "$STAP" -r "$release" -p2 -e 'probe kernel.function("vfs_read") { println($$locals) }' 2>&1 |
	grep -F '"$$locals" is not available: BTF describes parameters, not local variables; DWARF debuginfo is in the package')" ] &&
	ok 'debuginfo/programs $$locals with BTF' || not_ok 'debuginfo/programs $$locals with BTF'

# ------------------------------------------------------------ arguments that are passed by the address of a copy
cat >copies.cc <<'END'
struct counted { long n, more; counted(long n) : n(n), more(0) {} counted(const counted &o) : n(o.n + 1), more(2) {} };
__attribute__((noinline)) long copied(int a, counted c, int b) { long local[a]; local[0] = c.n; return local[0] + b; }
int main() { counted c(3); return copied(5, c, 4) == 77; }
END
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || { skip "debuginfo/programs copies ($compiler)" $compiler; continue; }
	for options in -O0 '-O0 -fomit-frame-pointer'; do
		$compiler -g $options -o copies copies.cc
		entry="statement(0x$(nm -C copies | sed -n 's/ T copied(.*//p'))"
		for access in 'c->n uload8(c, stp_reg(c, 104))' 'b (s32)stp_reg(c, 96)'; do
			body "$entry" "\$${access%% *}" copies | grep -qF "${access#* }" && ok "debuginfo/programs \$${access%% *} at the entry ($compiler $options)" ||
				not_ok "debuginfo/programs \$${access%% *} at the entry ($compiler $options)" "$(body "$entry" "\$${access%% *}" copies)"
		done
		[ $compiler = clang++ ] || body "$entry" '$local[0]' copies | grep -q 'cannot be read in this copy of "copied": it is not set yet' &&
			ok "debuginfo/programs a variable-length array at the entry ($compiler $options)" ||
			not_ok "debuginfo/programs a variable-length array at the entry ($compiler $options)" "$(body "$entry" '$local[0]' copies)"
	done
done

# ------------------------------------------------------------ names of C++ and Rust by symbols alone
cat >plain.cc <<'END'
namespace ns { struct Box { int side; int area() const; Box operator+(const Box &o) const; int operator[](int i) const; operator bool() const; }; }
int ns::Box::area() const { return side * side; }
ns::Box ns::Box::operator+(const Box &o) const { Box b; b.side = side + o.side; return b; }
int ns::Box::operator[](int i) const { return side + i; }
ns::Box::operator bool() const { return side; }
namespace ns { int area(int a) { return a; } }
template<class T> __attribute__((noinline)) T biggest(T a, T b) { return a > b ? a : b; }
extern "C" int area_of(int a) { return a; }
extern "C" int rust_v0(int a) __asm__("_RNvNtCs1234_7mycrate6shapes4area");
extern "C" int rust_v0(int a) { return a + 1; }
extern "C" int rust_legacy(int a) __asm__("_ZN7mycrate6shapes5write17h0123456789abcdefE");
extern "C" int rust_legacy(int a) { return a + 2; }
namespace ns { struct cooperator { int side; int extent() const; }; }
int ns::cooperator::extent() const { return side; }
extern "C" int small(int a) __asm__("_ZN2ns5smallEi");
extern "C" int small(int a) { return a + 3; }
extern "C" int small_cold(int a) __asm__("_ZN2ns5smallEi.cold");
extern "C" int small_cold(int a) { return a + 4; }
int main() { ns::Box b = {3}, c = b + b; ns::cooperator o = {4}; return small(1) + small_cold(1) + o.extent() + b.area() + c[1] + ns::area(c ? 1 : 2) + biggest(1, 2) + biggest(1L, 2L) + area_of(1) + rust_v0(1) + rust_legacy(1); }
END
g++ -O0 -o plain plain.cc
plain() { # PATTERN NAME...: the functions that the pattern finds
	lists "by symbols: $1" "$(printf 'process("plain").function("%s")\n' "${@:2}")" -l "process(\"./plain\").function(\"$1\")"
}
plain area mycrate::shapes::area ns::Box::area ns::area
plain ns::Box::area ns::Box::area
plain Box::area ns::Box::area
plain 'ns::*' ns::area ns::small
plain '*::Box::*' ns::Box::area 'ns::Box::operator bool' ns::Box::operator+ 'ns::Box::operator[]'
plain operator+ ns::Box::operator+
plain 'Box::operator[]' 'ns::Box::operator[]'
plain 'Box::operator bool' 'ns::Box::operator bool'
plain 'biggest*' 'biggest<int>' 'biggest<long>'
plain 'biggest<long>' 'biggest<long>'
plain 'shapes::*' mycrate::shapes::area mycrate::shapes::write
plain area_of area_of
plain extent ns::cooperator::extent
plain cooperator::extent ns::cooperator::extent
lists 'by symbols: a part that is jumped to is not probed' '# probes
process("plain").function("ns::small").return' -p2 -e 'probe process("./plain").function("ns::small").return { next }'
plain _ZNK2ns3Box4areaEv _ZNK2ns3Box4areaEv
misspelt() { # NAME SIMILAR: the error for a name that is not found, with the similar names
	lists "by symbols, similar to $1" "semantic error: process(\"plain\").function(\"$1\") not found$2: at <input>:1:26
    note: plain has no DWARF debuginfo, so only its symbols are available; compile plain with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:26" \
		-p2 -e "probe process(\"./plain\").function(\"$1\") { next }"
}
misspelt wrte ' (similar: write)'
misspelt ns::Box::arae ' (similar: ns::Box::area)'
misspelt unlike_any_name ''
gcc -g -c -o area_of.o -x c - <<<'int with_lines(int a) { return a; }'
g++ -O0 -o plain plain.cc area_of.o
plain '*area' mycrate::shapes::area ns::Box::area ns::area

# Functions that are nested in functions have variables, and do not end the lines of the function that contains them.
cat >nested.cc <<'END'
volatile long sink;
__attribute__((noinline)) long outer(int n)
{
	long big = n * 5;
	auto add = [&big](int x) {
		long y = big + x;
		return y;
	};
	sink = add(n);
	return sink + big;
}
int main(int argc, char **) { return outer(argc); }
END
cat >nested.c <<'END'
volatile long sink;
long outer(int n)
{
	int big = n * 5;
	int inner(int x)
	{
		int y = big + x;
		return y;
	}
	sink = inner(n);
	return sink + big;
}
int main(int argc, char **argv) { return outer(argc); }
END
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || { skip "debuginfo/programs/lambda ($compiler)" $compiler; continue; }
	$compiler -g -O0 -o nested nested.cc
	lists "lambda ($compiler)" 'process("nested").function("operator()@nested.cc:5")' -l 'process("./nested").function("operator()")'
	lists "variables of a lambda ($compiler)" $'# probes\nprocess("nested").function("operator()@nested.cc:5")' \
		-p2 -e 'probe process("./nested").function("operator()") { println($x, $y) }'
	lists "lines around a lambda ($compiler)" 'process("nested").statement("outer@nested.cc:9")' -l 'process("./nested").statement("outer@nested.cc:9")'
	# gcc gives it no declaration, so its line is that of its class.
	$compiler -g -O2 -o nested nested.cc
	lists "inlined lambda ($compiler)" 'process("nested").function("operator()@nested.cc:5").inline' -l 'process("./nested").function("operator()").inline'
done
gcc -g -O0 -o nested nested.c
lists "nested function" 'process("nested").function("inner@nested.c:5") $x:int $y:int' -L 'process("./nested").function("inner")'
lists "lines around a nested function" 'process("nested").statement("outer@nested.c:10")' -l 'process("./nested").statement("outer@nested.c:10")'

echo 'namespace { __attribute__((noipa)) int hidden(int a) { return a + 1; } } int main(int n, char **) { return hidden(n); }' >unnamed.cc
for debug in -g -g0; do
	g++ $debug -O1 -o unnamed unnamed.cc
	for scope in '*' '(anonymous namespace)'; do
		if [ "$("$STAP" -l "process(\"./unnamed\").function(\"$scope::hidden\")" 2>/dev/null | grep -c 'function("[^"]*hidden')" = 1 ]; then
			ok "debuginfo/programs a namespace without a name, $scope, $debug"
		else
			not_ok "debuginfo/programs a namespace without a name, $scope, $debug"
		fi
	done
done

gcc -g -O2 -o unread -x c - <<'END'
int total;
__attribute__((noinline)) int f(int a, int b) { double real = b; total += b; return total + (int)real; }
int main(int c, char **v) { return f(c, 2); }
END
real='semantic error: "$real" cannot be read in this copy of "f": its location expression uses values of the type double: at <input>:1:'
lists '@var of a local that cannot be read' "${real}51" -p2 -e 'probe process("./unread").function("f") { println(@var("real")) }'
lists '@var of a local that cannot be read, at a return' "${real}58" -p2 -e 'probe process("./unread").function("f").return { println(@var("real")) }'

# ------------------------------------------------------------ assembler among functions with debuginfo
cat >middle.c <<'END'
__asm__(".text\n.globl middle\n.type middle,@function\nmiddle: pop %rax\nret\n.size middle,.-middle\n"
	".globl begins\n.type begins,@function\nbegins: push $5\njmp middle\n.size begins,.-begins\n");
long begins(void);
int main(void) { return begins() != 5; }
END
gcc -g -O1 -o middle middle.c
lists 'returns, without what is jumped to' 'process("middle").function("main@middle.c:4").return' -l 'process("./middle").function("[bm]*").return'
lists 'returns, of what is named' 'process("middle").function("middle").return' -l 'process("./middle").function("middle").return'
lists 'calls, of all' 'process("middle").function("begins").call
process("middle").function("main@middle.c:4").call
process("middle").function("middle").call' -l 'process("./middle").function("[bm]*").call'
gcc -O1 -o middle middle.c
lists 'returns, by symbols alone' 'process("middle").function("begins").return
process("middle").function("main").return
process("middle").function("middle").return' -l 'process("./middle").function("[bm]*").return'

# ------------------------------------------------------------ the procedure linkage table
for flags in '-fPIE -pie -Wl,-z,lazy' '-no-pie -fcf-protection=none' '-fPIE -pie -fcf-protection=full -Wl,-z,ibtplt' '-fPIE -pie -Wl,-z,now'; do
	gcc -O2 $flags -o calls calls.c || { not_ok "debuginfo/programs plt $flags" gcc; continue; }
	lists "plt $flags" 'process("calls").plt("putenv")
process("calls").plt("puts")' -l 'process("./calls").plt("pu*")'
	lists "plt all $flags" 'process("calls").plt("malloc").return
process("calls").plt("putenv").return
process("calls").plt("puts").return' -l 'process("./calls").plt("[a-z]*").return'
	# The addresses equal those that the disassembler prints.
	want=$(objdump -d -j .plt -j .plt.sec -j .plt.got calls 2>/dev/null | sed -nE 's/^0*([0-9a-f]+) <([a-z]+)@plt>:$/\2 0x\1/p' | sort)
	got=$("$STAP" -r "$release" -p3 -e 'probe process("./calls").plt("[a-z]*") { println($$name) }' 2>/dev/null |
		grep -A1 '/\* process' | sed -nE 's/.*plt\("(.*)"\).*/\1/p; s/.*\.address = (.*)ULL.*/\1/p' | paste -d ' ' - - | sort)
	if [ -n "$want" ] && [ "$want" = "$got" ]; then ok "debuginfo/programs plt places $flags"; else not_ok "debuginfo/programs plt places $flags" "wanted $want, got $got"; fi
done
gcc -O2 -fno-plt -o calls calls.c
lists 'plt without one' 'semantic error: calls calls no function "puts" through its procedure linkage table: at <input>:1:26' \
	-p2 -e 'probe process("./calls").plt("puts") { println($$name) }'
gcc -O2 -static -nostdlib -o bare -x c - <<<'void _start(void) { for (;;); }'
lists 'plt of a static program' 'semantic error: bare has no procedure linkage table: it calls no library, or calls it directly: at <input>:1:25' \
	-p2 -e 'probe process("./bare").plt { println($$name) }'

# ------------------------------------------------------------ a library's names of versions
cat >versions.c <<'END'
__asm__(".symver now, twice@@V2");
__asm__(".symver before, twice@V1");
int before(int old) { return old; }
int now(int new) { return new * 2; }
END
echo 'V1 { local: before; now; }; V2 { } V1;' >versions.map
gcc -g -O0 -fPIC -shared -Wl,--version-script=versions.map -o versions.so versions.c
lists 'names of versions' 'process("versions.so").function("twice@versions.c:3") $old:int
process("versions.so").function("twice@versions.c:4") $new:int' -L 'process("./versions.so").function("twice")'

# ------------------------------------------------------------ debuginfo in another file
whole='process("known").function("add@known.c") $a:int $b:long int $sum:long int'
gcc -g -O0 -o whole known.c
cp whole known
lists 'in the file' "$whole" -L 'process("./known").function("add")'
split() { # BUILD-ID?: compiles known, and moves its debuginfo to known.debug
	gcc -g -O0 "-Wl,--build-id$1" -o known known.c && objcopy --only-keep-debug known known.debug &&
		strip -g known && objcopy --add-gnu-debuglink=known.debug known
}
for id in '' =none; do
	split "$id"
	lists "debuglink, beside it, id$id" "$whole" -L 'process("./known").function("add")'
	mkdir -p .debug && mv known.debug .debug
	lists "debuglink, in .debug, id$id" "$whole" -L 'process("./known").function("add")'
	mkdir -p "tree$files" && mv .debug/known.debug "tree$files"
	SYSTEMTAP_DEBUGINFO_PATH=$files/tree lists "debuglink, in a directory, id$id" "$whole" -L 'process("./known").function("add")'
	rm "tree$files/known.debug"
	lists "debuglink, nowhere, id$id" 'process("known").function("add")' -L 'process("./known").function("add")'
done
# A file of the same name from another build is reported, and not used.
sed 's/calls++/calls += 2/' known.c >other.c
for id in '' =none; do
	split "$id"
	gcc -g -O0 "-Wl,--build-id$id" -o other other.c && objcopy --only-keep-debug other known.debug
	theirs=$(id_of known.debug) own=$(id_of known)
	lists "debuglink, another build, id$id" "WARNING: known.debug is of another build (build-id ${theirs:-none}) than known (build-id ${own:-none}): not used
# probes
process(\"known\").function(\"add\")" -p2 -e 'probe process("./known").function("add") { next }'
done
split ''
id=$(id_of known)
mkdir -p "ids/.build-id/${id:0:2}" && mv known.debug "ids/.build-id/${id:0:2}/${id:2}.debug"
SYSTEMTAP_DEBUGINFO_PATH=$files/ids lists 'build-id directory' "$whole" -L 'process("./known").function("add")'


# ------------------------------------------------------------ debuginfo from a server
if ldconfig -p | grep -q 'libdebuginfod\.so\.1'; then
	split ''
	id=$(id_of known)
	mkdir -p "server/buildid/$id" && mv known.debug "server/buildid/$id/debuginfo"
	export DEBUGINFOD_CACHE_PATH=$files/server.cache DEBUGINFOD_URLS=file://$files/server
	lists 'debuginfod' "Asking debuginfod for the debuginfo of known.
$whole" -L 'process("./known").function("add")'
	lists 'debuginfod, events need none' 'process("known").begin' -l 'process("./known").begin'
	gcc -g -O0 -o other other.c && objcopy --only-keep-debug other "server/buildid/$id/debuginfo" && rm -r server.cache
	lists 'debuginfod, another build' "Asking debuginfod for the debuginfo of known.
WARNING: server.cache/$id/debuginfo is of another build (build-id $(id_of other)) than known (build-id $id): not used
# probes
process(\"known\").function(\"add\")" -p2 -e 'probe process("./known").function("add") { next }'
	rm -r server.cache
	DEBUGINFOD_URLS=file://$files/nowhere lists 'debuginfod, not there' 'Asking debuginfod for the debuginfo of known.
process("known").function("add")' -L 'process("./known").function("add")'
	# Debuginfo of the kernel and of its modules is downloaded only if it is required, so not for a function's
	# entry.
	file=$(modinfo -k "$release" -F filename loop 2>/dev/null) apart=/usr/lib/debug${file%.xz}
	if [ -r "$apart" ]; then
		id=$(id_of "$apart")
		mkdir -p "server/buildid/$id" && ln -s "$apart" "server/buildid/$id/debuginfo"
		point='module("loop").function("lo_ioctl")'
		"$STAP" -r "$release" -L "${point/function*/statement(\"lo_ioctl@drivers/block/loop.c:*\")}" | sort >before
		SYSTEMTAP_DEBUGINFO_PATH='' lists 'debuginfod, a module, not needed' "$point" -l "$point"
		SYSTEMTAP_DEBUGINFO_PATH='' "$STAP" -r "$release" -L "${point/function*/statement(\"lo_ioctl@drivers/block/loop.c:*\")}" 2>told | sort >after
		same 'debuginfo/programs debuginfod, a module' before after
		echo 'Asking debuginfod for the debuginfo of the module loop.' | same 'debuginfo/programs debuginfod, a module, told' told -
	fi
	SYSTEMTAP_DEBUGINFO_PATH='' DEBUGINFOD_URLS=file://$files/nowhere lists 'debuginfod, the kernel, not there' "Asking debuginfod for the debuginfo of the kernel $release.
semantic error: kernel.statement(\"vfs_read@fs/read_write.c:*\"): source lines cannot be determined without DWARF debuginfo: DWARF debuginfo is in the package linux-image-$release-dbg: at <input>:1:14" \
		-p2 -e 'probe kernel.statement("vfs_read@fs/read_write.c:*") { next }'
	unset DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
else
	skip debuginfo/programs/debuginfod libdebuginfod1
fi

# ------------------------------------------------------------ build-id instead of a path
split ''
id=$(id_of known)
export SYSTEMTAP_DEBUGINFO_PATH=$files/ids
lists 'by build-id, only its debuginfo' "semantic error: the program with the build ID $id was not found, only ids/.build-id/${id:0:2}/${id:2}.debug, which has another build ID: give the path of the program: at <input>:1:7" \
	-p2 -e "probe process(\"$id\").function(\"add\") { println(\$a) }"
ln -s ../../../known "ids/.build-id/${id:0:2}/${id:2}"
lists 'by build-id' "$whole" -L "process(\"$id\").function(\"add\")"
lists 'by build-id, plt' 'process("known").plt("printf")' -l "process(\"$id\").plt(\"printf\")"
ln -sfn ../../../other "ids/.build-id/${id:0:2}/${id:2}"; rm "ids/.build-id/${id:0:2}/${id:2}.debug"
lists 'by build-id, a link to another build' "semantic error: the program with the build ID $id was not found, only other, which has another build ID: give the path of the program: at <input>:1:7" \
	-p2 -e "probe process(\"$id\").function(\"add\") { println(\$a) }"
lists 'by build-id, unknown' 'semantic error: no program with the build ID 0123456789abcdef0123 found: no directory of debuginfo has .build-id/01/23456789abcdef0123; give its path: at <input>:1:7' \
	-p2 -e 'probe process("0123456789abcdef0123").function("add") { next }'
# As in packages: debuginfo at the program's path below the directory.
mkdir -p "tree$files"; gcc -g -O0 -o known known.c; objcopy --only-keep-debug known "tree$files/known.debug"; strip -g known
mkdir -p "tree/.build-id/${id:0:2}"; id=$(id_of known); mkdir -p "tree/.build-id/${id:0:2}"
ln -s "$files/tree$files/known.debug" "tree/.build-id/${id:0:2}/${id:2}.debug"
SYSTEMTAP_DEBUGINFO_PATH=$files/tree lists 'by build-id, from the name of its debuginfo' "$whole" -L "process(\"$id\").function(\"add\")"
unset SYSTEMTAP_DEBUGINFO_PATH

# ------------------------------------------------------------ a typedef and its struct are the same type
cat >typed.c <<'E2'
typedef struct part part_t;
struct part { int n; struct part *next; };
struct other { int n; struct part *last; };
__attribute__((noinline)) int walk(part_t *p, struct other *o) { int s = o->n; for (; p; p = p->next) s += p->n; return s; }
int main(void) { part_t a = { 1, 0 }, b = { 2, &a }; struct other o = { 3, 0 }; return walk(&b, &o); }
E2
gcc -g -O1 -o typed ./typed.c
lists 'a typedef and its struct' '# probes
process("typed").function("walk@typed.c:4")
  # locals
  p:long' -p2 -e 'probe process("./typed").function("walk") { p = $p while (p) { println(p->n) p = p->next } }'
lists 'another struct' 'semantic error: the debuginfo type of this value cannot be determined: give it with @cast(value, "type"): at <input>:1:77' \
	-p2 -e 'probe process("./typed").function("walk") { p = $p p = $o while (p) println(p->n) }'
lists 'a file as the compiler was told' 'process("typed").function("walk@typed.c:4")' -l 'process("./typed").function("walk@./typed.c")'
# ------------------------------------------------------------ symbols only
gcc -O2 -o known known.c
lists 'symbols' 'process("known").function("add")
process("known").function("main")
process("known").function("walk")' -l 'process("./known").function("[amw][dal]*")'
lists 'symbols, a variable' "semantic error: unable to find \"\$a\" in \"add\": known has no DWARF debuginfo for this function; compile known with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:52" \
	-p2 -e 'probe process("./known").function("add") { println($a) }'
lists 'symbols, a line' "semantic error: process(\"known\").statement(\"add@known.c\"): source lines cannot be determined without DWARF debuginfo: compile known with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:26" -p2 -e 'probe process("./known").statement("add@known.c:20") { println($a) }'
lists 'symbols, none of that name' "semantic error: process(\"known\").function(\"walk_on\") not found (similar: walk): at <input>:1:26
    note: known has no DWARF debuginfo, so only its symbols are available; compile known with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:26" -p2 -e 'probe process("./known").function("walk_on") { next }'
echo 'int far(int n) { return n; }' >far.c
echo 'int far(int); int main(void) { return far(0); }' >near.c
gcc -g -shared -fPIC -o libfar.so far.c && gcc -g -o near near.c -L. -lfar -Wl,-rpath,"$PWD"
lists 'a function of a library' 'semantic error: process("near").function("far") not found: at <input>:1:25
    note: "far" is a function of a library of the program: write process("libfar.so").function("far"): at <input>:1:25' \
	-p2 -e 'probe process("./near").function("far") { next }'
lists 'a function of no library' 'semantic error: process("near").function("farther") not found: at <input>:1:25' -p2 -e 'probe process("./near").function("farther") { next }'
strip known
lists 'no symbols' 'semantic error: process("known").function("add") not found: known has neither symbols nor DWARF debuginfo that name it; compile known with -g, or install its debuginfo (-dbgsym, -dbg) package: at <input>:1:26' -p2 -e 'probe process("./known").function("add") { println($a) }'
# As distributions do: functions that are not exported, in an xz-compressed ELF file inside the file.
mini() { # as packages are made: all functions but those of .dynsym
	nm -D "$1" --format=posix --defined-only | awk '{ print $1 }' | sort >dynsyms
	nm "$1" --format=posix --defined-only | awk '$2 ~ /[TtD]/ { print $1 }' | sort >funcsyms
	comm -13 dynsyms funcsyms >keep
	objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep "$1" mini 2>/dev/null
	strip "$1"; xz -f mini; objcopy --add-section .gnu_debugdata=mini.xz "$1"
}
sed 's/^KEPT int walk/static KEPT int walk/' known.c >half.c; gcc -O2 -rdynamic -fPIE -pie -o known half.c
mini known
lists 'debugdata' 'process("known").function("add")
process("known").function("walk")' -l 'process("./known").function("[aw][da][dl]*")'
lists 'debugdata, not exported' 'process("known").function("walk")' -l 'process("./known").function("walk")'
lists 'debugdata, exported' 'process("known").function("add")' -l 'process("./known").function("add")'

# ------------------------------------------------------------ other languages
# In Fortran (0x23) arrays begin at 1, so an array has one element less than in C with the same upper bound.
sed '/^int main/,/^{/s/^{/{ volatile int v[4] = { argc };/' known.c >array.c; gcc -g -O0 -dA -S -o known.s array.c
sed -i 's/\.byte\t0x1d\t# DW_AT_language/.byte 0x23/' known.s; gcc -o known known.s
lists 'arrays that begin at 1' 'process("known").function("main@array.c:'"$(line_of '^int main' array.c)"'") $argc:int $argv:char** $v:volatile int[3] $b:struct point $a:struct point' -L 'process("./known").function("main")'

{ cat known.c; echo 'const int lines[] __attribute__((section(".gopclntab"))) = { 1 };'; } >go.c; gcc -g -O0 -o known go.c
lists 'returns in Go' 'semantic error: process("known"): return probes crash a Go program when it moves a stack; probe statements before its returns, or use guru mode (-g): at <input>:1:7' \
	-p2 -e 'probe process("./known").function("add").return { next }'
lists 'returns in Go, listed' 'process("known").function("add@go.c:'"$(line_of '^KEPT.* add(' go.c)"'").return' -l 'process("./known").function("add").return'
lists 'returns in Go, guru' '# probes
process("known").function("add@go.c:'"$(line_of '^KEPT.* add(' go.c)"'").return' -g -p2 -e 'probe process("./known").function("add").return { next }'

# ------------------------------------------------------------ which file
gcc -g -O0 -o known known.c; cp known known2; printf '#! %s/known -x\n' "$files" >script; chmod +x script; echo text >known.text
lists 'a script is its interpreter' "$whole" -L 'process("./script").function("add")'
printf '#!/usr/bin/env -S A=b dash -e\n' >script
lists 'a script by way of env' 'process("/usr/bin/dash").begin' -l 'process("./script").begin'
printf '#!%s/nothing\n' "$files" >script
lists 'a script without interpreter' 'semantic error: cannot probe script: it is a script for nothing, which does not exist: at <input>:1:7' -p2 -e 'probe process("./script").begin { next }'
lists 'by pattern' "$whole
${whole/known/known2}" -L 'process("./known*").function("add")'
lists 'by pattern, none has it' 'semantic error: process("known").function("ad") not found (similar: add): at <input>:1:27' -p2 -e 'probe process("./known*").function("ad") { next }'
mkdir -p lib lib64/x86_64-linux-gnu && cp known lib64/x86_64-linux-gnu/
lists 'by pattern, a directory for each architecture' "${whole/known/lib64/x86_64-linux-gnu/known}" -L 'process("./lib*/known").function("add")'
ln -sfn known lib64/x86_64-linux-gnu/knowns
lists 'by pattern, two names of a file' 'process("lib64/x86_64-linux-gnu/known").function("add@known.c")' -l 'process("./lib*/*/kn*").function("add")'
mkdir -p lib32 && if printf 'int add(int a) { return a; } int main(void) { return add(0); }' | gcc -m32 -g -o lib32/known -x c - 2>/dev/null; then
	lists 'by pattern, of 64 bits before others' "${whole/known/lib64/x86_64-linux-gnu/known}" -L 'process("./lib*/known").function("add")'
	lists 'by pattern, of 32 bits alone' 'process("lib32/known").function("add@<stdin>:1")' -l 'process("./lib3*/known").function("add")'
	got=$(point -p2 --vp 01 -e 'probe process("lib32/known").function("add") { println(@cast(8, "int **")[3]) }')
	[[ $got = *"@uderef(4, 20)"* ]] && ok 'debuginfo/programs pointers of a cast in 32-bit programs' ||
		not_ok 'debuginfo/programs pointers of a cast in 32-bit programs' "$got"
else
	skip 'debuginfo/32-bit programs' gcc-multilib
fi
rm -r lib32
lists 'by pattern, no file' 'semantic error: no file matches "./lib*/knows": at <input>:1:7' -p2 -e 'probe process("./lib*/knows").function("ad") { next }'
lists 'by pattern, no program' 'semantic error: no program for this architecture matches "./calls.[c]": at <input>:1:7' -p2 -e 'probe process("./calls.[c]").function("ad") { next }'
lists 'by pattern, full path' "$whole" -L "process(\"$files/kn?wn\").function(\"add\")"
cp /bin/sleep sleeper; ./sleeper 20 & running=$!
until [ "$(readlink /proc/$running/exe)" = "$files/sleeper" ]; do sleep 0.1; done
lists 'by number' "process($running).plt(\"nanosleep\")" -l "process($running).plt(\"nanosleep\")"
lists 'by number, a library' "process($running).plt(\"realloc\")" -l "process($running).library(\"libc.so.6\").plt(\"realloc\")"
kill $running; wait $running 2>/dev/null
lists 'by number, nobody' "semantic error: no such process: $running; pgrep -a NAME lists processes with their IDs: at <input>:1:7" -p2 -e "probe process($running).function(\"f\") { next }"

# ------------------------------------------------------------ C++ names, callees
if g++ -g -O2 -o boxes boxes.cc; then
	for of in ns::Box::area Box::area '*::area' '::area' 'ns::Bo?::a*'; do
		lists "scope $of" 'process("boxes").function("area@boxes.cc")' -l "process(\"./boxes\").function(\"$of\")"
	done
	lists 'scope of a function' 'process("boxes").function("twice@boxes.cc").call' -l 'process("./boxes").function("ns::*@boxes.cc").call'
	for of in xs::Box::area ns::area x::main; do
		[ -z "$("$STAP" -r "$release" -l "process(\"./boxes\").function(\"$of\")" 2>/dev/null)" ] && ok "debuginfo/programs scope $of" ||
			not_ok "debuginfo/programs scope $of"
	done
	lists 'scope in an error' 'semantic error: process("boxes").function("xs::area") not found: at <input>:1:26' \
		-p2 -e 'probe process("./boxes").function("xs::area") { next }'
else
	skip debuginfo/programs/scope g++
fi
gcc -g -O2 -o known known.c
lists 'callees' 'process("known").function("main").callee("add@known.c")
process("known").function("main").callee("fib@known.c")
process("known").function("main").callee("walk@known.c")' -l 'process("./known").function("main").callees'
lists 'callee, nothing of the kind' 'semantic error: process("known").function("add"): it does not call a function "fib" directly: at <input>:1:26' \
	-p2 -e 'probe process("./known").function("add").callee("fib") { next }'

# ------------------------------------------------------------ computed locations
cat >computes.c <<'END'
#include <stdlib.h>
__attribute__((noipa)) int computes(unsigned long a, unsigned long b)
{
	unsigned long q = a / b, r = a % (b + 1);
	long s = (long)a / (long)b;
	__asm__ volatile("nop" : : "r"(a), "r"(b));
	return (int)a + b;
}
int main(int argc, char **argv) { return computes(0xf000000000000000ul, argc); }
END
gcc -g -O2 -o computes computes.c
got=$("$STAP" -r "$release" -p3 -e 'probe process("./computes").statement("computes@computes.c:7") { println($q, $r, $s, $$vars) }' 2>/dev/null |
	sed -nE 's/.*= (stp_location_[a-z]*)\(.*/\1/p; s/.*(stp_div|stp_mod)\(.*/\1/p' | sort | uniq -c | xargs)
want='2 stp_location_div 2 stp_location_udiv 2 stp_location_umod'
if [ "$got" = "$want" ]; then ok 'debuginfo/programs locations that divide'; else not_ok 'debuginfo/programs locations that divide' "wanted $want, got $got"; fi

# ---
cat >unset.c <<'END'
__attribute__((noinline)) int unset(int n)
{
	int local = n + 1;
	return local;
}
int main(int argc, char **argv) { return unset(argc); }
END
gcc -g -O0 -o unset unset.c
lists 'locals before the frame' "semantic error: \"\$local\" cannot be read at this address of \"unset\" (it is not set yet); it can be read at line 3: statement(\"unset@unset.c:3\"): at <input>:1:57" \
	-p2 -e 'probe process("./unset").statement("unset@*:2") { print($local) }'
got=$("$STAP" -r "$release" -p3 -e 'probe process("./unset").statement("unset@*:2") { println($$vars) }' 2>/dev/null | grep -c 'stp_reg(c, 112) }\|text = "?"')
cat >second.c <<'END'
struct big { long a, b, c; };
__attribute__((noinline)) long second(struct big first, struct big *p) {
	return first.a + p->b;
}
int main(void) { struct big b = { 1, 2, 3 }; return second(b, &b); }
END
gcc -g -O0 -o second second.c
lists 'line of a parameter before the frame' "semantic error: \"\$p\" cannot be read at this address of \"second\" (the function's first instructions have not stored it yet); it can be read at line 3: statement(\"second@second.c:3\"): at <input>:1:61" \
	-p2 -e 'probe process("./second").statement("second@*:2") { println($p) }'
if [ "$got" = 2 ]; then ok 'debuginfo/programs parameters before the frame'; else not_ok 'debuginfo/programs parameters before the frame' "$got"; fi

# ------------------------------------------------------------ known variables that are not available
cp "$TESTS/programs/entry.c" . && gcc -g -O2 -o entry entry.c
at=$(line_of 'step(late)' entry.c) gone=$(line_of ' gone(' entry.c)
lists 'known at the entry only' "semantic error: \"\$early\" cannot be read at this address of \"gone\" (only its value at the function's entry is described here, and that was not saved: save it in a probe of the function's entry); it can be read at line $((gone + 1)): statement(\"gone@entry.c:$((gone + 1))\"): at <input>:1:65" \
	-p2 -e "probe process(\"./entry\").statement(\"gone@entry.c:$((at + 1))\") { println(\$early) }"
lists 'known at the entry, there' 'process("entry").function("gone@entry.c:'"$gone"'") $early:int $late:int' -L 'process("./entry").function("gone")'
# Results that are not in a single register: the message has the reason and a suggestion.
cat >half.c <<'EOF'
typedef float four __attribute__((vector_size(16)));
_Complex double half(double a) { return a / 2; }
_Complex float small(float a) { return a / 2; }
__int128 wide(__int128 a) { return a / 2; }
four vector(four a) { return a / 2; }
int main(int n, char **v) { four f = { n }; return __real__ half(n) > 1 || __real__ small(n) > 1 || wide(n) > 1 || vector(f)[0] > 1; }
EOF
gcc -g -O1 -fno-inline -o half half.c
after='; probe a line of the caller after the call, and read the variable that receives it'
no_result() { # FUNCTION TYPE REASON
	lists "the result of $1" "semantic error: \"\$return\" ($2) cannot be read here: $3: at <input>:1:$((55 + ${#1}))" \
		-p2 -e "probe process(\"./half\").function(\"$1\").return { println(\$return) }"
}
bits=': user_long(&$variable) has the bits of the real part'
no_result half 'complex double' "probes do not read complex numbers from registers$after$bits"
no_result small 'complex float' "probes do not read complex numbers from registers$after"
no_result wide __int128 'it is in two registers: register("rax") is its low half, register("rdx") the high one'
no_result vector four "it is in a register of which probes read 8 bytes only$after"
lists 'a parameter that was taken away' "semantic error: \"\$unused\" cannot be read in this copy of \"taken\": the compiler removed this parameter, so only the callers have its value: at <input>:1:54" \
	-p2 -e 'probe process("./entry").function("taken") { println($unused) }'

# Memory before and after a value that is only in a register, and the target of a pointer without a value.
gcc -g -O2 -DENTRY -c -o before.o "$TESTS/programs/nowhere.c" && gcc -g -O2 -o nowhere "$TESTS/programs/nowhere.c" before.o
at=$(grep -n 'HERE: nowhere$' "$TESTS/programs/nowhere.c" | cut -d: -f1)
for index in 1 -1; do
	lists "outside of what is in a register, $index" "semantic error: this part of \"local\" was optimised out here: at <input>:1:75" \
		-p2 -e "probe process(\"./nowhere\").statement(\"nowhere@nowhere.c:$at\") { println(\$to[$index]) }"
done
lists 'the target of a pointer that has no value' "# probes
process(\"nowhere\").statement(\"nowhere@$TESTS/programs/nowhere.c:$at\")" \
	-p2 -e "probe process(\"./nowhere\").statement(\"nowhere@nowhere.c:$at\") { if (@defined(\$to)) println(\$to) else println(\$to[0]) }"

# For an argument on the caller's stack, clang gives the location only after the frame is set up. At the entry it is
# the same, unless the slot is written in between, or the size of the stack is unknown.
if command -v clang >/dev/null && clang -g -O2 -S -o kinds.s "$TESTS/programs/kinds.c"; then
	on_stack() { # NAME SED'S WORD WANTED
		sed "/^many:/,/pushq/s/^\tpushq.*/$2/" kinds.s >changed.s && clang -o changed changed.s
		"$STAP" -r "$release" -L 'process("./changed").function("many")' | grep -o '\$[lbm][a-z]*' | paste -sd ' ' >after
		echo "$3" >before; same "debuginfo/programs on the stack, $1" before after
	}
	on_stack 'not written' '&\n\tmovq\t%r9, -8(%rsp)' '$l $b $large $mood'
	on_stack 'written' '\tmovq\t%r9, 8(%rsp)\n&' '$large'
	on_stack 'not known where' '&\n\tandq\t$-16, %rsp' '$large'
	got=$("$STAP" -r "$release" -p2 -e 'probe process("./changed").function("many") { println($mood) }' 2>&1 | grep -o "was opt.* at line [0-9]*")
	at=$(grep -n '"%s many ' "$TESTS/programs/kinds.c" | cut -d: -f1)
	if [ "$got" = "was optimised out at this address of \"many\"; it can be read at line $at" ]; then ok 'debuginfo/programs on the stack, told'; else not_ok 'debuginfo/programs on the stack, told' "$got"; fi
else
	skip 'debuginfo/programs on the stack' clang
fi

# ------------------------------------------------------------ clones
cp "$TESTS/programs/clones.c" . && gcc -g -O2 -o clones clones.c
clone() { echo "process(\"clones\").function(\"$1@clones.c:$(line_of "^[a-zA-Z ]*\b$1(" clones.c)\") $2"; } # FUNCTION VARIABLES
lists 'clones' "$(clone checked '$n:int'; clone lean '$n:int'; clone main '$argc:int $argv:char**'
	clone rare '$n:int'; clone scaled '$n:int $by:int')" -L 'process("./clones").function("[clmrs]*@clones.c")'
lists 'clones, a rest' 'semantic error: process("clones").function("checked"): all its calls are inlined (3 copies), so it has no return to probe; probe the entries with .inline, or compile the program with -fno-inline; the rest of its code is the function "checked.part.0": at <input>:1:27' \
	-p2 -e 'probe process("./clones").function("checked").return { next }'
nm clones | sed -nE 's/^0*([0-9a-f]+) t (lean|scaled|checked)\.(isra|constprop|part)\.0$/0x\1/p' | sort >before
"$STAP" -r "$release" -p3 -e 'probe process("./clones").function("lean").call, process("./clones").function("scaled").call,
	process("./clones").function("checked.part.0") { next }' | sed -nE 's/.*\.address = (0x[0-9a-f]+)ULL.*/\1/p' | sort >after
same 'debuginfo/programs clones, places' before after
# The kernel's clones, some of which have a cold part: cold parts are not function entries.
at=$(nm "$dwarf" | sed -nE 's/^[0-9a-f]* t ([a-z0-9_]*)\.(isra|constprop)\.0\.cold$/\1/p' | sort | uniq -u | head -n 1)
if [ -n "$at" ]; then
	nm "$dwarf" | sed -nE "s/^[0-9a-f]* t ($at\.[a-z]*\.[0-9])\$/\1/p" | sort >before
	"$STAP" -r "$release" -p3 -e "probe kernel.function(\"$at\").call { next }" | sed -nE 's/.*\{ \.symbol = "([^"]*)".*/\1/p' | sort >after
	same "debuginfo/programs clones, a cold part" before after
fi

# ------------------------------------------------------------ how it was linked and compiled
gcc -g -O2 -o known known.c
show_known() {
	"$STAP" -r "$release" -L 'process("./known").function("add")' 2>&1
	"$STAP" -r "$release" -p2 -e 'probe process("./known").function("walk").call { println($p->next->y, $what, $n, @var("total")) }' 2>&1 |
		sed 's/pc=[^ ]*/pc=PC/'
}
show_known >before
for flags in '-O2 -flto' '-O2 -no-pie' '-O2 -gdwarf-4' '-O2 -gz' '-O2 -static'; do
	gcc -g $flags -o known known.c || { not_ok "debuginfo/programs $flags" gcc; continue; }
	show_known >after
	same "debuginfo/programs $flags" before after
done

# Split debuginfo gives the same results as a single file; a missing part is reported.
for flags in -gdwarf-4 -gdwarf-5; do
	gcc -g -O2 $flags -c known.c -o known.o && gcc -o known known.o && show_known >before
	"$STAP" -r "$release" -L 'process("./known").statement("fib@known.c:*")' >>before
	gcc -g -O2 $flags -gsplit-dwarf -c known.c -o known.o && gcc -o known known.o && show_known >after
	"$STAP" -r "$release" -L 'process("./known").statement("fib@known.c:*")' >>after
	same "debuginfo/programs split off, $flags" before after
	# Units with several ranges: variables of inlined copies, and values that call sites describe.
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || { skip "debuginfo/programs/split off, ranges, $compiler $flags" $compiler; continue; }
		for split in '' -gsplit-dwarf; do
			$compiler -w -g -O2 $flags $split -o ranges "$TESTS/values/zoo.c" && mv -f after before 2>/dev/null
			"$STAP" -r "$release" -L 'process("./ranges").statement("*@zoo.c:*")' >after
		done
		same "debuginfo/programs split off, ranges, $compiler $flags" before after
	done
	rm -f known.dwp
	if { dwp -e known -o packed.dwp || llvm-dwp -e known -o packed.dwp; } >/dev/null 2>&1; then
		mv known.dwo gone.dwo; mv packed.dwp known.dwp
		lists "split off, packed, $flags" "semantic error: unable to find \"\$a\" in \"add\": known has no DWARF debuginfo for this function; the debuginfo of known is packed in known.dwp, and such files cannot be read: keep known.dwo and the other .dwo files at their original paths, or compile without -gsplit-dwarf: at <input>:1:52" \
			-p2 -e 'probe process("./known").function("add") { println($a) }'
		lists "split off, packed, functions, $flags" 'process("known").function("add")' -l 'process("./known").function("add")'
		mv gone.dwo known.dwo; rm known.dwp
	else
		skip "debuginfo/programs/split off, packed, $flags" 'dwp or llvm-dwp'
	fi
	mv known.dwo gone.dwo
	gcc -g -O1 $flags -gsplit-dwarf -c known.c -o other.o && mv other.dwo known.dwo
	lists "split off, of another build, $flags" "semantic error: unable to find \"\$a\" in \"add\": known has no DWARF debuginfo for this function; the debuginfo of known is split off into .dwo files, and known.dwo does not contain its unit: the file is of another build, or it was compiled with -fdebug-types-section, which is not supported together with -gsplit-dwarf: at <input>:1:52" \
		-p2 -e 'probe process("./known").function("add") { println($a) }'
	rm known.dwo
	lists "split off, gone, $flags" "semantic error: unable to find \"\$a\" in \"add\": known has no DWARF debuginfo for this function; the debuginfo of known is split off into .dwo files, and known.dwo is neither beside it nor at its original path: at <input>:1:52" \
		-p2 -e 'probe process("./known").function("add") { println($a) }'
done
# Debuginfo that cannot be unpacked counts as missing.
gcc -g -O2 -gz -o known known.c
at=$(readelf -SW known | sed -nE 's/.* \.debug_info +PROGBITS +[0-9a-f]+ ([0-9a-f]+) .*/\1/p')
printf 'damaged in the middle' | dd of=known bs=1 seek=$((0x$at + 60)) conv=notrunc status=none
lists 'compressed, damaged' 'process("known").function("add")' -L 'process("./known").function("add")'

# ------------------------------------------------------------ our static probes, read by other tools
gcc -O2 -I"$SOURCE/include" -o marks "$TESTS/programs/marks.c"
"$STAP" -r "$release" -l 'process("./marks").mark("*")' | sed 's/.*mark("\(.*\)")/zoo:\1/' >own
if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
	perf --buildid-dir "$files/perf" buildid-cache --add "$files/marks" >/dev/null 2>&1
	perf --buildid-dir "$files/perf" list sdt 2>/dev/null </dev/null | sed -n 's/^ *sdt_\([a-z]*:[a-z_]*\) .*/\1/p' | sort >theirs
	same 'debuginfo/programs marks, as perf lists them' own theirs
else
	skip debuginfo/programs/marks perf
fi
if command -v bpftrace >/dev/null; then
	bpftrace -l "usdt:$files/marks:*" 2>/dev/null | sed 's/.*:\(zoo:.*\)/\1/' | sort >theirs
	same 'debuginfo/programs marks, as bpftrace lists them' own theirs
else
	skip debuginfo/programs/marks bpftrace
fi

# ------------------------------------------------------------ debuginfo that several files share
if command -v dwz >/dev/null; then
	gcc -g -O2 -o known known.c
	same_all() {
		"$STAP" -r "$release" -L 'process("./known").function("[afmw][adiu]*")'
		"$STAP" -r "$release" -p2 --vp 01 -e 'probe process("./known").function("walk").call { println($p->next->y, $p$$, $what, @var("total")) }
			probe process("./known").statement("fib@known.c:*") { println($$vars) }' 2>&1 | grep -v '^Pass 2'
	}
	same_all >before
	cp known known2 && dwz -m shared.dbg known known2
	same_all >after
	if readelf -SW known | grep -q gnu_debugaltlink && [ "$(grep -c walk before)" -gt 1 ]; then
		same 'debuginfo/programs shared' before after
	else
		not_ok 'debuginfo/programs shared' 'nothing is shared'
	fi
	# The shared file is also found by its build ID, in another directory.
	id=$(id_of shared.dbg); mkdir -p "ids/.build-id/${id:0:2}" && mv shared.dbg "ids/.build-id/${id:0:2}/${id:2}.debug"
	SYSTEMTAP_DEBUGINFO_PATH=$files/ids same_all >after
	same 'debuginfo/programs shared, by build-id' before after
	gcc -g -O1 -o other known.c && cp other other2 && dwz -m shared.dbg other other2
	lists 'shared, of another build' 'WARNING: shared.dbg is of another build: not used
WARNING: cannot use shared.dbg, the supplementary file (dwz) of the debuginfo of known
# probes
process("known").function("add@known.c")' -p2 -e 'probe process("./known").function("add") { next }'
	rm shared.dbg
	lists 'shared, gone' 'WARNING: cannot use shared.dbg, the supplementary file (dwz) of the debuginfo of known
# probes
process("known").function("add@known.c")' -p2 -e 'probe process("./known").function("add") { next }'
else
	skip debuginfo/programs/shared dwz
fi

# ------------------------------------------------------------ call frame information
frames() { # NAME FILE: each row equals the row that readelf prints
	"$driver" -r "$release" frames "$2" >rows 2>err
	readelf -wF "$2" >wanted 2>/dev/null
	awk -f "$TESTS/debuginfo/frames.awk" rows wanted >differences 2>compared
	if [ ! -s differences ] && [ "$(cat compared)" -ge "$3" ]; then
		ok "debuginfo/programs frames, $1"
	else
		not_ok "debuginfo/programs frames, $1" "$(cat compared) compared; $(head -n 10 differences err)"
	fi
}
if readelf -wF /bin/true >/dev/null 2>&1; then
	libc=$(ldd "$STAP" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
	frames 'the C library' "$libc" 2000
	gcc -g -O2 -o known known.c;  frames .eh_frame ./known 10
	gcc -g -O2 -fno-asynchronous-unwind-tables -nostartfiles -Wl,-e,main -o known known.c; frames .debug_frame ./known 10
	objcopy --only-keep-debug known known.debug; strip -g known; objcopy --add-gnu-debuglink=known.debug known; cp known apart
	readelf -S apart | grep -q debug_frame && not_ok 'debuginfo/programs frames, debuglink' 'not stripped'
	"$driver" -r "$release" frames ./apart >rows.apart 2>err
	same 'debuginfo/programs frames, debuglink' rows rows.apart
else
	skip debuginfo/programs/frames 'readelf -wF'
fi

# ------------------------------------------------------------ source lines
# The lines of every byte of the code equal those of addr2line; also after the table in the cache was damaged.
known_lines() { "$driver" -r "$release" -c "$cache" lines "$files/known" <bytes | sed 's/??:0/??:?/' >lines.got; }
gcc -g -O2 -ffunction-sections -o known known.c
read -r at size <<<"$(readelf -SW known | sed -nE 's/.* \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+).*/\1 \2/p')"
for ((i = 0; i < 0x$size; i++)); do printf '%x\n' $((0x$at + i)); done >bytes
addr2line -e known <bytes | sed -E 's/ \(discr.*//; s/^[^/]*:[?0]$/??:?/' >lines.want
rm -f "$cache"/*/*.lines
known_lines
same 'debuginfo/programs lines' lines.want lines.got
table=$(ls "$cache"/*/*.lines)
for damage in 'truncate -s -1' 'truncate -s 20' 'truncate -s 0' 'sed -i s/known/wrong/' 'cp /bin/true'; do
	$damage "$table"
	known_lines
	same "debuginfo/programs lines, table after $damage" lines.want lines.got
done
# A script embeds the line tables of the kernel, and those of a module that it names; none without DWARF.
carried() { "$STAP" -r "$release" -p3 "$@" -e 'probe begin { println(symfileline(0)) }' 2>&1 | grep -c '\.incbin .*\.lines'; }
got="$(carried) $(carried -d loop) $(carried -d kernel -d known) $(SYSTEMTAP_DEBUGINFO_PATH='' carried -d loop) $("$STAP" -p3 -e 'probe begin { println(symname(0)) }' | grep -c incbin)"
if [ "$got" = '1 2 1 0 0' ]; then ok 'debuginfo/programs lines, carried'; else not_ok 'debuginfo/programs lines, carried' "$got"; fi

# ---
# A process in another mount namespace, where another program has the same path. A process whose file was deleted.
echo 'int pause(void); int waits(int n) { return pause() + n; } int main(void) { return waits(1); }' >w.c
gcc -g -O0 -o waiter w.c && mkdir -p elsewhere && cp /bin/true elsewhere/waiter
running() { # NAME PID: functions found in it and in its C library
	local i
	for ((i = 0; i < 50; i++)); do [ "$(cat "/proc/$2/comm" 2>/dev/null)" = waiter ] && break; sleep 0.1; done
	lists "$1" 'process("'"$3"'").function("waits@w.c:1")' -x "$2" -l 'process.function("w*")'
	lists "$1, by its number" "process($2).function(\"waits@w.c:1\")" -l "process($2).function(\"w*\")"
	lists "$1, library" 'process("'"$(realpath /lib/x86_64-linux-gnu/libc.so.6)"'").function("getpid")' \
		-x "$2" -l 'process.library("libc.so*").function("getpid")'
	kill "$2"
}
if unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs none elsewhere && cp waiter elsewhere && exec ./elsewhere/waiter' &
	running 'process with other mounts' $! "/proc/$!/rootelsewhere/waiter"     # the directory is removed from
										   # the output
else
	skip 'debuginfo/programs process with other mounts' 'unshare -m'
fi
./waiter &
sleep 0.2; rm waiter
running 'process whose file is gone' $! "/proc/$!/exe"
lists 'process that is gone' 'semantic error: no such process: 999999; pgrep -a NAME lists processes with their IDs: at <input>:1:7' -p2 -e 'probe process(999999).function("main") { next }'
