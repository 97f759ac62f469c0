#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds paths into a handler without a check of the stack: in runtime/kernel, each call that runs a handler or
evaluates @entry() must follow stp_hit_begin(), stp_hit_unsafe(), stp_hit_refused(), stp_stack_short() or
stp_stack_left() in its function, or in each caller of that function.
"""
import glob
import re
import sys

from losses import functions

LOOKS = r'\b(stp_hit_begin|stp_hit_unsafe|stp_hit_refused|stp_stack_short|stp_stack_left)\('
RUNS = r'\b(stp_hit_enter|stp_handler_run|stp_run_simple|stp_entry_run)\(|->(entry|handler|condition)\('


def unguarded(pattern, body):
    """Returns whether a match precedes the first check of the stack."""
    look = re.search(LOOKS, body)
    return re.search(pattern, body[:look.start()] if look else body)


def call_of(name):
    return r'(?<!\w)%s\(' % re.escape(name)


def findings_in(path):
    text = open(path).read()
    text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S)
    # The first line defines a name; for a macro, the next line has the functions that the macro's functions call.
    found = {name: (first, '\n'.join(lines)) for name, first, lines in functions(text)}
    needy = {name for name, (_, body) in found.items() if unguarded(RUNS, body)}
    while True:
        more = {name for name, (_, body) in found.items() if name not in needy and
                any(unguarded(call_of(hit), body) for hit in needy)}
        if not more:
            break
        needy |= more
    if '-v' in sys.argv:
        print(path, *sorted(needy))
    for name in sorted(needy):
        uses = [line for line in text.split('\n') if re.search(r'(?<![\w>.])%s\b' % re.escape(name), line)]
        if any(re.search(r'(?<![\w>.])%s\s*[^\w(\s]' % re.escape(name), line) and not re.match(r'[A-Z_]+\(', line)
               for line in uses) or len(uses) < 2:
            yield '%s:%d: %s() runs a handler without checking the stack before' % (path, found[name][0], name)


def main():
    paths = sorted(glob.glob('runtime/kernel/*.c'))
    findings = [finding for path in paths for finding in findings_in(path)]
    print(*findings, sep='\n', end='\n' if findings else '')
    if not any(re.search(RUNS, open(path).read()) for path in paths):
        print('runtime/kernel: nothing runs a handler?')
        return 1
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
