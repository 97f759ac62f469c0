#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Replaces ssh: stand_in.py [-OPTION...] -- HOST COMMAND runs the command here; and srun: srun [--OPTION...]
--nodelist=NODE -- WORD... Under another name it replaces the staprun that staprun --link starts, and writes the data that staprun would write (runtime/include/records.h). The name of
the host selects its behaviour, and what happens to its connection.

HOSTS_RELEASE: the kernel that it reports. OTHER_RELEASE: that of "waitsother". HOSTS_DIR: for a file HOST.began and one HOST.ended, when it received SIGTERM.
HOSTS_STAPRUN: the path of this file as staprun.
"""
import ctypes
import os
import random
import select
import shlex
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.path[0], '..', 'report'))
from write_session import HEAD, frame, number, signed, text

FRAME_START, FRAME_RECORD, FRAME_END, FRAME_ARMED, FRAME_FILE = 1, 2, 6, 8, 9
TEXT, GLOBAL, ADDED, ASSIGNED, WORDS = 3, 8, 12, 13, 17
LONG, STRING, STATS = 1, 2, 3
ORDER_STOP = struct.pack('<Q', 1)      # the first member of struct link_order


def head():
    return bytes([HEAD]) + number(time.time_ns()) + number(0) + number(1)


def record(*items):
    return frame(FRAME_RECORD, head() + b''.join(items))


def start(name='host'):
    return frame(FRAME_START, struct.pack('<II', 0x72716174, 3) + text('release') + text(name))


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


def used_words(words, first=0):
    used = [(i, w) for i, w in enumerate(words) if w and i >= first]
    return number(len(used)) + b''.join(number(i) + signed(w) for i, w in used)


def added_stat(index, words, *keys, split=0):
    return (bytes([ADDED]) + number(index) + b''.join(map(key, keys)) + number(len(words)) +
            used_words(words[:4] if split else words) + number(split))


def split_words(split, words, first, end):
    return bytes([WORDS]) + number(split) + used_words(words[:end], first)


def printed(s):
    s = s.encode()
    return bytes([TEXT]) + struct.pack('<I', len(s)) + s


def send(*frames):
    os.write(1, b''.join(frames))


terminated = False


def end(*_):
    global terminated
    terminated = True


def wait_for_end(seconds=60):
    """Waits for SIGTERM."""
    deadline = time.monotonic() + seconds
    while not terminated and time.monotonic() < deadline:
        time.sleep(0.02)


def mark(name, what):
    open('%s/%s.%s' % (os.environ['HOSTS_DIR'], name, what), 'w').close()


def was(name, what):
    return os.path.exists('%s/%s.%s' % (os.environ['HOSTS_DIR'], name, what))


def wait_for(*names):
    """Waits until the end of these hosts is requested, which is when the session ends."""
    while not all(os.path.exists('%s/%s' % (os.environ['HOSTS_DIR'], n)) for n in names):
        time.sleep(0.02)


END = frame(FRAME_END, struct.pack('<iI', 0, 0))
GLOBALS = (described(0, 'n', LONG), described(1, 'by', LONG, (STRING,)), described(2, 'st', STATS),
           described(3, 'who', STRING, (STRING,)))


def play_apart(name):
    """Prints long lines in parts, in a session of its own. That of "apartlost" has no end."""
    record_head = bytes([HEAD]) + number(time.time_ns()) + number(0) + number(0)
    send(start(name), frame(FRAME_ARMED, b''))
    if name == 'apartlost':
        return 1
    for i in range(30):
        send(frame(FRAME_RECORD, record_head + printed('x' * 9000)))
        time.sleep(0.01)
        send(frame(FRAME_RECORD, record_head + printed('x' * 9000 + '%d\n' % i)))
    send(END)
    return 0


def play_waits(name):
    """Prints a line and waits for the end."""
    mark(name, 'began')
    os.write(1, b'begun\n')
    wait_for_end()
    mark(name, 'ended')
    return 0


def play_endless(name):
    """Prints a line of 20 MB."""
    for _ in range(20):
        rest = b'x' * (1 << 20)
        while rest:
            rest = rest[os.write(1, rest):]
    return 0


def play(name):
    """Sends the data of the host NAME; returns its exit status."""
    for prefix, function in ('apart', play_apart), ('waits', play_waits), ('endless', play_endless):
        if name.startswith(prefix):
            return function(name)
    own = int(''.join(c for c in name if c.isdigit()) or 0)
    send(start(name), record(*GLOBALS))
    if name.startswith(('slow', 'cutstart')):
        time.sleep(1 if name.startswith('slow') else 2.5)
    if name.startswith('unarmed'):
        wait_for_end()
        return 0
    send(frame(FRAME_ARMED, b''))
    mark(name, 'began')
    kind = name.rstrip('0123456789')
    if kind == 'sums':                 # its most frequent five elements differ from those of all hosts
        send(record(added(0, 10 + own), *[added(1, 100, '%s-%d' % (name, i)) for i in range(5)], added(1, 60, 'shared')))
        send(record(added(0, 1), added(1, 5, 'shared'), assigned(3, 'sh ' + name, name)))
    elif kind == 'stats':
        values = [own * 7 - 3, 1000 * own, -5, 0, 1 << 20]
        send(record(added_stat(2, statistic(values[:2], True))), record(added_stat(2, statistic(values[2:], True))))
    elif kind == 'parts':              # statistics in several items, of two handlers at a time; those of a lost one come first
        one, other = (statistic([1 << i for i in range(b, b + 20)], True) for b in (0, 20))
        send(record(*[split_words(900 + i, other, 4, 100) for i in range(20)]))
        send(record(split_words(7, one, 4, 76), split_words(8, other, 4, 90)), record(split_words(7, one, 76, 1000)),
             record(added_stat(2, one, split=7), split_words(8, other, 90, 1000), added_stat(2, other, split=8)))
    elif kind == 'lines':
        for part in ('one', ' line\nand', ' an', 'other\n', 'the last'):
            send(record(printed(part + (' of %s' % name if part == 'one' else ''))))
    elif kind == 'stacks':             # a call stack as print_backtrace() prints it
        send(record(printed('first\n 0x1000 : f+0x1/0x2 [/no/file]\n 0x2000 : g'), printed('\nlast\n'), added(0, 0)))
    elif kind == 'builds':             # files of call stacks, which have another build ID on each host; invalid ones, too
        file = text('/no/file') + number(0) + text(bytes([own] * 20)) + signed(0)
        send(frame(FRAME_FILE, file), frame(FRAME_FILE, file[:5]), frame(FRAME_FILE, file + b'more'), frame(FRAME_FILE, b''),
             frame(FRAME_FILE, text('/' * 9000) + number(0) + text(b'1') + signed(0)))
        send(record(printed(' 0x1000 : f+0x1/0x2 [/no/file]\n'), added(1, 1, 'f+0x1/0x2 [/no/file]\n')))
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
    elif kind in ('cut', 'stall', 'shared', 'closes'):     # many records, while its connection ends or is silent several times
        for i in range(300):
            send(record(added(0, 1), added(1, i, 'shared'), added(1, 1, 'k%d' % (i % 7)), printed('%d\n' % i)))
            time.sleep(0.01)
        wait_for_end()
        send(record(added(0, 1000)), END)
        return 0
    elif kind == 'eager':              # marks each megabyte of output that it was able to send
        for i in range(300):
            for _ in range(16):
                rest = record(printed('x' * 65500 + '\n'))
                while rest:
                    rest = rest[os.write(1, rest):]
            mark(name, 'megabyte%d' % i)
            if terminated:
                break
    elif kind == 'loud':               # more messages than a pipe takes
        send(record(added(0, 5)))
        for i in range(5000):
            os.write(2, b'WARNING: message %d of a host that has much to say to whoever reads this\n' % i)
    elif kind == 'byte':               # its connection ends after a number of bytes
        send(record(added(0, 1), added(1, 10, 'shared'), printed('%d\n' % own)))
        time.sleep(0.3)
        send(record(added(0, 100)))
    elif kind == 'grows':              # adds until the end, or until the test lets it fail
        while not terminated:
            if was(name, 'leave'):
                return 1
            send(record(added(0, 1), added(1, own, 'shared'), added(1, 1, name), added_stat(2, statistic([300 * own]))))
            time.sleep(0.1)
        send(END)
        return 0
    elif kind == 'cutstart':           # its connection ends several times before it is armed
        send(record(added(0, 7)))
    elif kind == 'exits':
        send(record(added(0, 3)), END)
        return 0
    wait_for_end()
    mark(name, 'ended')
    if kind == 'sums':
        send(record(added(0, 1)))      # the count up to this time
    send(END)
    return 0


def copy(name, command):
    """A connection that ends, is silent, or closes its output, a second after the first message, in the middle of another;
    that of "unstopped" ends instead of passing on the first order to stop, the first of "byteN" after N bytes."""
    host = subprocess.Popen(['sh', '-c', command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    ends, left_bytes = float('inf'), 1 << 60
    if name.startswith('byte') and not was(name, 'cut'):
        left_bytes = int(name[4:])
        mark(name, 'cut')
    sources = {0: host.stdin.fileno(), host.stdout.fileno(): 1}
    if name.startswith('cutmodule'):       # the connection ends within the module
        os.write(host.stdin.fileno(), os.read(0, 4096))
        os._exit(255)
    while sources:
        left = ends - time.monotonic()
        if left < 0 and '--link' in command + ' --link' * name.startswith('cut'):
            if name.startswith(('stall', 'shared')):
                time.sleep(60)         # stap ends this process
            if name.startswith('closes'):
                os.close(1)
                time.sleep(60)         # the same
            os._exit(255)
        for fd in select.select(list(sources), [], [], min(max(left, 0.01), 1))[0]:
            got = os.read(fd, 701)
            if name.startswith('cuthello') and fd:
                os._exit(255)          # the first message is lost, after the session has begun
            if fd and name.startswith(('cut', 'stall', 'shared', 'closes')):
                ends = min(ends, time.monotonic() + 1)
            if not got:
                os.close(sources.pop(fd))
                continue
            if fd:
                got = got[:left_bytes]
                left_bytes -= len(got)
            if name.startswith('unstopped') and fd == 0 and was(name, 'began') and got[-24:-16] == ORDER_STOP:
                if not was(name, 'cut'):
                    mark(name, 'cut')
                    os._exit(255)
            while got:
                got = got[os.write(sources[fd], got):]
            if not left_bytes:
                os._exit(255)
    return host.wait()


def hostile(name, command):
    """Sends invalid data: bytes of valid messages are changed, by the number in the name."""
    if '--rejoin' in command:
        return 1
    chance = random.Random(name)
    stream = bytearray()
    for kind, payload in [(1, b'/tmp/none'), (2, start() + record(*GLOBALS) + frame(FRAME_ARMED, b''))] + [
            (chance.randrange(6), bytes(chance.randrange(256) for _ in range(chance.randrange(80)))) for _ in range(20)]:
        stream += struct.pack('<II', len(payload), kind) + payload
    for _ in range(chance.randrange(6)):
        stream[chance.randrange(len(stream))] = chance.randrange(256)
    os.write(1, bytes(stream))
    time.sleep(chance.randrange(3))
    return 0


def main():
    if os.path.basename(sys.argv[0]) not in ('ssh', 'srun'):
        signal.signal(signal.SIGTERM, end)
        os._exit(play(os.environ['HOSTS_NAME']))       # at once: a signal during Python's own end would kill it
    words = sys.argv[sys.argv.index('--') + 1:]
    if os.path.basename(sys.argv[0]) == 'srun':
        signal.signal(signal.SIGINT, lambda *_: os._exit(1))   # a step that waits is cancelled
        words[:0] = [w[len('--nodelist='):] for w in sys.argv if w.startswith('--nodelist=')]
        mark(words[0], 'step')
    name = words[0].rpartition('@')[2]
    command = shlex.join(words[1:]) if words[2:] else words[1]
    if 'uname -rm' in command:
        if name.startswith('down'):
            sys.exit('ssh: connect to host %s: Connection refused' % name)
        if name.startswith('mute'):
            os.close(1)
            os.close(2)
        if name.startswith(('silent', 'mute')):
            time.sleep(600)
        if name.startswith('noisy'):
            print('welcome\n' * 100000)
        if name.startswith('escape'):
            print('\033[2Jhello')
            return
        print(os.environ['OTHER_RELEASE' if name.startswith('waitsother') else 'HOSTS_RELEASE'], 'x86_64')
        return
    os.environ.update(HOSTS_NAME=name, SYSTEMTAP_STAPRUN=os.environ['HOSTS_STAPRUN'])
    if name.startswith('stuck'):
        with open('%s/%s.ssh' % (os.environ['HOSTS_DIR'], name), 'w') as file:
            print(os.getpid(), file=file)
        time.sleep(600)
    if name.startswith('hostile'):
        sys.exit(hostile(name, command))
    # All connections through the shared one are silent.
    if name.startswith('shared') and '--rejoin' in command and '-oControlPath=none' not in sys.argv:
        time.sleep(600)
    if name.startswith(('cut', 'stall', 'unstopped', 'shared', 'closes', 'byte')):
        sys.exit(copy(name, command))
    ctypes.CDLL(None).prctl(1, 0)      # PR_SET_PDEATHSIG: this process becomes the host's, which survives stap
    os.execvp('sh', ['sh', '-c', command])


if __name__ == '__main__':
    main()
