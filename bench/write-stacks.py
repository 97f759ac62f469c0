#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes a recorded session (runtime/include/records.h) with an array whose keys are call stacks in a program: write-stacks.py PROGRAM STACKS DEPTH.
# The stacks differ, and are like real call stacks: each function has a few callees, called at a few offsets.
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../testsuite/report'))
sys.dont_write_bytecode = True
from write_session import frame, number, signed, text                                  # noqa: E402

HEAD, SESSION, GLOBAL, VALUE, SECOND = 1, 5, 8, 10, 10 ** 9


def functions(program):
    out = []
    for line in subprocess.check_output(['nm', '-S', program], text=True).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in 'tT' and int(fields[1], 16) > 16:
            out.append((fields[3], int(fields[1], 16)))
    return out


def main(program, stacks, depth):
    random.seed(1)
    path = os.path.realpath(program)
    all = functions(path)
    frames = [['%s+%#x/%#x [%s]\n' % (name, random.randrange(5, size), size, path) for _ in range(4)] for name, size in all]
    callees = [[random.randrange(len(all)) for _ in range(3)] for _ in all]
    out = sys.stdout.buffer
    out.write(frame(1, struct.pack('<II', 0x72716174, 2) + text('6.1') + text('host')))
    out.write(frame(2, bytes([HEAD]) + number(SECOND) + number(0) + number(0) + bytes([SESSION]) + number(SECOND) + number(8192) +
                    signed(2) + number(50) + signed(0) + bytes([GLOBAL]) + number(0) + text('n') + text('') + bytes([1]) + number(1) + bytes([2]), 1))
    seen, seq = set(), 2
    while len(seen) < stacks:
        at, stack = 0, []
        for _ in range(depth):
            stack.append(random.choice(frames[at]))
            at = random.choice(callees[at])
        key = ''.join(reversed(stack))
        if key not in seen:
            seen.add(key)
            out.write(frame(2, bytes([HEAD]) + number(SECOND) + number(0) + number(0) + bytes([VALUE]) + number(0) + text(key) +
                            signed(random.randrange(1, 100)), seq))
            seq += 1
    out.write(frame(6, struct.pack('<iI', 0, 0)))


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
