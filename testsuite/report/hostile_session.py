#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes recorded sessions that are damaged or unusual: hostile_session.py KIND. Uses the encoding of write_session.py.
import itertools
import struct
import sys
from write_session import FORMAT, HEAD, PRINT, PROBE, SESSION, frame, number, signed, text

TEXT, HIST, SCRIPT_GLOBAL, SCRIPT, VALUE, BUCKETS = 3, 4, 8, 9, 10, 16
NUMBER, STRING, STATISTIC, LIST = 1, 2, 3, 4


def start(version):
    return frame(1, struct.pack('<II', 0x72716174, version) + text('6.1') + text('host'))


START = start(2)
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


# Arrays whose keys and values are lists of addresses: with names, and without.
def lists():
    addresses = text('0x401000 0x7fff00001234 0xffffffff81000010') + text(
        '0x401000 [/no/file+0x1000/0x9000]\n0x7fff00001234\n0xffffffff81000010 : f+0x1/0x2 [kernel]\n')
    statistic = number(511) + signed(0) + signed(100) + signed(10) + number(12) + signed(3) + signed(30) + signed(1) + signed(20)
    statistic += number(2) + number(1) + signed(2) + number(3) + signed(1) + text('reads') + text('ms')
    types = [(NUMBER, [LIST]), (STATISTIC, [LIST, STRING, NUMBER]), (LIST, [NUMBER]), (STRING, [LIST] * 9), (LIST, [])]
    values = [addresses + signed(5), addresses + text('x') + signed(4) + statistic, signed(1) + addresses, addresses * 9 + text('v'), addresses]
    return record(b''.join(bytes([SCRIPT_GLOBAL]) + number(i) + text('g%d' % i) + text('') + bytes([of, len(keys)] + keys)
                           for i, (of, keys) in enumerate(types))) + record(b''.join(bytes([VALUE]) + number(i) + v for i, v in enumerate(values)))


TID = record(pieces(('', 'tid='), ('d', '\n')))
STACK = record(bytes([VALUE]) + number(0) + text(b'in\x1b[31mner\xff;\x07+0x1/0x2 [k\xfe]\nmain\n') + signed(3))
PLAIN = START + TID + record(bytes([PRINT]) + signed(1) + signed(5)) + END
# Messages and losses that come before the description of the session, and within it.
def early():
    described = bytes([SESSION]) + number(10 ** 9) + number(512) + signed(2) + number(50) + signed(0)
    gap = frame(7, struct.pack('<QQ', 3, 2 * 10 ** 9) + b'Missed')
    return START + gap + record(described + bytes([SCRIPT]) + text('probe ')) + frame(3, b'careful') + record(
        bytes([SCRIPT]) + text('begin {}') + probes('begin')) + frame(4, b'wrong') + TID + record(bytes([PRINT]) + signed(1) + signed(5)) + END


# Histograms whose buckets are in several records: #7 and #8 alternately, #9, of which a record was lost, and some without
# a statistic.
def split():
    def part(identifier, *buckets):
        return record(bytes([BUCKETS]) + number(identifier) + number(len(buckets)) + b''.join(number(b) + signed(10 * identifier) for b in buckets))

    def statistic(identifier, buckets):
        out = number(128) + signed(0) + signed(997) + signed(1) + number(1000) + signed(10 * identifier * buckets) + signed(0) * 3
        return record(bytes([HIST]) + out + number(0) + text('') * 2 + number(identifier) + number(buckets))
    return (part(7, 1, 2) + part(8, 501) + part(7, 998) + statistic(8, 1) + statistic(7, 3) + part(9, 5) + statistic(9, 2) + statistic(7, 3) +
            b''.join(part(n, 1) for n in range(100, 300)))


SESSIONS = {
    'split': start(10) + record(probes('begin')) + split() + END,
    'plain': PLAIN,
    'early': early(),
    'early-only': START + frame(3, b'careful'),
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
    'lists': start(5) + lists() + END,
    # Formats that announce more pieces than they have; many formats, each followed by a record of it; a script of many parts.
    'formats-without-pieces': START + b''.join(record(bytes([FORMAT]) + signed(i) + number(64)) for i in range(200000)) + PLAIN[len(START):],
    'formats-and-records': START + b''.join(record(bytes([FORMAT]) + signed(-i) + number(1) + bytes([0, 0]) + signed(-1) * 2 + text('') +
                                                   bytes([PRINT]) + signed(-i)) for i in range(150000)) + PLAIN[len(START):],
    'script-of-parts': START + record(bytes([SCRIPT]) + text(b'x' * 100)) * 400000 + PLAIN[len(START):],
    # The paths of two programs differ by ".return".
    'paths': START + record(probes('process("/x.return.so").function("f")', 'process("/x.so").function("f")')) + TID +
    b''.join(record(bytes([PRINT]) + signed(1) + signed(5), probe) for probe in (1, 2)) + END,
}
sys.stdout.buffer.write(SESSIONS[sys.argv[1]])
