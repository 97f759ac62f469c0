#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""complete.py SHELL DIR-OF-STAP COMPLETIONS: types command lines and tab characters in a shell on a pseudo-terminal,
and compares the commands that the shell runs. A function named stap records them; calls of the completion itself
run the program."""
import os
import pty
import signal
import sys
import tempfile
import time

from terminal import read_until

SHELL, BIN, COMPLETIONS = sys.argv[1:]
# Typed text with tab characters, and the arguments of the resulting command.
LINES = [('stap --runtime=us\t\n', '--runtime=user'), ('stap -l vfs.readv.re\t\n', '-l vfs.readv.return'),
         ("stap -l 'kernel.function(\"x\").ret\t\n", '-l kernel.function("x").return')]
START = {'bash': ['bash', '--norc', '-i'], 'zsh': ['zsh', '-f', '-i'], 'fish': ['fish', '--no-config', '-i']}[SHELL]
SETUP = {
    'bash': '. {c}/stap.bash; PS1=READY\n',
    'zsh': 'fpath=({c} $fpath); autoload -U compinit; compinit -u -D; PS1=READY; unsetopt zle_bracketed_paste\n',
    'fish': 'function fish_prompt; echo READY; end; source {c}/stap.fish\n',
}[SHELL].format(c=COMPLETIONS)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        # The program in PATH passes completions to stap, and records other commands.
        log = home + '/log'
        os.mkdir(home + '/bin')
        with open(home + '/bin/stap', 'w') as f:
            f.write('#!/bin/sh\ncase $1 in --complete) exec %s/stap "$@" ;; esac\necho "$@" >>%s\n' % (BIN, log))
        os.chmod(home + '/bin/stap', 0o755)
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(HOME=home, TMPDIR=home, TERM='dumb' if SHELL != 'fish' else 'xterm', PATH=home + '/bin:' + os.environ['PATH'])
            os.execvp(START[0], START)
        os.write(fd, SETUP.encode())
        read_until(fd, b'READY', 300)
        for typed, _ in LINES:
            before = size(log)
            os.write(fd, typed.encode())
            until = time.time() + 300
            while time.time() < until and size(log) == before:
                read_until(fd, b'\0', 0.1)
        os.kill(pid, signal.SIGKILL)
        os.close(fd)
        os.waitpid(pid, 0)
        got = open(log).read().split('\n')[:-1] if os.path.exists(log) else []
    wanted = [line for _, line in LINES]
    if [line.strip() for line in got] != wanted:
        sys.exit('wanted %s\nfound %s' % (wanted, got))


main()
