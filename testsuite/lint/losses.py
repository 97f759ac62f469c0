#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the table of losses with the sources that count them and with the manual, and finds early returns of hit
paths without a reason: an event that a kernel probe delivers must be handled or counted.

A hit path is a function of runtime/kernel/{probe_*,function_return}.c that enters a handler, and whatever in its file
calls one. Each of its returns but the last statement has to be after stp_lose() or stp_skip(), or after a test by a
function that counts itself (stp_hit_begin() and others), or it has the comment "not a hit: why".
"""
import glob
import re
import subprocess
import sys

ENTERS = r'\b(stp_hit_begin|stp_hit_enter|stp_handler_run|stp_run_simple|stp_entry_run|stp_hit_refused)\b'
COUNTS = r'stp_lose\(|stp_skip\(|stp_hit_begin\(|stp_hit_enter\(|stp_hit_refused\(|stp_entry_run\(|not a hit: '


def functions(text):
    """Yields (name, first line, lines) of each function, including functions inside macros."""
    name, lines, found = None, [], []
    for number, line in enumerate(text.split('\n'), 1):
        line = line.rstrip('\\').rstrip()
        start = re.match(r'(?:[A-Za-z_][\w \t*]*?)?\b(\w+(?:##\w+)?)\(', line)
        if start and not line.startswith(('\t', ' ', '#')):
            name = start.group(1)
        if line == '{':
            lines, first = [], number
        elif line == '}' and name:
            found.append((name, first, lines))
            name, lines = None, []
        else:
            lines.append(line)
    return found


def bare(first, lines):
    """Returns the returns that are neither the last statement nor have a reason."""
    code = [(first + 1 + i, line) for i, line in enumerate(lines) if line.strip()]
    for i, (number, line) in enumerate(code):
        if not re.search(r'\breturn\b', line) or (i == len(code) - 1 and line.startswith('\treturn')):
            continue
        near = [text for _, text in code[max(0, i - 2):i + 1]]
        # Only the statement on which the return depends is examined, and the statement before it in the same block.
        if not any(re.search(COUNTS, text) for text in near):
            yield number, line.strip()


def table(*options):
    """Returns the lines of losses.def in the form of the manual, or in the form that other programs read."""
    return subprocess.run(['awk', *options, '-f', 'doc/tables.awk', 'runtime/include/losses.def'], stdout=subprocess.PIPE,
                          universal_newlines=True, check=True).stdout.splitlines()


def unused_reasons():
    """Returns lines of the table that are never counted, or that the manual lacks."""
    rows = [line.split() for line in table('-v', 'plain=1')]
    sources = ''.join(open(path).read() for path in glob.glob('runtime/*/*.c') + ['staprun/losses.c'])
    if len(rows) != len(re.findall(r'^LOSS\(', open('runtime/include/losses.def').read(), re.M)) or len(rows) < 15:
        yield 'losses.def: %d lines are read' % len(rows)
    if table().count('.TP') != sum(kind != 'OUTSIDE' for _, kind in rows):
        yield 'losses.def: the manual does not have each reason once'
    for name, _ in rows:
        if not re.search(r'(\bstp_(lose|skip|cut)\(|\bi == )STP_LOSS_%s\b' % name, sources):
            yield 'losses.def: nothing counts %s' % name


def untested_reasons():
    """Returns losses without a line in the table of tests, and those whose tests do not contain the beginning of
    the summary's line."""
    rows = dict(re.findall(r'^LOSS\((\w+), (?!OUTSIDE)\w+, "(.*?)[:(%]', open('runtime/include/losses.def').read(), re.M))
    tests = dict(re.findall(r'^\| ([A-Z_]+) \| (.*) \|$', open('testsuite/COVERAGE.md').read(), re.M))
    for name in sorted(set(rows) ^ set(tests)):
        yield 'testsuite/COVERAGE.md: %s is not in the table of reasons, or not in losses.def' % name
    for name in set(rows) & set(tests):
        text = rows[name].split(' %')[0].strip()
        if text == 'There were':
            text = 'transport failures'
        for test in re.findall(r'`([\w/-]+)`', tests[name]):
            files = glob.glob('testsuite/%s.*' % test.replace('staprun/', 'staprun/scenarios/'))
            if not any(text in open(path).read() for path in files):
                yield 'testsuite/COVERAGE.md: %s does not look for "%s"' % (test, text)


def main():
    findings = 0
    for finding in [*unused_reasons(), *untested_reasons()]:
        print(finding)
        findings += 1
    for path in sorted(glob.glob('runtime/kernel/probe_*.c') + ['runtime/kernel/function_return.c']):
        found = functions(open(path).read())
        on_path = {name for name, _, lines in found if re.search(ENTERS, '\n'.join(lines))}
        while True:
            more = {name for name, _, lines in found if name not in on_path and
                    any(re.search(r'\b%s\(' % re.escape(hit.split('##')[0]), '\n'.join(lines)) for hit in on_path)}
            if not more:
                break
            on_path |= more
        if '-v' in sys.argv:
            print(path, *sorted(on_path))
        for name, first, lines in found:
            for number, line in bare(first, lines) if name in on_path else []:
                print('%s:%d: %s(): "%s" names no reason (stp_lose, stp_skip, or /* not a hit: why */)' %
                      (path, number, name, line))
                findings += 1
    return findings > 0


if __name__ == '__main__':
    sys.exit(main())
