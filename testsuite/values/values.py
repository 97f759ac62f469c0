# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in gdb: compares what the translator's C reads with what gdb reads, at every statement of a program.
#
#   PROGRAM=FILE SOURCES=GLOB SHIM=SHIM.c RUNTIME=DIR STAP=PROGRAM SCRATCH=DIR gdb -batch -x values.py
#
# Every expression (a variable, its members, elements and targets) becomes a printf() in a probe of the statement;
# the C of -p3 is compiled into a library (shim.c), which is loaded here and called whenever the program stops.
# Prints a line for each difference and for each value that only gdb can read, then a line of counts:
#   VALUES pairs=N differ=N missing=N extra=N
import ctypes
import os
import re
import struct
import subprocess
import sys

import gdb

PROGRAM, SOURCES, SHIM = os.environ['PROGRAM'], os.environ['SOURCES'], os.environ['SHIM']
RUNTIME, STAP, SCRATCH = os.environ['RUNTIME'], os.environ['STAP'], os.environ['SCRATCH']
VISITS = int(os.environ.get('VISITS', '2'))      # number of stops at a statement, in a run
VERBOSE = 'VERBOSE' in os.environ

SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_PTR)
RECORDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
PT_REGS = 'r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss'.split()


def stap(*arguments, script=None):
    made = subprocess.run([STAP, *arguments] + (['-'] if script else []), input=script, capture_output=True, text=True)
    if made.returncode:
        print('stap failed: ' + made.stderr[:2000])
        print('VALUES pairs=0 differ=1 missing=0 extra=0')
        sys.stdout.flush()
        os._exit(1)
    return made.stdout


# ---------------------------------------------------------------- expressions

class Path:
    """An expression of a script, and the equivalent path for gdb."""
    def __init__(self, text, symbol, steps, type):
        self.text, self.symbol, self.steps, self.type = text, symbol, steps, type

    def then(self, text, step, type):
        return Path(self.text + text, self.symbol, self.steps + [step], type.strip_typedefs())

    def read(self, frame, block):
        value = frame.read_var(self.symbol, block)
        for kind, what in self.steps:
            if kind == 'follow':
                value = value.dereference()
            else:
                if kind == 'field' and what.is_base_class:
                    value.fetch_lazy()     # otherwise gdb 13 aborts on the base of an object in pieces that it has
					   # not read
                value = value[what]
        if value.is_optimized_out:
            return None
        if self.type.code == gdb.TYPE_CODE_FLT:
            return struct.unpack('<q', struct.pack('<d', float(value)))[0]
        if self.type.code == gdb.TYPE_CODE_PTR:
            return int(value.cast(gdb.lookup_type('long')))
        return int(value)


def leaves(path, depth, out):
    """Returns the paths to numbers inside the value of a path."""
    t = path.type
    if t.code in SCALARS and t.sizeof <= 8:
        out.append(path)
    if t.code == gdb.TYPE_CODE_FLT and t.sizeof in (4, 8):
        out.append(path)
    if depth <= 0:             # includes members of anonymous members
        return
    if t.code == gdb.TYPE_CODE_PTR:
        to = t.target().strip_typedefs()
        if to.code in RECORDS and to.fields():
            members(path.then('', ('follow', None), to), '->', depth - 1, out)
        elif to.code in SCALARS and to.code != gdb.TYPE_CODE_PTR and to.sizeof <= 8:
            leaves(path.then('[0]', ('index', 0), to), 0, out)
    elif t.code in RECORDS:
        members(path, '->', depth, out)
    elif t.code == gdb.TYPE_CODE_ARRAY:
        low, high = t.range()
        for i in sorted({low, low + 1, high}):
            if low <= i <= high:
                leaves(path.then('[%d]' % i, ('index', i), t.target()), depth - 1, out)


def members(path, arrow, depth, out):
    for f in path.type.fields():
        if not hasattr(f, 'bitpos') or f.artificial:
            continue
        if f.is_base_class:
            members(path.then('', ('field', f), f.type), arrow, depth, out)
        elif f.name:
            leaves(path.then(arrow + f.name, ('field', f), f.type), depth - 1, out)
        else:
            members(path.then('', ('field', f), f.type), arrow, depth, out)


def variables(address):
    """Returns the symbols of the innermost block, then of the blocks around it, each with its block."""
    block = gdb.block_for_pc(address)
    seen = {}
    while block and not block.is_global:
        for s in block:
            if (s.is_variable or s.is_argument or is_constant(s)) and s.name and s.name not in seen and not block.is_static:
                seen[s.name] = (s, block)
        if block.function:         # what is around an inlined copy isn't its own
            break
        block = block.superblock
    return seen


def is_constant(symbol):
    """Returns true for a variable with a constant value, which is not an enumerator."""
    return symbol.is_constant and symbol.type is not None and not (
        symbol.type.strip_typedefs().code == gdb.TYPE_CODE_ENUM and symbol.name in
        [f.name for f in symbol.type.strip_typedefs().fields()])


