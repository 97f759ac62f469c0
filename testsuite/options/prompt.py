#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prompt.py STAP: tests the prompt on a pseudo-terminal: an entry and a run that are interrupted, the editor, lists, the exit."""
import os
import pty
import signal
import sys
import tempfile
import time

from terminal import read_until

PROMPT = b'stap> '


def expect(fd, text):
    data = read_until(fd, text, 100)
    if text not in data:
        sys.exit('%r not found in %r' % (text, data))
    return data


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM='dumb', EDITOR='sed -i s/hello/changed/', SYSTEMTAP_DIR=home)
            os.environ.pop('VISUAL', None)
            os.execv(sys.argv[1], ['stap', '-i', '--runtime=user'])
        expect(fd, PROMPT)
        # An interrupt discards an unfinished probe: what is typed next is a command.
        os.write(fd, b'probe begin {\n')
        expect(fd, b'> ')
        os.write(fd, b'\x03')
        expect(fd, PROMPT)
        os.write(fd, b'list\n')
        if b'error' in expect(fd, PROMPT):
            sys.exit('the unfinished probe remains')
        for typed, answer in [('probe begin { println("hello") }', b''), ('run', b'hello\r\n'), (None, b''), ('edit', b''),
                              ('list', b'1: probe begin { println("changed") }'), ('quit', None)]:
            if typed is None:
                os.write(fd, b'\x03')
            else:
                os.write(fd, typed.encode() + b'\n')
            if typed == 'run':
                expect(fd, answer)
            elif answer is not None and answer not in expect(fd, PROMPT):
                sys.exit('%r: %r not found' % (typed, answer))
        until = time.time() + 300
        while time.time() < until:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                sys.exit(0 if status == 0 else 'status %d' % status)
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        sys.exit('the prompt did not end')


main()
