#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Random operations on an array, executed by a script and by a model, whose outputs are compared: assignment, deletion of elements,
# of slices and of all, membership, and loops in each order with a limit. Keys are of all kinds, up to nine of them; strings end at
# MAXSTRINGLEN; some arrays wrap, and some overflow.
#   arrays.py --stap STAP --seeds FIRST:END [--steps N] [--directory DIR] [--calls PROGRAM]
# With --calls, the operations are made by BPF programs, in the function one_call() of testsuite/bpf/calls.c; otherwise by a begin
# probe of the user runtime. A failed script stays in the directory.
import argparse
import os
import random
import subprocess
import sys

LONG = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop'
OVERFLOW = 'Array overflow'


class Overflow(Exception):
    pass


class Numbers:
    """The generator of random numbers that both sides have."""
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 1103515245 + 12345) & 0x7fffffff
        return (self.state >> 8) % n


class Shape:
    """The declaration of the array, and which loops and slices the script has."""
    def __init__(self, seed):
        choose = random.Random(seed)
        self.seed = seed
        self.size = choose.choice([16, 17, 24, 64])            # MAXSTRINGLEN
        self.nkeys = choose.choice([1, 1, 1, 2, 2, 3, 4, 9])
        self.kinds = [choose.choice('ls') for _ in range(self.nkeys)]
        self.variety = {1: 30, 2: 6, 3: 4, 4: 3, 9: 2}[self.nkeys]
        self.wraps = choose.random() < .3
        self.capacity = choose.choice([1, 2, 3, 7, 20] if self.wraps else [2000, 2000, 5, 12])
        self.is_number = choose.choice([True, True, False])
        self.any = [choose.random() < .5 for _ in range(self.nkeys)]
        self.sorted_by = choose.randrange(self.nkeys + 1)      # 0: the value
        self.direction = choose.choice('+-')
        self.limit = choose.choice([1, 2, 5, 24, 25, 30])
        texts = {LONG[:self.size - 1], LONG[:self.size], LONG[:self.size - 2], '', 'a', 'abcdefg', 'abcdefgh', 'abcdefghi', 'zz', 'b'}
        self.texts = (sorted(texts, key=lambda s: (len(s), s)) * 4)[:10]

    def cut(self, text):
        return text[:self.size - 1]


def script(shape, steps, point):
    n, keys = shape.nkeys, ', '.join(f'k{i}' for i in range(shape.nkeys))
    loop = ', '.join(f'j{i}' + (shape.direction if i + 1 == shape.sorted_by else '') for i in range(n))
    loop_keys = ', '.join(f'j{i}' for i in range(n))
    by_value = shape.direction if shape.sorted_by == 0 else ''
    part = ', '.join('*' if shape.any[i] else f'k{i}' for i in range(n))
    value = 'step' if shape.is_number else 'sprintf("v%d", step * 7 % 31)'
    shown = f'show({loop_keys}, a[{loop_keys}])'
    text = [f'global a{"%" if shape.wraps else ""}[{shape.capacity}], state = {shape.seed}, step',
            'function below(n) { state = (state * 1103515245 + 12345) & 0x7fffffff; return (state >> 8) % n }',
            'function text(i) {']
    text += [f'\tif (i == {i}) return "{t}"' for i, t in enumerate(shape.texts)]
    text += ['\treturn "" }', f'function show({keys}, v) {{ println({keys.replace(", ", ", chr, ").replace("chr", chr(34) + "|" + chr(34))}, "|", v) }}',
             'function operation() {', '\tstep++', '\to = below(100)']
    for i, kind in enumerate(shape.kinds):
        text.append(f'\tk{i} = below(7) % 3 ? below({shape.variety}) : -below({shape.variety}) * 4294967296' if kind == 'l'
                    else f'\tk{i} = text(below({min(shape.variety, 10)}))')
    text += ['\ttry {', f'\tif (o < 45) a[{keys}] = {value}',
             f'\telse if (o < 55) a[{keys}] {"+= 5" if shape.is_number else ".= " + chr(34) + "x" + chr(34)}',
             f'\telse if (o < 70) delete a[{keys}]', '\telse if (o < 72) delete a', f'\telse if (o < 76) println([{keys}] in a)',
             f'\telse if (o < 80) println(a[{keys}], ".")']
    if n > 1:
        text += [f'\telse if (o < 84) delete a[{part}]', f'\telse if (o < 88) println([{part}] in a)',
                 f'\telse if (o < 91) {{ println("slice") foreach ([{loop}] in a[{part}]{by_value}) {shown} }}']
    text += [f'\telse if (o < 94) {{ println("loop") foreach ([{loop_keys}] in a) {shown} }}',
             f'\telse if (o < 97) {{ println("order") foreach ([{loop}] in a{by_value}) {shown} }}',
             f'\telse {{ println("limit") foreach ([{loop}] in a{by_value} limit {shape.limit}) {shown} }}',
             f'\t}} catch (m) {{ println(substr(m, 0, {len(OVERFLOW)})) }} }}',
             f'probe {point} {{ operation() }}' if point else f'probe begin {{ for (i = 0; i < {steps}; i++) operation() exit() }}']
    return '\n'.join(text) + '\n'


