# SPDX-License-Identifier: GPL-2.0-or-later
# Makes scripts: typed expressions and statements of the whole language, in probes of points that exist.
# `Script(random, names, safe)` has .text and .options; with `safe` it only reads, ends after a while and allocates
# little, so that a guest can load it.
# Locals are typed by their names: n1 is a number, s1 a string.
import re

EDGES = ['0', '1', '-1', '2', '7', '64', '255', '4096', '0x7fffffff', '0x80000000', '0xffffffff', '0x100000000', '0777',
         '9223372036854775807', '(-9223372036854775807 - 1)', '0xffffffffffffffff', '-2147483648', '63', '1000000007']
STRINGS = ['""', '"a"', '"x y"', r'"\n\t\"\\"', r'"\x41\101"', '"%d %s"', '"/etc/passwd"', '"über"', '"a" "b"', '"' + 'long ' * 30 + '"',
           '"0x1f"', '"-12"', '"*"', '"a,b,,c"', r'"\0012"']
BINARY = ['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>', '&&', '||', '==', '!=', '<', '>', '<=', '>=']
ASSIGN = ['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=']
EXTRACT = ['@count', '@sum', '@min', '@max', '@avg', '@variance']
DIRECTIVES = ['%d', '%i', '%u', '%x', '%X', '%o', '%#x', '%5d', '%-5d', '%05d', '%+d', '% d', '%.3d', '%p', '%c', '%#c', '%ld', '%lx', '%lld',
              '%1b', '%2b', '%4b', '%8b', '%b', '%#o', '%20p', '%-20.10x', '%02x']
TEXT_DIRECTIVES = ['%s', '%10s', '%-10s', '%.3s', '%5.1s', '%#s', '%-3.3s']
# Functions of the library that a guest does not survive, or that print memory of others, run commands, or end the
# session.
UNSAFE = {'exit', 'abort', 'system', 'panic', 'error', 'stapio_send', 'print_ubacktrace_fileline', 'assert'}
SIMPLE_POINTS = ['begin', 'end', 'begin(-5)', 'end(3)', 'error', 'error(1)', 'never', 'timer.ms(100)', 'timer.s(3)', 'timer.jiffies(10).randomize(5)',
                 'timer.profile', 'timer.profile.freq.hz(97)', 'timer.hz(10)', 'timer.us(5000)', 'timer.ns(50000000)', 'timer.ms(20).randomize(10)']
EVENTS = ['perf.type(0).config(0)%s', 'perf.type(1).config(0)%s', 'perf.type(1).config(2)%s', 'perf.type(1).config(3)%s', 'perf.sw.cpu_clock',
          'perf.type(3).config(1)%s', 'perf.type(4).config(0x3c)%s']
DATA = ['kernel.data("jiffies")', 'kernel.data("init_task")', 'kernel.data("vm_swappiness")', 'kernel.data("pid_max")', 'kernel.data("tainted_mask")',
        'kernel.data(0xffffffff82000000)', 'kernel.data("nr_threads")']


class Var:
    def __init__(self, name, kind, keys=(), size='', wrap=False, value=''):
        self.name, self.kind, self.keys, self.size, self.wrap, self.value = name, kind, keys, size, wrap, value
        self.histogram, self.shift = None, None


