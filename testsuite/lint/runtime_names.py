#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of the runtime that the translator searches in embedded C, and those in runtime/include/work.def, must
exist in runtime/: a renamed function would otherwise not be found any more, without an error."""
import glob
import re
import sys


def text(pattern):
    return ''.join(open(path).read() for path in sorted(glob.glob(pattern, recursive=True)))


def wanted():
    for path in sorted(glob.glob('translator/**/*.c', recursive=True)):
        source = open(path).read()
        calls = re.findall(r'(?:embedded_word|embedded_has_prefix|emit_called)\([^"\n]*"((?:stp_|STAP_)\w+)"', source)
        table = re.search(r'\binfallible\[\] = \{(.*?)\};', source, re.S)
        for name in calls + re.findall(r'"((?:stp_|STAP_)\w+)"', table.group(1) if table else ''):
            yield path, name
    for name in re.findall(r'^(?:CALL|DATA|BY_DATA)\((\w+)', open('runtime/include/work.def').read(), re.M):
        yield 'runtime/include/work.def', name


def main():
    runtime = text('runtime/**/*.[ch]') + text('translator/emit/*.c')     # emit defines STAP_ARG_x and similar
									  # names
    known = set(re.findall(r'(?:#define |[\s*])((?:stp_|STAP_)\w+)', runtime))
    bad = ['%s: %s is not in runtime/' % (path, name) for path, name in wanted()
           if name not in known and not any(k.startswith(name) for k in known)]
    print('\n'.join(bad))
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