def expressions(address):
    out = []
    for name, (symbol, block) in sorted(variables(address).items()):
        if re.fullmatch(r'[A-Za-z_]\w*', name) and name != 'this' and symbol.type is not None:
            paths = []
            leaves(Path('$' + name, symbol, [], symbol.type.strip_typedefs()), 3, paths)
            out += [(p, block) for p in paths]
    return out


# ---------------------------------------------------------------- the library

class Result(ctypes.Structure):
    _fields_ = [('id', ctypes.c_int64), ('value', ctypes.c_int64), ('known', ctypes.c_bool)]


def points():
    """Returns link addresses of all statements, with the names of the points."""
    text = stap('-p3', '-e', 'probe process("%s").statement("%s") { n++ } global n' % (PROGRAM, SOURCES))
    return {int(a, 16): n for n, a in re.findall(r'/\* (\S+) \*/\n\s*\.address = (0x[0-9a-f]+)ULL', text)}


class Store:
    """A bit-field is incremented: records its value before, and those of the fields next to it."""
    def __init__(self, field, text, before, bits):
        self.field, self.text, self.before, self.bits = field, text, before, bits


def stores(paths, first, n, lines, checks):
    """The paths have numbers from `first` on; returns the next free number."""
    for i, (path, block) in enumerate(paths):
        last = path.steps[-1][1] if path.steps else None
        if not isinstance(last, gdb.Field) or not last.bitsize or path.steps[0][0] != 'follow':
            continue
        lines.append('try { %s = %s + 1' % (path.text, path.text))
        for k, (other, b) in enumerate(paths):
            if other.symbol is path.symbol and len(other.steps) == len(path.steps) and other.steps[:-1] == path.steps[:-1]:
                lines.append('printf("%%d %%x\\n", %d, %s)' % (n, other.text))
                checks[n] = Store(path.text, other.text, first + k, last.bitsize if k == i else 0)
                n += 1
        lines.append('%s = %s - 1 } catch { }' % (path.text, path.text))
    return n


def script(by_address, checks):
    lines, ids, n = [], {}, 0
    for address, paths in sorted(by_address.items()):
        if not paths:
            continue
        lines.append('probe process("%s").statement(0x%x) {' % (PROGRAM, address))
        for path, block in paths:
            ids[n] = (address, path, block)
            lines.append('if (@defined(%s)) try { printf("%%d %%x\\n", %d, %s) } catch { printf("%%d\\n", %d) }' %
                         (path.text, n, path.text, n))
            n += 1
        if '-O0' in os.environ['FLAGS']:
            n = stores(paths, n - len(paths), n, lines, checks)
        lines.append('}')
    return '\n'.join(lines) + '\n', ids


def library(text):
    c, so = os.path.join(SCRATCH, 'values.c'), os.path.join(SCRATCH, 'values-%d.so' % os.getpid())
    with open(c, 'w') as f:
        f.write(stap('-g', '-p3', '-DMAXACTION=1000000', script=text))
    made = subprocess.run(['gcc', '-w', '-O1', '-shared', '-fPIC', '-fwrapv', '-I', RUNTIME + '/include', '-o', so, c, SHIM],
                          capture_output=True, text=True)
    if made.returncode:
        print(made.stderr[:3000])
        print('VALUES pairs=0 differ=1 missing=0 extra=0')
        sys.stdout.flush()
        os._exit(1)
    lib = ctypes.CDLL(so)
    lib.values_point.restype = ctypes.c_uint64
    return lib


# ---------------------------------------------------------------- the comparison

class Counts:
    pairs = differ = missing = extra = 0


def say(what, name, path, ours, theirs):
    print('%s %s %s: %s, gdb %s' % (what, name, path.text, 'not available' if ours is None else hex(ours & (1 << 64) - 1),
                                    'not available' if theirs is None else hex(theirs & (1 << 64) - 1)))


def compare(counts, name, path, ours, theirs):
    if path.text.startswith('$undefined'):             # DWARF defines no result, but gdb prints one
        counts.differ += ours is not None
        if ours is not None:
            say('DIFFER', name, path, ours, None)
        return
    if theirs is None:
        if ours is not None:
            counts.extra += 1
            say('EXTRA', name, path, ours, theirs)
        return
    counts.pairs += 1
    if ours is None:
        counts.missing += 1
        say('MISSING', name, path, ours, theirs)
    elif (ours - theirs) & (1 << 64) - 1:
        counts.differ += 1
        say('DIFFER', name, path, ours, theirs)
    elif VERBOSE:
        say('SAME', name, path, ours, theirs)


def gdb_reads(path, block, frame):
    try:
        return path.read(frame, block)
    except (gdb.error, gdb.MemoryError, OverflowError, ValueError):
        return None


def compare_stores(counts, name, checks, ours):
    for i, store in checks.items():
        before, after = ours.get(store.before), ours.get(i)
        if before is None or after is None:
            continue
        counts.pairs += 1
        wrong = (after - before - 1) & (1 << store.bits) - 1 if store.bits else after - before
        if wrong:
            counts.differ += 1
            print('DIFFER %s %s + 1: %s becomes %#x from %#x' % (name, store.field, store.text, after, before))


