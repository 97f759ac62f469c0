#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Replaces ssh: a simulated host that accepts a module and sends the data that staprun would send
(runtime/include/records.h). The name of the host selects its behaviour: stand_in.py [-OPTION...] -- HOST COMMAND.

HOSTS_RELEASE: the kernel that it reports. HOSTS_DIR: for a file HOST.began and one HOST.ended, when its input ended.
"""
import os
import random
import select
import struct
import sys
import time

sys.path.insert(0, os.path.join(sys.path[0], '..', 'report'))
from write_session import HEAD, frame, number, signed, text

FRAME_START, FRAME_RECORD, FRAME_END, FRAME_ARMED = 1, 2, 6, 8
TEXT, GLOBAL, ADDED, ASSIGNED = 3, 8, 12, 13
LONG, STRING, STATS = 1, 2, 3


def head():
    return bytes([HEAD]) + number(time.time_ns()) + number(0) + number(1)


def record(*items):
    return frame(FRAME_RECORD, head() + b''.join(items))


def start():
    return frame(FRAME_START, struct.pack('<II', 0x72716174, 3) + text('release') + text('host'))


def described(index, name, value, keys=()):
    return bytes([GLOBAL]) + number(index) + text(name) + text('') + bytes([value]) + number(len(keys)) + bytes(keys)


def key(k):
    return signed(k) if isinstance(k, int) else text(k)


def added(index, value, *keys):
    return bytes([ADDED]) + number(index) + b''.join(map(key, keys)) + signed(value)


def assigned(index, value, *keys):
    return bytes([ASSIGNED]) + number(index) + b''.join(map(key, keys)) + key(value)


def log_bucket(v):
    return 64 + v.bit_length() if v >= 0 else 64 - (-v).bit_length()


def statistic(values, variance=False):
    """Returns the words of a struct stp_stat with a logarithmic histogram."""
    words = [len(values), sum(values), min(values), max(values)] + [0] * 128
    for v in values:
        words[4 + log_bucket(v)] += 1
    if variance:
        squares = sum(v * v for v in values)
        words += [sum(values) >> 64] + [squares >> 64 * i & (1 << 64) - 1 for i in range(3)]
    return words


def added_stat(index, words, *keys):
    used = [(i, w) for i, w in enumerate(words) if w]
    return (bytes([ADDED]) + number(index) + b''.join(map(key, keys)) + number(len(words)) + number(len(used)) +
            b''.join(number(i) + signed(w) for i, w in used))


def printed(s):
    s = s.encode()
    return bytes([TEXT]) + struct.pack('<I', len(s)) + s


def send(*frames):
    os.write(1, b''.join(frames))


def wait_for_end(seconds=60):
    """Waits until standard input ends."""
    end = time.time() + seconds
    while time.time() < end and select.select([0], [], [], 1)[0] != [0] or os.read(0, 65536):
        pass


def mark(name, what):
    open('%s/%s.%s' % (os.environ['HOSTS_DIR'], name, what), 'w').close()


def wait_for(*names):
    """Waits until the end of these hosts is requested, which is when the session ends."""
    while not all(os.path.exists('%s/%s' % (os.environ['HOSTS_DIR'], n)) for n in names):
        time.sleep(0.02)


END = frame(FRAME_END, struct.pack('<iI', 0, 0))
GLOBALS = (described(0, 'n', LONG), described(1, 'by', LONG, (STRING,)), described(2, 'st', STATS),
           described(3, 'who', STRING, (STRING,)))


def play(name):
    """Sends the data of the host NAME; returns its exit status."""
    own = int(''.join(c for c in name if c.isdigit()) or 0)
    send(start(), record(*GLOBALS))
    if name.startswith('slow'):
        time.sleep(1)
    send(frame(FRAME_ARMED, b''))
    mark(name, 'began')
    kind = name.rstrip('0123456789')
    if kind == 'sums':                 # its most frequent five elements differ from those of all hosts
        send(record(added(0, 10 + own), *[added(1, 100, '%s-%d' % (name, i)) for i in range(5)], added(1, 60, 'shared')))
        send(record(added(0, 1), added(1, 5, 'shared'), assigned(3, 'sh ' + name, name)))
    elif kind == 'stats':
        values = [own * 7 - 3, 1000 * own, -5, 0, 1 << 20]
        send(record(added_stat(2, statistic(values[:2], True))), record(added_stat(2, statistic(values[2:], True))))
    elif kind == 'lines':
        for part in ('one', ' line\nand', ' an', 'other\n', 'the last'):
            send(record(printed(part + (' of %s' % name if part == 'one' else ''))))
    elif kind == 'early':
        send(record(added(0, 1000)))
        return 1
    elif kind == 'fails':              # an error of the script ends the session on this host
        send(record(added(0, 1000)), frame(FRAME_END, struct.pack('<iI', 1, 1)))
        return 1
    elif kind == 'garbage':
        send(record(added(0, 5)), frame(FRAME_RECORD, head() + bytes([ADDED, 200, 200, 200])), record(added(0, 7)))
    elif kind == 'foreign':            # a global that the script does not have, or has with other types
        send(record(described(9, 'nosuch', LONG), described(10, 'n', STATS)), record(added(9, 5), added_stat(10, statistic([1, 2]))))
    elif kind == 'mutated':            # bytes of a valid stream changed, by the number in the name
        chance = random.Random(own)
        stream = bytearray(b''.join(
            record(added(0, chance.getrandbits(70) - (1 << 69)), added(1, i, 'k' * (i * 7 % 600)), assigned(3, 'v', str(i)),
                   added_stat(2, statistic([i, -i, 1 << i], True)), printed('text %d\n' % i), *GLOBALS) for i in range(60)))
        for _ in range(chance.randrange(1, 40)):
            at = chance.randrange(len(stream))
            stream[at:at + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
        send(bytes(stream))
    elif kind == 'huge':
        send(struct.pack('<IIQ', 1 << 30, FRAME_RECORD, 0) + b'x' * 100000)
    elif kind == 'exits':
        send(record(added(0, 3)), END)
        return 0
    wait_for_end()
    mark(name, 'ended')
    if kind == 'sums':
        send(record(added(0, 1)))      # the count up to this time
    send(END)
    return 0


def main():
    name = sys.argv[sys.argv.index('--') + 1].rpartition('@')[2]
    command = sys.argv[-1]
    if 'uname -rm' in command:
        if name.startswith('down'):
            sys.exit('ssh: connect to host %s: Connection refused' % name)
        print(os.environ['HOSTS_RELEASE'], 'x86_64')
        return
    left = int(command.partition("sh '")[2].partition("'")[0])
    while left:
        got = os.read(0, min(left, 65536))
        if not got:
            sys.exit(1)
        left -= len(got)
    sys.exit(play(name))


if __name__ == '__main__':
    main()
