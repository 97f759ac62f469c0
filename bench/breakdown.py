#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints, by function, the instructions that a hit adds to a read(2) of one byte.

Usage: breakdown.py DIR RELEASE NAME...   (called by `bench/probe-cost --breakdown`)
Reads: DIR/reader (cost/reader.c) and DIR/NAME.ko, a module of each script. One virtual machine, in which the program
reads while each module is loaded; QEMU logs the addresses of the instructions for a moment. Of the calls of vfs_read,
those with the most frequent number of instructions are compared with the ones without a module.
"""
import bisect
import collections
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
READ = 'timeout 6 sh -c "while :; do ./reader x; done" >/dev/null'    # seconds of the guest's clock: instructions
CALLS = 50                                                      # calls of vfs_read that are logged, at least
SHOWN = 2                                                       # functions with fewer instructions are summed


class Monitor:
    """QEMU's monitor, with the commands that users type."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.wait()

    def wait(self):
        got = b''
        while not got.endswith(b'(qemu) '):
            more = self.socket.recv(65536)
            if not more:
                sys.exit('QEMU ended')
            got += more

    def run(self, *commands):
        for command in commands:
            self.socket.sendall(command.encode() + b'\n')
            self.wait()


def guest_script(directory, names):
    lines = ['mkdir -p /b; cd /b; sleep 3; cat /proc/kallsyms >&2; echo phase-base >&2; ' + READ]
    for name in names:
        lines.append(f"staprun -c 'sh ./hit.sh {name}' ./{name}.ko >/dev/null")
    with open(directory + '/breakdown.sh', 'w', encoding='utf-8') as out:
        out.write('\n'.join(lines) + '\n')
    with open(directory + '/hit.sh', 'w', encoding='utf-8') as out:
        out.write(f'grep "\\[" /proc/kallsyms >&2; echo phase-$1 >&2; {READ}\n')


def wait_for(word, path, guest):
    while guest.poll() is None:
        with open(path, errors='replace', encoding='utf-8') as text:
            if word in text.read().split():
                return
        time.sleep(0.1)
    sys.exit(f'the guest ended before {word}')


def wait_for_calls(path, start, guest):
    """Waits until the log has enough calls of the function at start: the program also starts and ends meanwhile."""
    wanted, seen, rest = b'/%016x/' % start, 0, b''
    while not os.path.exists(path):
        time.sleep(0.1)
    with open(path, 'rb') as log:
        while guest.poll() is None and seen < CALLS:
            text = rest + log.read()
            end = text.rfind(b'\n') + 1
            seen += text[:end].count(wanted)
            rest = text[end:]
            time.sleep(0.1)


def trace(directory, release, names):
    """Runs the guest. Leaves DIR/trace-NAME, and the guest's symbols in DIR/symbols."""
    guest_script(directory, names)
    with tempfile.TemporaryDirectory() as scratch, \
            open(directory + '/symbols', 'w', encoding='utf-8') as symbols:
        path = scratch + '/monitor'
        with subprocess.Popen([ROOT + '/translator/run/stap-vm', '-r', release, '-i', '-k', 'mitigations=off nokaslr',
                               '-t', '3600', '-d', directory + ':/b', '-q', f'-monitor unix:{path},server,nowait',
                               '-f', ROOT + '/staprun/staprun:/bin/', '-f', ROOT + '/staprun/stapio:/bin/', '--',
                               'sh', '/b/breakdown.sh'], stderr=symbols) as guest:
            monitor = None
            for name in ['base'] + names:
                wait_for('phase-' + name, directory + '/symbols', guest)
                monitor = monitor or Monitor(path)
                time.sleep(0.5)
                log = f'{directory}/trace-{name}'
                monitor.run('stop', f'logfile {log}', 'singlestep on', 'log exec,nochain', 'cont')
                wait_for_calls(log, Symbols(directory + '/symbols').start, guest)
                monitor.run('stop', 'log none', 'singlestep off', 'logfile /dev/null', 'cont')
            guest.wait()


class Symbols:
    """The functions of the kernel, and of the module that was loaded in the phase NAME: modules reuse addresses."""

    def __init__(self, path, phase='base'):
        kernel, module = set(), set()
        with open(path, errors='replace', encoding='utf-8') as text:
            for line in text:
                fields = line.split()
                if len(fields) >= 3 and re.fullmatch('[0-9a-f]{16}', fields[0]) and fields[1] in 'tTwW':
                    (module if '[' in line else kernel).add((int(fields[0], 16), fields[2], ''.join(fields[3:])))
                elif fields[:1] == ['phase-' + phase]:
                    break
                elif line.startswith('phase-'):
                    module = set()
        self.sorted = sorted(kernel | module)
        self.start = next(a for a, name, _ in self.sorted if name == 'vfs_read')

    def of(self, address):
        """Returns (name, module) of the function at an address."""
        at = bisect.bisect_right(self.sorted, (address, chr(0x10ffff), '')) - 1
        return self.sorted[at][1:] if address >> 63 and at >= 0 else ('program', '')


def calls(path, start):
    """Returns lists of addresses, one from each entry of vfs_read to the next."""
    found, call = [], None
    with open(path, errors='replace', encoding='utf-8') as text:
        for line in text:
            match = re.search(r'\[[0-9a-f]+/([0-9a-f]+)/', line)
            if not match:
                continue
            address = int(match[1], 16)
            if address == start:
                if call:
                    found.append(call)
                call = []
            if call is not None:
                call.append(address)
    return found


def usual(path, symbols):
    """Returns the instructions of the most frequent call, by function."""
    found = calls(path, symbols.start)
    if not found:
        sys.exit(f'{path}: no call of vfs_read was logged')
    length = collections.Counter(map(len, found)).most_common(1)[0][0]
    call = next(c for c in found if len(c) == length)
    return collections.Counter(map(symbols.of, call))


def part(function):
    name, module = function
    if 'ftrace' in module or 'ftrace' in name:
        return 'ftrace'
    if not module:
        return 'kernel'
    return 'handler' if re.match(r'p\d', name) else 'runtime'


def report(directory, names):
    base = usual(directory + '/trace-base', Symbols(directory + '/symbols'))
    for name in names:
        added = usual(f'{directory}/trace-{name}', Symbols(directory + '/symbols', name))
        added.subtract(base)
        parts, rest = collections.Counter(), collections.Counter()
        for function, n in added.items():
            parts[part(function)] += n
        print(f'\n{name}: {sum(added.values())} instructions: ' +
              ', '.join(f'{p} {n}' for p, n in parts.most_common() if n))
        for function, n in sorted(added.items(), key=lambda item: -item[1]):
            if n > SHOWN:
                print(f'{n:6d}  {part(function):8s} {function[0]}')
            else:
                rest[part(function)] += n
        for p, n in rest.items():
            if n:
                print(f'{n:6d}  {p:8s} (others)')


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    trace(sys.argv[1], sys.argv[2], sys.argv[3:])
    report(sys.argv[1], sys.argv[3:])
