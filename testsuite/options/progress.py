#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# progress.py FILE TEXT COMMAND...: runs a command on a new terminal. FILE, for which the slow part of the command
# waits, is created when TEXT appears on the terminal. Prints "shown", and "removed" if the line was removed before
# the command ended.
import os
import pty
import sys

signal, text, command = sys.argv[1], sys.argv[2].encode(), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
output = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:                # the command has ended
        break
    if not piece:
        break
    output += piece
    if text in output and not os.path.exists(signal):
        open(signal, "w").close()
os.waitpid(pid, 0)
if text in output:
    print("shown")
    if b"\r\033[K" in output.split(text, 1)[1]:
        print("removed")
