#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Reads the live tests given as arguments; prints each file that a command in the background writes, in a loop or twice, and
# that "await" reads, but that is not emptied before ": >FILE;". The shell may start the command only after
# the file is read for the first time: then the file still has the text of the previous round.
import re
import sys


def guest_of(text):
    start = text.find("guest=")
    end = text.find("\ncheck()", start)
    return text[start:end] if start >= 0 else ""


for path in sys.argv[1:]:
    guest = guest_of(open(path).read())
    repeated = re.search(r"\b(for|while)\b|\(\) *\{", guest)
    for file in sorted(set(re.findall(r"\bawait [^;&\n]*?(/tmp/[\w.]+)", guest))):
        name = re.escape(file)
        writers = re.findall(r"[^\n;]*(?<!>)>\s*" + name + r"\b[^;\n]*&", guest)
        emptied = len(re.findall(r": >" + name + r"; [^;\n]*>\s*" + name + r"\b[^;\n]*&", guest))
        if emptied < len(writers) and (repeated or len(writers) > 1):
            print(f"{path}: {file} is not emptied before a command in the background writes it: add ': >{file};'")