class Script:
    def __init__(self, random, names, safe=False):
        self.random, self.names, self.safe = random, names, safe
        self.lines, self.depth, self.options = [], 0, []
        self.guru = not safe and random.random() < 0.06
        self.user = not safe and not self.guru and random.random() < 0.05
        if self.user:
            self.options.append('--runtime=user')
        self.point, self.loops, self.frozen, self.budget = None, 0, [], 0
        self.parameters, self.functions, self.function, self.macros = {}, [], None, []
        self.serial = 0
        self.misfit = not safe and random.random() < 0.1
        self.make()
        self.text = '\n'.join(self.lines) + '\n'
        if not safe and random.random() < 0.1:
            self.text = self.mutated(self.text)

    def chance(self, p):
        return self.random.random() < p

    def pick(self, of):
        return of[self.random.randrange(len(of))]

    def out(self, text):
        self.lines.append('\t' * self.depth + text)

    # The whole script.

    def make(self):
        r = self.random
        self.globals = [self.new_global(i) for i in range(r.randrange(0, 7))]
        for i in range(r.randrange(0, 3)):
            self.new_macro(i)
        for v in self.globals:
            self.out(self.declaration(v))
        for i in range(r.randrange(0, 4)):
            self.new_function(i)
        if self.chance(0.05):
            self.out('%( ' + self.condition() + ' %? probe begin { println("taken") } %: probe never { nosuch() } %)')
        for i in range(1 + r.randrange(0, 4)):
            self.new_probe()
        if self.chance(0.9) and self.globals:
            self.out('probe never {')
            for v in self.globals:
                values = {'num': '0', 'str': '""'}
                name = v.name + ('[' + ', '.join(values[k] for k in v.keys) + ']' if v.keys else '')
                self.out('\t%s %s;' % (name, '<<< 1' if v.kind in ('stat', 'stats') else '= ' + values[v.element if v.keys else v.kind]))
            self.out('}')
        if self.guru:
            self.options.append('-g')
        if self.safe:
            self.out('probe timer.ms(150) { exit() }')
        self.limits()

    def new_global(self, i):
        kind = self.pick(['num', 'num', 'str', 'stat', 'array', 'array', 'array', 'stats', 'stats'])
        v = Var('g%d' % i, kind)
        if kind == 'num' and self.chance(0.4):
            v.value = ' = ' + self.pick([e for e in EDGES if e[0] != '('])
        if kind == 'str' and self.chance(0.4):
            v.value = ' = ' + self.pick(STRINGS)
        if kind in ('array', 'stats'):
            count = self.pick([1, 1, 1, 2, 2, 3, 4, 5, 9])
            v.keys = [self.pick(['num', 'str']) for _ in range(count)]
            v.element = 'stat' if kind == 'stats' else self.pick(['num', 'num', 'str'])
            v.wrap = self.chance(0.15)
            if self.chance(0.3):
                v.size = '[%s]' % self.pick(['1', '2', '10', '100', '3000'])
        if kind in ('stat', 'stats'):
            v.histogram = self.pick([None, '@hist_log(%s)', '@hist_linear(%s, 0, 100, 10)', '@hist_linear(%s, -50, 50, 1)',
                                     '@hist_linear(%s, 0, 9000000000000, 1000000000000)'])
            v.shift = self.pick([None, None, 0, 3, 20])
        return v

    def declaration(self, v):
        return self.pick(['global '] * 9 + ['private ']) + v.name + ('%' if v.wrap else '') + v.size + v.value

    def new_macro(self, i):
        name = 'm%d' % i
        count = self.random.randrange(0, 3)
        if count:
            body = '(' + ' + '.join('@' + p for p in ['a', 'b'][:count]) + self.pick(['', ' * 2', ' ^ 5']) + ')'
            self.out('@define %s(%s) %%( %s %%)' % (name, ', '.join(['a', 'b'][:count]), body))
        else:
            self.out('@define %s %%( %s %%)' % (name, self.pick(EDGES)))
        self.macros.append((name, count))

    def new_function(self, i):
        types = [self.pick(['num', 'str']) for _ in range(self.random.randrange(0, 4))]
        result = self.pick(['num', 'str', None])
        name = 'f%d' % i
        names = ['%s%d' % ('p' if t == 'num' else 'q', k) for k, t in enumerate(types)]
        shown = ', '.join(n + ({'num': ':long', 'str': ':string'}[t] if self.chance(0.3) else '') for n, t in zip(names, types))
        typed = {'num': ':long', 'str': ':string', None: ''}[result] if self.chance(0.4) else ''
        private = 'private ' if self.chance(0.05) else ''
        self.out('%sfunction %s%s(%s)%s {' % (private, name, typed, shown, ':%d' % self.random.randrange(1, 5) if self.chance(0.05) else ''))
        self.parameters = dict(zip(names, types))
        self.function, self.point = (name, result, types), None
        self.depth += 1
        start = len(self.lines)
        recursive = types and types[0] == 'num' and self.chance(0.3)
        if recursive:
            self.out('if (%s <= 0) return%s' % (names[0], {None: '', 'num': ' 1', 'str': ' "r"'}[result]))
            arguments = [names[0] + ' - 1'] + [self.value(t, 1) for t in types[1:]]
            call = '%s(%s)' % (name, ', '.join(arguments))
            self.out({None: call, 'num': 'n1 = ' + call, 'str': 's1 = ' + call}[result])
        self.budget = 6
        self.statements(self.random.randrange(1, 4), 2)
        if result:
            self.out('return ' + self.value(result, 2))
        self.give_types(start)
        self.depth -= 1
        self.out('}')
        self.parameters, self.function = {}, None
        self.functions.append((name, result, types))

    # Usually makes the types of a handler's locals certain, since a local that is only read has no type.
    def give_types(self, start):
        if self.chance(0.95):
            used = sorted(set(re.findall(r'\b[nspq]\d+\b', '\n'.join(self.lines[start:]))))
            self.lines.insert(start, '\t' * self.depth + ' '.join(
                ('if (%s == 0) ;' if name[0] in 'np' else 'if (%s == "") ;') % name for name in used))

    # Probe points.

    def real(self, prefix=''):
        kinds = [k for k in self.names.kinds if k.startswith(prefix)]
        return self.pick(self.names.points[self.pick(kinds)])

    def new_point(self):
        """Returns a point, and the Point that its variables belong to, if it has variables."""
        roll = self.random.random()
        if roll < 0.2 or self.user:
            return self.pick(SIMPLE_POINTS[:10] if self.user else SIMPLE_POINTS), None
        if roll < 0.27:
            return self.procfs(), None
        if roll < 0.31:
            hook, family, priority = self.netfilter()
            return self.pick(['netfilter.hook("%s").pf("%s")%s' % (hook, family, priority), 'netfilter.pf("%s").hook("%s")%s' % (family, hook, priority)]), None
        if roll < 0.36:
            return self.event(), None
        if roll < 0.40:
            return self.watch(), None
        if roll < 0.425 and not self.safe:
            return self.pattern(), None
        if roll < 0.47:
            return self.process(), None
        if roll < 0.49:
            return self.pick(['kprobe.function("vfs_read")', 'kprobe.function("vfs_open").return', 'kprobe.module("fuse").function("fuse_do_open")?',
                              'kprobe.function("nosuch")?', 'kernel.function("vfs_read").return.maxactive(%d)' % self.pick([1, 20, 5000])]), None
        point = self.real()
        text = point.text
        if point.kind in ('function', 'module') and self.chance(0.1):
            text = text.replace('.call', '')
        if point.kind == 'statement' and self.chance(0.2):
            text += '.nearest'
        if point.kind == 'return' and self.chance(0.1):
            text += '.maxactive(%d)' % self.pick([1, 10, 1000])
        return text, point

    def procfs(self):
        name = '("%s%d")' % (self.pick(['a', 'dir/b', 'dir/c', 'x.y']), self.serial) if self.chance(0.8) else ''
        self.serial += 1
        mask = '.umask(%s)' % self.pick(['0', '022', '0400', '0777']) if self.chance(0.3) else ''
        return 'procfs%s%s%s' % (name, mask, self.pick(['.read', '.read', '.write', '.read.maxsize(%s)' % self.pick(['1', '100', '20000'])]))

    def netfilter(self):
        hooks = [('NF_INET_PRE_ROUTING', 'NFPROTO_IPV4'), ('NF_INET_LOCAL_IN', 'NFPROTO_IPV6'), ('NF_IP_LOCAL_OUT', 'PF_INET'),
                 ('NF_INET_POST_ROUTING', 'NFPROTO_IPV4'), ('NF_ARP_IN', 'NFPROTO_ARP'), ('NF_BR_FORWARD', 'NFPROTO_BRIDGE'), ('nosuch', 'NFPROTO_IPV4')]
        hook, family = self.pick(hooks[:-1] if self.safe or self.chance(0.9) else hooks)
        priority = '.priority("%s")' % self.pick(['NF_IP_PRI_FIRST', 'NF_IP_PRI_LAST', '5', '-100', '2147483647']) if self.chance(0.4) else ''
        return hook, family, priority

    def event(self):
        suffix = self.pick(['', '.sample(100000)', '.hz(100)', '.process("%s")' % self.program(), '.sample(50000).process("%s")' % self.program(),
                            '.process("%s").counter("c%d")' % (self.program(), self.serial)] + ([] if self.safe else ['.counter("d%d")' % self.serial]))
        self.serial += 1
        text = self.pick(EVENTS)
        return text % suffix if '%s' in text else text

    def watch(self):
        length = '.length(%s)' % self.pick(['1', '2', '4', '8', '3', '16']) if self.chance(0.4) else ''
        base = self.pick(DATA)
        if self.chance(0.25):
            base = 'process("%s").data("%s")' % (self.program(), self.pick(['stdout', 'global', 'counter']))
            base = base if self.chance(0.3) else 'process.data(0x%x)' % self.pick([0x601000, 0x404040, 0x7ffff000])
        return base + length + self.pick(['.write', '.rw']) + self.pick(['', '?'])

    def program(self):
        return self.names.program[self.pick(sorted(self.names.program))]

    def process(self):
        begin = 'process' + self.pick(['', '("%s")' % self.program(), '("%s")' % self.program(), '(1)' if self.chance(0.1) else ''])
        return begin + self.pick(['.begin', '.end', '.thread.begin', '.thread.end', '.syscall', '.syscall.return'])

    # Returns a pattern of the families, filled with names that may match.
    def pattern(self):
        text = self.pick(self.names.types)

        def fill(match):
            if match.group(1) == 'number':
                return '(%s)' % self.pick(['1', '0', '20', '0x1000', '-1', '99999', '9223372036854775807'])
            return '("%s")' % self.pick(['vfs_read', 'main', 'vfs_*', '*@fs/open.c:1000', 'fuse', self.program(), 'libc.so.6', 'out', 'ns', 'zoo',
                                         'sched_switch', 'vfs_read@fs/read_write.c+5', '*', 'main@known.c:*', 'x{a,b}', '[', '', '*init*@*/main.c'])
        text = re.sub(r'\((number|string)\)', fill, text)
        if '("*")' in text and not text.startswith('process('):
            text = text.replace('("*")', '("vfs_re*")')
        return text

    def new_probe(self):
        points, self.point = [], None
        for i in range(self.pick([1, 1, 1, 2, 3])):
            text, point = self.new_point()
            if not i:
                self.point = point
            elif point and not self.point and text[-1] not in '?!':
                text += '?'
            if self.chance(0.08) and text[-1] not in '?!':
                text += self.pick(['?', '!'])
            if self.chance(0.08):
                self.budget, kept, self.point = 3, self.point, None
                text += ' if (%s)' % self.pick([v.name for v in self.globals if v.kind == 'num'] or ['1'])
                self.point = kept
            points.append(text)
        self.text_of_point = points[0]
        if self.chance(0.07):
            alias = 'al%d.x%d' % (self.serial, self.serial)
            self.serial += 1
            self.out('probe %s %s %s {' % (alias, self.pick(['=', '+=']), ', '.join(points)))
            self.depth += 1
            self.out('s1 = "alias"; n1 = 5')
            self.depth -= 1
            self.out('}')
            points = [alias]
        self.out('probe ' + ', '.join(points) + ' {')
        self.depth += 1
        self.budget, start = 25, len(self.lines)
        self.statements(self.random.randrange(1, 7), 3)
        self.give_types(start)
        if self.safe and self.chance(0.7):
            self.out('if (n9++ > 3) next')
        self.depth -= 1
        self.out('}')

    # Statements.

    def statements(self, count, depth):
        for _ in range(count):
            if self.budget > 0:
                self.budget -= 1
                self.statement(depth)

    def block(self, depth):
        self.depth += 1
        self.statements(self.random.randrange(0, 3), depth - 1)
        self.depth -= 1

    def writable(self, kinds):
        return [v for v in self.globals if v.kind in kinds and v.name not in self.frozen] if not self.frozen or not self.function else []

    def statement(self, depth):
        simple = [self.print_something, self.print_something, self.assign, self.assign, self.assign, self.append, self.add, self.add, self.printf, self.delete,
                  self.call, self.expression]
        nested = [self.if_, self.if_, self.while_, self.for_, self.foreach, self.foreach, self.try_, self.jump]
        if depth > 0 and self.chance(0.4):
            self.pick(nested)(depth)
        else:
            self.pick(simple)()
            # A statement may begin with a token that could continue the previous statement.
            begin = self.lines[-1].strip()[0]
            if not begin.isalnum() or self.chance(0.8):
                self.lines[-1] = self.lines[-1].replace(self.lines[-1].strip(), '; ' * (not begin.isalnum()) + self.lines[-1].strip() + ';')

    def lvalue(self, type):
        arrays = [v for v in self.writable(['array']) if v.element == type]
        globals = self.writable([type])
        roll = self.random.random()
        if arrays and roll < 0.4:
            return self.element(self.pick(arrays), 1)
        if globals and roll < 0.6:
            return self.pick(globals).name
        if self.guru and type == 'num' and self.point and roll < 0.8:
            names = [n for n, t in self.point.variables if n.startswith('$')]
            if names:
                return self.pick(names)
        return ('n%d' if type == 'num' else 's%d') % self.random.randrange(1, 4)

    def assign(self):
        if self.chance(0.3):
            target = self.lvalue('num')
            self.out(self.pick([target + '++', '++' + target, target + '--', '--' + target]) )
        elif self.chance(0.7):
            self.out('%s %s %s' % (self.lvalue('num'), self.pick(ASSIGN), self.num(3)))
        else:
            self.out('%s = %s' % (self.lvalue('str'), self.str(3)))

    def append(self):
        self.out('%s .= %s' % (self.lvalue('str'), self.str(2)))

    def add(self):
        stats = self.writable(['stat', 'stats'])
        if not stats:
            return self.assign()
        v = self.pick(stats)
        self.out('%s <<< %s' % (v.name if v.kind == 'stat' else self.element(v, 1), self.num(2)))

    def element(self, v, depth, slice=False):
        return v.name + '[' + ', '.join('*' if slice and self.chance(0.5) else self.value(k, depth) for k in v.keys) + ']'

    def delete(self):
        vs = self.writable(['num', 'str', 'stat', 'array', 'stats'])
        if not vs:
            return self.assign()
        v = self.pick(vs)
        self.out('delete ' + (v.name if not v.keys or self.chance(0.4) else self.element(v, 1, self.chance(0.3))))

    def print_something(self):
        values = [self.value(self.pick(['num', 'str']), 2) for _ in range(self.random.randrange(1, 4))]
        how = self.pick(['print(%s)', 'println(%s)', 'printd(",", %s, "end")', 'printdln("--", %s, 5)'])
        histograms = [v for v in self.globals if v.histogram]
        if histograms and self.chance(0.25):
            how, values = 'print(%s)', [self.histogram(self.pick(histograms))]
        self.out(how % ', '.join(values))

    def format(self, depth):
        text, values = '', []
        for _ in range(self.random.randrange(0, 5)):
            roll = self.random.random()
            if roll < 0.1:
                text += self.pick(['%%', 'plain', r'\n', ' '])
            elif roll < 0.55:
                text += self.pick(DIRECTIVES)
                values.append(self.num(depth))
            elif roll < 0.85:
                text += self.pick(TEXT_DIRECTIVES)
                values.append(self.str(depth))
            elif roll < 0.93:
                text += self.pick(['%*d', '%-*x', '%.*d'])
                values += [self.num(0), self.num(depth)]
            elif roll < 0.96:
                text += '%.*s'
                values += [self.num(0), self.str(depth)]
            else:
                text += self.pick(['%m', '%4m', '%M', '%#.8M', '%.4M', '%*m'])
                if text.endswith('*m'):
                    values.append(self.num(0))
                values.append(self.num(depth))
        return '"%s"' % text + ''.join(', ' + v for v in values)

    def printf(self):
        self.out('printf(%s)' % self.format(2))

    def call(self):
        functions = [f for f in self.functions if f[1] is None] if self.chance(0.5) else []
        if functions and not self.frozen:
            f = self.pick(functions)
            self.out('%s(%s)' % (f[0], self.arguments(f[2], 1)))
            return
        void = [f for f in self.names.functions if f[1] == 'unknown' and self.allowed(f[0])]
        f = self.pick(void)
        self.out('%s(%s)' % (f[0], self.arguments(f[2], 1)))

    def allowed(self, name):
        if self.safe and name in UNSAFE:
            return False
        return self.guru or name not in self.names.refused or self.chance(0.01)

    def expression(self):
        self.out(self.value(self.pick(['num', 'str']), 3))

    def if_(self, depth):
        self.out('if (%s) {' % self.num(2))
        self.block(depth)
        while self.chance(0.2):
            self.out('} else if (%s) {' % self.num(2))
            self.block(depth)
        if self.chance(0.4):
            self.out('} else {')
            self.block(depth)
        self.out('}')

    def loop(self, head, depth, frozen=None):
        self.out(head + ' {')
        self.loops += 1
        if frozen:
            self.frozen.append(frozen)
        self.block(depth)
        if frozen:
            self.frozen.pop()
        self.loops -= 1
        self.out('}')

    def while_(self, depth):
        n = self.pick(['n4', 'n5'])
        self.loop('while (%s++ < %d%s)' % (n, self.pick([3, 10, 50]), self.pick(['', ' && ' + self.num(1)])), depth)

    def for_(self, depth):
        self.loop('for (%s; %s; %s)' % (self.pick(['n6 = 0', '', 'n6 = ' + self.num(1)]), self.pick(['n6 < 10', 'n6 < ' + self.num(1)]),
                                        self.pick(['n6++', 'n6 += 2', '++n6'])), depth)

    def foreach(self, depth):
        arrays = [v for v in self.globals if v.keys]
        histograms = [v for v in self.globals if v.histogram]
        if histograms and self.chance(0.15):
            v = self.pick(histograms)
            return self.loop('foreach (n7 in %s)' % self.histogram(v), depth, v.name)
        if not arrays:
            return self.if_(depth)
        v = self.pick(arrays)
        keys = [('n' if k == 'num' else 's') + '1%d' % i for i, k in enumerate(v.keys)]
        order, sorted_key, what, value = '', '', v.name, ''
        roll = self.random.random()
        if roll < 0.3:
            order = self.pick(['+', '-'])
            if v.kind == 'stats' and self.chance(0.7):
                order = ' %s %s' % (self.pick(EXTRACT[:5]), order)
        elif roll < 0.5:
            i = self.random.randrange(len(keys))
            keys[i] += self.pick(['+', '-'])
            sorted_key = 'yes'
        if self.chance(0.2):
            what = self.element(v, 1, True)
        if v.kind == 'array' and self.chance(0.3):
            value = ('n' if v.element == 'num' else 's') + '3' + (self.pick(['', '+', '-']) if not order and not sorted_key else '') + ' = '
        shown = keys[0] if len(keys) == 1 and self.chance(0.8) else '[%s]' % ', '.join(keys)
        limit = ' limit ' + self.num(1) if self.chance(0.3) else ''
        self.loop('foreach (%s%s in %s%s%s)' % (value, shown, what, order, limit), depth, v.name)

    def try_(self, depth):
        self.out('try {')
        self.block(depth)
        self.out(self.pick(['} catch {', '} catch (s8) {']))
        self.block(depth)
        self.out('}')

    def jump(self, depth):
        if self.loops and self.chance(0.7):
            self.out('if (%s) %s' % (self.num(1), self.pick(['break', 'continue'])))
        elif self.function:
            self.out('if (%s) return %s' % (self.num(1), self.value(self.function[1], 1) if self.function[1] else ''))
        else:
            self.out('if (%s) next' % self.num(1))

    # Expressions.

    def value(self, type, depth):
        return self.num(depth) if type in ('num', 'long') else self.str(depth)

    def arguments(self, types, depth):
        return ', '.join(self.value(t, depth) for t in types)

    def histogram(self, v):
        return v.histogram % (v.name if v.kind == 'stat' else self.element(v, 0))

    def variable(self, type):
        prefix = 'p' if type == 'num' else 'q'
        names = [n for n in self.parameters if n[0] == prefix] + [v.name for v in self.globals if v.kind == type]
        if self.point:
            names += self.point.named(lambda n, t: n[0] != '$' and t == {'num': 'long', 'str': 'string'}[type])
        names.append(('n%d' if type == 'num' else 's%d') % self.random.randrange(1, 4))
        return self.pick(names)

    # In a tenth of the scripts one expression has a wrong type.
    def slips(self):
        if not self.misfit or not self.chance(0.1):
            return False
        self.misfit = False
        return True

    def num(self, depth):
        if self.slips():
            return self.str(depth)
        if depth <= 0:
            return self.pick([self.pick(EDGES), self.variable('num'), self.variable('num')])
        choices = [self.num_operator] * 5 + [self.num_leaf] * 4 + [self.num_call] * 2 + [self.num_library] * 3 + [self.target] * 4 + [
            self.num_array, self.num_array, self.statistic, self.cast, self.num_other, self.num_other]
        return self.pick(choices)(depth - 1)

    def num_leaf(self, depth):
        return self.num(0)

    def num_operator(self, depth):
        roll = self.random.random()
        if roll < 0.6:
            return '(%s %s %s)' % (self.num(depth), self.pick(BINARY), self.num(depth))
        if roll < 0.7:
            return '(%s %s %s)' % (self.str(depth), self.pick(['==', '!=', '<', '>', '<=', '>=']), self.str(depth))
        if roll < 0.8:
            return self.pick(['-', '!', '~', '+']) + '(%s)' % self.num(depth)
        if roll < 0.9:
            return '(%s ? %s : %s)' % (self.num(depth), self.num(depth), self.num(depth))
        if roll < 0.95 and not self.frozen:
            return '(%s %s %s)' % (self.lvalue('num'), self.pick(ASSIGN), self.num(depth))
        return '(%s %s "%s")' % (self.str(depth), self.pick(['=~', '!~']), self.regex())

    def regex(self):
        part = lambda: self.pick(['a', '[a-z]', '[^x]', '.', '^', '$', '(a|b)', '(x)', r'\\.', '[[:digit:]]', 'ab', '[]a]', '(a*)*', r'\\$'])
        return ''.join(part() + self.pick(['', '', '*', '+', '?', '{2}', '{1,3}', '|']) for _ in range(self.random.randrange(1, 5)))

    def num_call(self, depth):
        functions = [f for f in self.functions if f[1] == 'num']
        if self.function and self.function[1] == 'num' and self.chance(0.1):
            functions = [self.function]
        if not functions or self.frozen and self.chance(0.9):
            return self.num(depth)
        f = self.pick(functions)
        return '%s(%s)' % (f[0], self.arguments(f[2], depth))

    def library(self, type, depth):
        functions = [f for f in self.names.functions if f[1] == type and self.allowed(f[0])]
        f = self.pick(functions)
        return '%s(%s)' % (f[0], self.arguments(f[2], min(depth, 1)))

    def num_library(self, depth):
        return self.library('long', depth)

    def num_array(self, depth):
        arrays = [v for v in self.globals if v.keys]
        if not arrays:
            return self.num(depth)
        v = self.pick(arrays)
        if self.chance(0.3):
            keys = ', '.join(self.value(k, min(depth, 1)) for k in v.keys)
            return '(%s in %s)' % ('[%s]' % keys if len(v.keys) > 1 or self.chance(0.3) else keys, v.name)
        if v.kind == 'stats':
            return self.statistic(depth)
        if v.element == 'str':
            return 'strlen(%s)' % self.element(v, min(depth, 1))
        return self.element(v, min(depth, 1))

    def statistic(self, depth):
        stats = [v for v in self.globals if v.kind in ('stat', 'stats')]
        if not stats:
            return self.num(depth)
        v = self.pick(stats)
        if v.histogram and self.chance(0.15):
            return '%s[%s]' % (self.histogram(v), self.num(0))
        extract = self.pick(EXTRACT)
        shift = ', %d' % v.shift if extract == '@variance' and v.shift is not None else ''
        return '%s(%s%s)' % (extract, v.name if v.kind == 'stat' else self.element(v, min(depth, 1)), shift)

    def member(self, struct):
        """Returns -> members of a struct with a known type, up to a number."""
        text = ''
        for _ in range(3):
            members = self.names.structs.get(struct)
            if not members:
                break
            scalar = [m for m in members if '*' in m[1] or not m[1].startswith(('struct ', 'union '))]
            name, type = self.pick(scalar if scalar and self.chance(0.95) else members)
            text += '->' + name
            struct = type.replace('struct ', '').replace('const ', '').strip(' *')
            if '[' in type:
                text += '[%s]' % self.pick(['0', '1', '2', self.num(0)])
                break
            if self.chance(0.4):
                break
        return text

    def cast(self, depth):
        if self.user:
            return self.num(depth)
        struct = self.pick(sorted(self.names.structs))
        module = self.pick(['', ', "kernel"', ', "kernel"', ', "nosuch:kernel"', ', "kernel<linux/fs.h>"' if self.chance(0.1) else ''])
        how = self.pick(['@cast(%s, "%s"%s)', '@cast(%s, "struct %s"%s)'])
        text = how % (self.pick([self.num(depth), 'task_current()']), struct, module) + self.member(struct)
        return self.pick(['', '', '', '&']) + text + ('' if self.chance(0.9) else '->nosuch')

    def target(self, depth):
        if not self.point or not self.point.variables or self.user:
            return self.num(depth)
        names = [(n, t) for n, t in self.point.variables if n.startswith('$')]
        if not names:
            return self.variable('num')
        name, type = self.pick(names)
        text = name
        struct = type.replace('const ', '').replace('struct ', '').strip(' *')
        if struct in self.names.structs:
            text += self.member(struct)
        elif '*' in type and 'void' not in type and self.chance(0.2) and '**' in type or '[' in type:
            text += '[%s]' % self.num(0)
        roll = self.random.random()
        if roll < 0.1:
            return '@defined(%s)' % text
        if roll < 0.17 and 'return' in self.point.kind:
            return '@entry(%s)' % text
        if roll < 0.22:
            return '(@defined(%s) ? %s : %s)' % (text, text, self.num(0))
        if roll < 0.25:
            return '&' + text
        if roll < 0.26:
            return text + '->' + self.pick(['nosuch', 'i_ino', 'next'])
        struct = type.startswith(('struct ', 'union ')) and '*' not in type
        return '&' + text if struct and text == name else text

    def num_other(self, depth):
        roll = self.random.random()
        if roll < 0.2 and self.macros:
            name, count = self.pick(self.macros)
            return '@' + name + ('(%s)' % ', '.join(self.num(min(depth, 1)) for _ in range(count)) if count else '')
        if roll < 0.35:
            return '%%( %s %%? %s %%: %s %%)' % (self.condition(), self.num(0), self.num(0))
        if roll < 0.5 and not self.user:
            return self.pick(['@var("jiffies")', '@var("init_task@init/init_task.c")->pid', '@var("vm_swappiness", "kernel")', '@defined(@var("nosuch"))',
                              '@var("global", "%s")' % self.program(), '@var("nosuch")' if self.chance(0.1) else '1', '&@var("init_task")', '@var("jiffies@*", "kernel")'])
        if roll < 0.6:
            return self.pick(['@entry(%s)' % self.pick(EDGES + ['pid()', 'gettimeofday_us()', self.num(1)]), '@choose_defined($nosuch, 5)', '@const("PAGE_SIZE")' if self.guru else '5', '@task(task_current())->pid'])
        if roll < 0.7:
            return '(%s)' % self.pick(['n1++', '--n2', 'n3 = 5'])
        if roll < 0.75:
            return 'strtol(%s, %s)' % (self.str(depth), self.pick(['10', '16', '0', '37', '-1']))
        return 'strlen(%s)' % self.str(depth)

    def condition(self):
        return self.pick(['kernel_v >= "5.0"', 'arch == "x86_64"', 'CONFIG_SMP == "y"', 'guru_mode == 0', '1 < 2 && "a" != "b"', 'runtime == "user"',
                          'systemtap_v >= "3.0" || 1 == 2', 'CONFIG_NOSUCH == "m"', 'kernel_vr == "*-rt"', '$# >= 0', 'CONFIG_HZ > 100'])

    def str(self, depth):
        if self.slips():
            return self.num(depth)
        if depth <= 0:
            return self.pick([self.pick(STRINGS), self.variable('str'), self.variable('str')])
        roll = self.random.random()
        depth -= 1
        if roll < 0.3:
            return self.str(0)
        if roll < 0.45:
            return '(%s . %s)' % (self.str(depth), self.str(depth))
        if roll < 0.55:
            return 'sprint(%s)' % self.value(self.pick(['num', 'str']), depth)
        if roll < 0.62:
            return 'sprintf(%s)' % self.format(min(depth, 1))
        if roll < 0.67:
            return 'sprintd("|", %s, %s)' % (self.num(depth), self.str(depth))
        if roll < 0.78:
            return self.library('string', depth)
        if roll < 0.84:
            arrays = [v for v in self.globals if v.kind == 'array' and v.element == 'str']
            return self.element(self.pick(arrays), min(depth, 1)) if arrays else self.str(depth)
        if roll < 0.88:
            functions = [f for f in self.functions if f[1] == 'str']
            if functions and not self.frozen:
                f = self.pick(functions)
                return '%s(%s)' % (f[0], self.arguments(f[2], depth))
        if roll < 0.92:
            return '(%s ? %s : %s)' % (self.num(depth), self.str(depth), self.str(depth))
        return self.pretty()

    def pretty(self):
        if self.point:
            names = self.point.named(lambda n, t: n.startswith('$'))
            if names and self.chance(0.5):
                return self.pick(names) + self.pick(['$', '$$'])
            texts = ['$$vars', '$$parms', '$$locals', '$$vars$', '$$parms$$', 'pp()', 'pn()', 'probefunc()']
            if '.return' in self.point.text:
                texts += ['$$return', '$$return$', '$$return$$']
            if 'mark' in self.point.kind:
                texts += ['$$name', '$$parms']
            return self.pick(texts)
        if self.chance(0.1):
            struct = self.pick(sorted(self.names.structs))
            return '@cast(%s, "%s")%s' % (self.num(0), struct, self.pick(['$', '$$']))
        return 'pp()'

    # Options.

    def limits(self):
        for _ in range(self.pick([0, 0, 0, 0, 1, 2])):
            name, least, most, default = self.pick(self.names.limits)
            if self.safe:
                if name in ('MAXMAPENTRIES', 'STP_DEFAULT_BUFFERS', 'STP_CTL_BUFFER_SIZE', 'STP_PROCFS_BUFSIZE', 'STP_MAX_BUCKETS', 'MAXSTRINGLEN', 'KRETACTIVE'):
                    most = min(most, 3000)
                value = self.pick([least, min(most, least + 5), min(most, 1000)])
            else:
                value = self.pick([least, most, least + 1, most - 1, default] + ([least - 1, most + 1, 5, 1000] if self.chance(0.2) else []))
            self.options.append('-D%s=%s' % (name, value))
        if self.safe:
            self.options += ['-DSTP_NO_OVERLOAD', '-DMAXERRORS=1000000', '-DMAXSKIPPED=1000000']
        for option, p in (('-u', 0.08), ('--skip-badvars', 0.15), ('--suppress-handler-errors', 0.05), ('-t', 0.05), ('-b', 0.03), ('-w', 0.03),
                          ('--compatible=1.8', 0.02), ('--compatible=2.9', 0.02), ('--strict', 0.03)):
            if self.chance(p):
                self.options.append(option)
        numbers = [v.name for v in self.globals if v.kind == 'num']
        if numbers and self.chance(0.05):
            self.options += ['-G', self.pick(numbers) + '=' + self.pick(['5', '-1', '0x10', '99999999999999999999', 'x', ''])]

    # Makes a script nearly valid: tokens are removed, doubled or exchanged.
    def mutated(self, text):
        tokens = re.findall(r'\s+|"(?:[^"\\]|\\.)*"|\w+|<<<|[^\w\s]', text)
        solid = [i for i, t in enumerate(tokens) if not t.isspace()]
        for _ in range(self.random.randrange(1, 4)):
            i, j = self.pick(solid), self.pick(solid)
            how = self.random.randrange(4)
            if how == 0:
                tokens[i] = ''
            elif how == 1:
                tokens[i] += ' ' + tokens[i]
            elif how == 2:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            else:
                tokens[i] = tokens[j]
        return ''.join(tokens)
