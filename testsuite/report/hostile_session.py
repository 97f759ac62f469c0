#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes recorded sessions that are damaged or unusual: hostile_session.py KIND. Uses the encoding of write_session.py.
import itertools
import struct
import sys
from write_session import FORMAT, HEAD, PRINT, PROBE, frame, number, signed, text

TEXT, SCRIPT_GLOBAL, VALUE = 3, 8, 10
START = frame(1, struct.pack('<II', 0x72716174, 2) + text('6.1') + text('host'))
END = frame(6, struct.pack('<iI', 0, 0))
DAMAGED = frame(2, b'\xff')
sequence = itertools.count(1)


def record(items, probe=0):
    return frame(2, bytes([HEAD]) + number(10) + number(0) + number(probe) + items, next(sequence))


def pieces(*list_):
    out = bytes([FORMAT]) + signed(1) + number(len(list_))
    for conversion, after in list_:
        out += bytes([ord(conversion) if conversion else 0, 0]) + signed(-1) + signed(-1) + text(after)
    return out


def probes(*points):
    return b''.join(bytes([PROBE]) + number(i + 1) + text(p) + text(p) + text('x.stp:1:1') for i, p in enumerate(points))


def global_(name):
    return bytes([SCRIPT_GLOBAL]) + number(0) + text(name) + text('') + bytes([1, 1, 2])


TID = record(pieces(('', 'tid='), ('d', '\n')))
STACK = record(bytes([VALUE]) + number(0) + text(b'in\x1b[31mner\xff;\x07+0x1/0x2 [k\xfe]\nmain\n') + signed(3))
PLAIN = START + TID + record(bytes([PRINT]) + signed(1) + signed(5)) + END
SESSIONS = {
    'plain': PLAIN,
    # A frame whose name has bytes that are invalid UTF-8 or control characters of terminals.
    'bytes': START + record(global_('n')) + STACK + END,
    # Bytes after the end: another session, or other data.
    'joined': PLAIN + PLAIN,
    'followed': PLAIN + b'more than a frame of bytes',
    # Damaged at byte len(START); then without its end, or with a frame that is too long.
    'cut': START + DAMAGED + frame(3, b'message') + b'abc',
    'long-frame': START + DAMAGED + frame(3, b'message') + struct.pack('<IIQ', 1 << 30, 2, 9),
    'described-twice': START + record(global_('first') + global_('second') + probes('a') + probes('b')) +
    record(bytes([VALUE]) + number(0) + text('f+0x1/0x2\nmain\n') + signed(3)) + END,
    # Two arguments with the same name.
    'names': START + record(probes('timer.s(1)') + pieces(('', 'a='), ('d', ' a='), ('d', '\n'))) +
    record(bytes([PRINT]) + signed(1) + signed(1) + signed(2), 1) + END,
    # Call stacks as printed by print_ubacktrace() and print_backtrace(), with other text around them.
    'stacks': START + record(b''.join(bytes([TEXT]) + struct.pack('<I', len(t)) + t for t in (
        b'first\n', b' 0x1000 :', b' f+0x1/0x2 [/no/file]\n', b' 0xffffffff81000000 : g+0x3/0x4 [kernel]\n', b'last\n'))) +
    record(pieces(('', 's='), ('s', ''))) +
    record(bytes([PRINT]) + signed(1) + text('h+0x1/0x2\nmain+0x0/0x1\n')) + END,
    # The paths of two programs differ by ".return".
    'paths': START + record(probes('process("/x.return.so").function("f")', 'process("/x.so").function("f")')) + TID +
    b''.join(record(bytes([PRINT]) + signed(1) + signed(5), probe) for probe in (1, 2)) + END,
}
sys.stdout.buffer.write(SESSIONS[sys.argv[1]])