class Model:
    def __init__(self, shape):
        self.shape, self.elements, self.lines, self.numbers = shape, {}, [], Numbers(shape.seed)

    def keys(self):
        below, variety = self.numbers.below, self.shape.variety
        return tuple((below(variety) if below(7) % 3 else -below(variety) * 4294967296) if kind == 'l'
                     else self.shape.cut(self.shape.texts[below(min(variety, 10))]) for kind in self.shape.kinds)

    def put(self, keys, value):
        if keys not in self.elements and len(self.elements) >= self.shape.capacity:
            if not self.shape.wraps:
                raise Overflow
            del self.elements[next(iter(self.elements))]
        self.elements[keys] = value

    def add(self, keys):
        if self.shape.is_number:
            self.put(keys, self.elements.get(keys, 0) + 5)
        else:
            self.put(keys, self.shape.cut(self.elements.get(keys, '') + 'x'))

    def in_slice(self, keys):
        return [e for e in self.elements if all(a or x == y for a, x, y in zip(self.shape.any, e, keys))]

    def show(self, title, elements, is_sorted, limit=None):
        by = self.shape.sorted_by
        self.lines.append(title)
        if is_sorted:
            elements = sorted(elements, key=lambda e: e[by - 1] if by else self.elements[e], reverse=self.shape.direction == '-')
        for e in elements[:limit]:
            self.lines.append('|'.join(str(x) for x in (*e, self.elements[e])))

    def operation(self, step):
        kind, keys, one = self.numbers.below(100), self.keys(), self.shape.nkeys == 1
        if kind < 45:
            self.put(keys, step if self.shape.is_number else f'v{step * 7 % 31}')
        elif kind < 55:
            self.add(keys)
        elif kind < 70:
            self.elements.pop(keys, None)
        elif kind < 72:
            self.elements.clear()
        elif kind < 76:
            self.lines.append(str(int(keys in self.elements)))
        elif kind < 80:
            self.lines.append(f'{self.elements.get(keys, 0 if self.shape.is_number else "")}.')
        elif kind < 84 and not one:
            for e in self.in_slice(keys):
                del self.elements[e]
        elif kind < 88 and not one:
            self.lines.append(str(int(bool(self.in_slice(keys)))))
        elif kind < 91 and not one:
            self.show('slice', self.in_slice(keys), True)
        elif kind < 94:
            self.show('loop', list(self.elements), False)
        elif kind < 97:
            self.show('order', list(self.elements), True)
        else:
            self.show('limit', list(self.elements), True, self.shape.limit)

    def run(self, steps):
        for step in range(1, steps + 1):
            try:
                self.operation(step)
            except Overflow:
                self.lines.append(OVERFLOW)
        return '\n'.join(self.lines) + '\n'


def differs(options, seed):
    shape = Shape(seed)
    path = os.path.join(options.directory, f'arrays-{seed}.stp')
    command = [options.stap, '-w', f'-DMAXSTRINGLEN={shape.size}', '-DMAXACTION=100000000', path]
    point = f'process("{options.calls}").function("one_call")' if options.calls else None
    with open(path, 'w', encoding='utf-8') as f:
        f.write(script(shape, options.steps, point))
    command += ['--runtime=bpf', '-DMAXTRYLOCK=10000', '-s', '16', '-c', f'{options.calls} 1 {options.steps}'] if point else ['--runtime=user']
    run = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False, timeout=600)
    wanted = Model(shape).run(options.steps)
    if run.stdout == wanted:
        os.remove(path)
        return False
    lines = zip(wanted.split('\n'), run.stdout.split('\n'))
    at = next((f'line {i + 1}: wanted "{w}", printed "{p}"' for i, (w, p) in enumerate(lines) if w != p), 'one output is longer')
    print(f'{path} with {" ".join(command[1:4])}: {at}\n{run.stderr[:1000]}')
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--stap', required=True)
    parser.add_argument('--seeds', default='1:9')
    parser.add_argument('--steps', type=int, default=1500)
    parser.add_argument('--directory', default='/tmp')
    parser.add_argument('--calls')
    options = parser.parse_args()
    first, end = options.seeds.split(':')
    sys.exit(any([differs(options, seed) for seed in range(int(first), int(end))]))


main()
