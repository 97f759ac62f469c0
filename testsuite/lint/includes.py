#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the #include lines of translator/ with the table of directories in HACKING.md: a directory includes only
directories of its row, and a row names only rows above it, so that directories cannot depend on each other in circles."""
import glob
import os.path
import re
import sys

TABLE = 'HACKING.md'


def rows():
    """Returns a map from each directory to the directories that it may include, in the order of the table."""
    found = {}
    for line in open(TABLE):
        m = re.match(r'\| `([\w/]+)` \| [^|]* \| ([^|]*)\|$', line)
        if m:
            allowed = list(found) if m.group(2).strip() == 'all of these' else re.findall(r'`([\w/]+)`', m.group(2))
            found[m.group(1)] = allowed
            for name in allowed:
                if name not in list(found)[:-1]:
                    yield None, '%s: `%s` includes `%s`, which is not a row above it' % (TABLE, m.group(1), name)
    yield found, None


def directory(path):
    return path.rpartition('/')[0]


def included(path, name):
    """Returns the directory of translator/ that contains the file, found as the compiler does; None: it is in
    another directory."""
    for candidate in os.path.join(directory(path), name), os.path.join('translator', name):
        candidate = os.path.normpath(candidate)
        if os.path.exists(candidate) and candidate.startswith('translator/'):
            return directory(candidate[len('translator/'):])
    return None


def main():
    bad = []
    for found, message in rows():
        bad += [message] if message else []
    for path in sorted(glob.glob('translator/*/*.[ch]') + glob.glob('translator/*/*/*.[ch]')):
        own = directory(path[len('translator/'):])
        if own not in found:
            bad.append('%s: the directory has no row in the table of %s' % (path, TABLE))
            continue
        for number, line in enumerate(open(path), 1):
            m = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
            other = m and included(path, m.group(1))
            if other is not None and other not in [own] + found[own]:
                bad.append('%s:%d: `%s` does not include `%s`, see the table of directories in %s' % (path, number, own, other, TABLE))
    if not found:
        bad.append('%s has no table of directories' % TABLE)
    bad += ['%s: a file of no directory' % path for path in glob.glob('translator/*.[ch]')]
    print('\n'.join(bad))
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