def stop(lib, at, bias, ids, checks, names, counts, prologues):
    frame = gdb.newest_frame()
    address = frame.pc() - bias
    regs = (ctypes.c_uint64 * len(PT_REGS))()
    narrow = frame.architecture().name() == 'i386'
    for i, name in enumerate(PT_REGS):
        name = 'rax' if name == 'orig_rax' else name
        if narrow and name[0] == 'r':
            name = 'e' + name[1:]
        if not narrow or not name[1:].isdigit():
            regs[i] = int(frame.read_register(name)) & (1 << (32 if narrow else 64)) - 1
    size = len(ids) + len(checks) + 1
    results = (Result * size)()
    fs = 0 if narrow else int(frame.read_register('fs_base')) & (1 << 64) - 1
    xmm = (ctypes.c_uint64 * 16)()
    for i in range(8 if narrow else 16):
        xmm[i] = int(frame.read_register('xmm%d' % i)['v2_int64'][0]) & (1 << 64) - 1
    n = lib.values_hit(at[address], regs, xmm, ctypes.c_uint64(bias), gdb.selected_inferior().pid, ctypes.c_uint64(fs), results, size)
    if n < 0:
        print('a handler failed at %s' % names[address])
        counts.differ += 1
        return
    ours = {r.id: r.value if r.known else None for r in results[:n]}
    here = [(i, path, block) for i, (where, path, block) in ids.items() if where == address]
    if address in prologues:
        for i, path, block in here:
            early[prologues[address], path.text] = (path, ours.get(i))
        return
    for i, path, block in here:
        theirs = gdb_reads(path, block, frame)
        compare(counts, names[address], path, ours.get(i), theirs)
        before = early.pop((address, path.text), None)
        if before and (before[1] is not None or path.symbol.is_argument and not path.steps):
            before_frame(counts, names[address], path, before[1], theirs)
    compare_stores(counts, names[address], checks, ours)


early = {}


def before_frame(counts, name, path, ours, theirs):
    """Before a function has set up its frame, gdb reads stale memory for its variables: our parameters must have
    their previous values, and a local must not be readable."""
    words = path.type.code in SCALARS
    if ours is None and not words:
        return
    if not path.symbol.is_argument and path.symbol.addr_class != gdb.SYMBOL_LOC_STATIC and '-O0' in os.environ['FLAGS']:
        counts.differ += 1
        say('SET TOO EARLY', name, path, ours, theirs)
    elif path.symbol.is_argument:
        compare(counts, 'before ' + name, path, ours, theirs)


def before_bodies(addresses):
    """Returns the statements before the end of a function's first instructions, at which unoptimised code has no
    values yet, with that end."""
    out = {}
    for a in addresses:
        f = gdb.block_for_pc(a)
        while f and not f.is_static and not (f.function and f.superblock.is_static):
            f = f.superblock
        if f and not f.is_static and a < body(f):
            out[a] = body(f)
    return out


def body(block):
    """Finds the end of the function's first instructions. The frame of gcc's code is known everywhere, but at
    -O0 its content is not set before; the frame of clang's code is based on a register that these
    instructions set."""
    table = gdb.find_pc_line(block.start)
    lines = sorted(e.pc for e in table.symtab.linetable() if block.start <= e.pc < block.end) if table.symtab else []
    optimised = '-O0' not in os.environ['FLAGS'] and not os.environ['FLAGS'].startswith('clang')
    return block.start if optimised or len(lines) < 2 else lines[1]


def main():
    gdb.execute('set pagination off')
    gdb.execute('set confirm off')
    gdb.execute('set print frame-arguments none')
    gdb.execute('set debuginfod enabled off')
    gdb.execute('file ' + PROGRAM)
    names = points()
    checks = {}
    text, ids = script({a: expressions(a) for a in names}, checks)
    lib = library(text)
    at, i = {}, 0
    while lib.values_point(i):
        at[lib.values_point(i)] = i
        i += 1
    linked = int(gdb.parse_and_eval('(unsigned long)&main'))
    prologues = before_bodies(at)
    gdb.execute('starti >/dev/null', to_string=True)
    bias = int(gdb.parse_and_eval('(unsigned long)&main')) - linked
    # gdb's symbols and blocks are those of the program before its relocation, so they are looked up again.
    for i, (a, path, block) in list(ids.items()):
        found = variables(a + bias).get(path.symbol.name)
        if found:
            path.symbol, block = found
        ids[i] = (a, path, block)
    left = {}
    for a in at:
        b = gdb.Breakpoint('*0x%x' % (a + bias), internal=True)
        b.silent = True
        left[a] = (b, VISITS)
    counts = Counts()
    while True:
        try:
            gdb.execute('continue', to_string=True)
        except gdb.error:
            break
        if not gdb.selected_inferior().pid:
            break
        address = gdb.newest_frame().pc() - bias
        if address not in left:
            continue
        stop(lib, at, bias, ids, checks, names, counts, prologues)
        b, n = left[address]
        left[address] = (b, n - 1)
        if n <= 1:
            b.enabled = False
    print('VALUES pairs=%d differ=%d missing=%d extra=%d' % (counts.pairs, counts.differ, counts.missing, counts.extra))


main()
