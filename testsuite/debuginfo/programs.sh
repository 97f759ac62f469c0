# SPDX-License-Identifier: GPL-2.0-or-later
# Files of programs that are found by other ways than a path, have debuginfo elsewhere or none, and
# what they call of libraries. (Read by run.sh.) Everything is compiled here; nothing is run by a kernel.
files=$SCRATCH/programs
rm -rf "$files"; mkdir -p "$files" && cd "$files" || return

# lists NAME WANTED STAP'S ARGUMENTS: standard output and errors, the directory and numbers of lines left out
lists() {
	local name=$1 want=$2 got
	shift 2
	got=$("$STAP" -r "$release" "$@" 2>&1 | grep -v '^Pass 2: \|^ *\^\|source: ' | sed -E "s#$files/##g; s#(known|calls|boxes)\.(c|cc):[0-9]+#\1.\2#g")
	if [ "$got" = "$want" ]; then
		ok "debuginfo/programs $name"
	else
		not_ok "debuginfo/programs $name" "wanted: $want
got: $got"
	fi
}
point() { "$STAP" -r "$release" "$@" 2>&1 | sed "s#$files/##g"; }
id_of() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1; }

cp "$TESTS/programs/known.c" "$TESTS/programs/boxes.cc" .
cat >calls.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { char *p = malloc(argc + 20); puts(argv[0]); putenv(p); return p == NULL; }
END

# ------------------------------------------------------------ the procedure linkage table
for flags in '-fPIE -pie -Wl,-z,lazy' '-no-pie -fcf-protection=none' '-fPIE -pie -fcf-protection=full -Wl,-z,ibtplt' '-fPIE -pie -Wl,-z,now'; do
	gcc -O2 $flags -o calls calls.c || { not_ok "debuginfo/programs plt $flags" gcc; continue; }
	lists "plt $flags" 'process("calls").plt("putenv")
process("calls").plt("puts")' -l 'process("./calls").plt("pu*")'
	lists "plt all $flags" 'process("calls").plt("malloc").return
process("calls").plt("putenv").return
process("calls").plt("puts").return' -l 'process("./calls").plt("[a-z]*").return'
	# The places are those that the disassembler names.
	want=$(objdump -d -j .plt -j .plt.sec -j .plt.got calls 2>/dev/null | sed -nE 's/^0*([0-9a-f]+) <([a-z]+)@plt>:$/\2 0x\1/p' | sort)
	got=$("$STAP" -r "$release" -p3 -e 'probe process("./calls").plt("[a-z]*") { println($$name) }' 2>/dev/null |
		grep -A1 '/\* process' | sed -nE 's/.*plt\("(.*)"\).*/\1/p; s/.*\.address = (.*)ULL.*/\1/p' | paste -d ' ' - - | sort)
	if [ -n "$want" ] && [ "$want" = "$got" ]; then ok "debuginfo/programs plt places $flags"; else not_ok "debuginfo/programs plt places $flags" "wanted $want, got $got"; fi
done
gcc -O2 -fno-plt -o calls calls.c
lists 'plt without one' 'semantic error: calls calls no function "puts" through its procedure linkage table (similar: __cxa_finalize): at <input>:1:26' \
	-p2 -e 'probe process("./calls").plt("puts") { println($$name) }'
gcc -O2 -static -nostdlib -o bare -x c - <<<'void _start(void) { for (;;); }'
lists 'plt of a static program' 'semantic error: bare has no procedure linkage table: it calls no library, or without one: at <input>:1:25' \
	-p2 -e 'probe process("./bare").plt { println($$name) }'
