#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes a C program of arithmetic on variables of all integer types, for the comparison with gdb (values.py).
# Usage: random.py SEED
import random
import sys

TYPES = ['char', 'signed char', 'unsigned char', 'short', 'unsigned short', 'int', 'unsigned', 'long', 'unsigned long']
BINARY = ['+', '-', '*', '&', '|', '^', '<', '<=', '>', '>=', '==', '!=']
rng = random.Random(int(sys.argv[1]))
FUNCTIONS = 8


def expression(names, depth):
    """Returns an expression without undefined behaviour under -fwrapv."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(names) if rng.random() < 0.7 else str(rng.randint(-100, 100000))
    l, r = expression(names, depth - 1), expression(names, depth - 1)
    kind = rng.random()
    if kind < 0.12:
        return '((unsigned long)(%s) / ((unsigned)(%s) | 1))' % (l, r)
    if kind < 0.2:
        return '((%s)(%s) %% ((%s) & 1023 | 5))' % (rng.choice(TYPES[5:]), l, r)
    if kind < 0.3:
        return '((%s)(%s) %s ((%s) & 15))' % (rng.choice(TYPES[5:]), l, rng.choice(['<<', '>>']), r)
    if kind < 0.4:
        return '((%s)(%s))' % (rng.choice(TYPES), l)
    if kind < 0.5:
        return '(%s(%s))' % (rng.choice(['-', '~', '!']), l)
    return '((%s) %s (%s))' % (l, rng.choice(BINARY), r)


def function(n):
    arguments = ['a%d' % i for i in range(rng.randint(1, 8))]
    print('__attribute__((noinline%s)) %slong f%d(%s)\n{' % (
        ', noclone' if rng.random() < 0.5 else '', '' if rng.random() < 0.7 else 'static ', n,
        ', '.join('%s %s' % (rng.choice(TYPES), a) for a in arguments)))
    names = list(arguments)
    for i in range(rng.randint(3, 8)):
        print('\t%s v%d = %s;' % (rng.choice(TYPES), i, expression(names, 3)))
        names.append('v%d' % i)
        if rng.random() < 0.4:
            print('\tsink = %s;' % rng.choice(names))
    if rng.random() < 0.7:
        print('\tfor (%s i = 0; i < %d; i++) {' % (rng.choice(TYPES), rng.randint(1, 4)))
        for v in rng.sample(names, min(3, len(names))):
            print('\t\t%s += %s;' % (v, expression(names + ['i'], 2)))
            if rng.random() < 0.4:
                print('\t\tsink = %s;' % v)
        print('\t}')
    if n:
        k = rng.randrange(n)
        print('\tsink = f%d(%s);' % (k, ', '.join(expression(names, 1) for i in range(arity[k]))))
    arity.append(len(arguments))
    for v in rng.sample(names, min(2, len(names))):
        print('\tsink = %s;' % expression([v] + names, 2))
    print('\treturn %s;\n}\n' % expression(names, 2))


arity = []
print('volatile long sink;\n')
for i in range(FUNCTIONS):
    function(i)
print('int main(int argc, char **argv)\n{')
for i in range(FUNCTIONS):
    print('\tsink = f%d(%s);' % (i, ', '.join(str(rng.randint(-1000, 1000000)) for a in range(arity[i]))))
print('\treturn 0;\n}')
