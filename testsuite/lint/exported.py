#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints functions that a header declares although only one C file uses them: they can be static there. Usage: exported.py DIRECTORY"""
import collections
import glob
import re
import sys

SEARCHED = ['translator', 'staprun', 'report']
NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)
PROTOTYPE = re.compile(r'(?m)^(?!static |typedef |#)[A-Za-z_][\w ]*[ *](\w+)\([^;{}]*\)[^;{}()]*;')


def main(root):
    users = collections.defaultdict(set)
    declared = {}
    for top in SEARCHED + ['testsuite', 'runtime']:
        for path in glob.glob(f'{root}/{top}/**/*.[ch]', recursive=True) + glob.glob(f'{root}/{top}/**/*.cc', recursive=True):
            with open(path, encoding='utf-8', errors='replace') as file:
                text = NOT_CODE.sub('', file.read())
            if path.endswith('.h') and top in SEARCHED:
                declared.update((name, path) for name in PROTOTYPE.findall(text))
            if not path.endswith('.h'):
                for word in set(re.findall(r'\w+', text)):
                    users[word].add(path)
            else:                           # functions that inline functions and macros of a header use are
					    # exported, too
                for body in re.findall(r'(?s)\n\{\n.*?\n\}\n', text) + re.findall(r'(?m)^#define(?:.*\\\n)*.*', text):
                    for word in set(re.findall(r'\w+', body)):
                        users[word].add(path)
    findings = [f'{path[len(root) + 1:]}: {name}() is used in one file only: make it static' for name, path in sorted(declared.items())
                if len(users[name]) < 2]
    print(*findings, sep='\n', end='\n' if findings else '')
    if len(declared) < 500:
        print('no prototypes found?')
        return 1
    return 1 if findings else 0


sys.exit(main(sys.argv[1]))
