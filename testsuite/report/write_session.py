#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes a recorded session (runtime/include/records.h) with a function and its return, which the user runtime does not probe:
# write_session.py COUNT. Each of COUNT calls in thread 100 has an inner call in thread 200, and the last one does
# not return.
import struct
import sys


def number(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def signed(n):
    return number((n << 1 ^ n >> 63) & (1 << 64) - 1)


def text(t):
    t = t if isinstance(t, bytes) else t.encode()
    return number(len(t)) + t


def frame(kind, payload, seq=0):
    return struct.pack('<IIQ', len(payload), kind, seq) + payload


HEAD, PRINT, SESSION, FORMAT, PROBE = 1, 2, 5, 6, 7
SECOND = 10 ** 9


def write(out, count):
    out.write(frame(1, struct.pack('<II', 0x72716174, 2) + text('6.1') + text('host')))
    seq = 1

    def record(time, cpu, probe, items):
        nonlocal seq
        out.write(frame(2, bytes([HEAD]) + number(time) + number(cpu) + number(probe) + items, seq))
        seq += 1

    def piece(conversion, after):
        return bytes([ord(conversion) if conversion else 0, 0]) + signed(-1) + signed(-1) + text(after)
    description = bytes([SESSION]) + number(SECOND) + number(512) + signed(2) + number(50) + signed(0)
    description += bytes([FORMAT]) + signed(1) + number(3) + piece('', 'tid=') + piece('d', ' comm=') + piece('s', '\n')
    points = ['kernel.function("f@a.c:1").call', 'kernel.function("f@a.c:1").return', 'kernel.function("g@a.c:2")', 'timer.s(1)']
    for i, point in enumerate(points):
        description += bytes([PROBE]) + number(i + 1) + text(point) + text(point) + text('x.stp:1:1')
    record(SECOND, 0, 0, description)
    for i in range(count):
        at = SECOND + 1000 * i
        for time, thread, probe in (at, 100, 1), (at + 100, 200, 1), (at + 200, 100, 3), (at + 300, 200, 2), (at + 400, 100, 2):
            if i < count - 1 or probe != 2:
                record(time, thread // 100, probe, bytes([PRINT]) + signed(1) + signed(thread) + text('c%d' % thread))
    out.write(frame(3, b'careful') + frame(6, struct.pack('<iI', 0, 0)))


if __name__ == '__main__':
    write(sys.stdout.buffer, int(sys.argv[1]))
