#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the markers of embedded C that translator/ast/embedded.c recognises with the table in
tapsets/README.md, and finds examples in the table that do not contain their marker."""
import glob
import re
import sys

source = open('translator/ast/embedded.c').read()
flags = re.search(r'pragmas\[\] = \{(.*?)\n\};', source, re.S).group(1)
with_value = re.search(r'with_value\[\] = \{(.*?)\};', source, re.S).group(1)
accepted = re.findall(r'\{ "([^"]+)", \w+ \}', flags) + re.findall(r'"([^"]+):"', with_value)
library = '\n'.join(open(path).read() for path in glob.glob('tapsets/**/*.stp', recursive=True))
described, found = [], []
for line in open('tapsets/README.md'):
    cells = [cell.strip() for cell in line.split('|')]
    row = re.match(r'\| `([^`]+?)(:[A-Z])?` \|', line)
    if not row:
        continue
    described.append(row.group(1))
    example = cells[-2].strip('`')
    marker = r'/\* %s%s \*/' % (re.escape(row.group(1)), r':\w+' if row.group(2) else '')
    if example.endswith('.stp') and not re.search(marker, open(example).read()):
        found.append('%s does not use %s' % (example, row.group(1)))
    if example.endswith('()') and not re.search(r'^function %s:?\w*\([^\n]*%s' % (example[:-2], marker), library, re.M):
        found.append('%s is not marked %s' % (example, row.group(1)))
found += ['tapsets/README.md: no row for the marker ' + name for name in accepted if name not in described]
found += ['tapsets/README.md: embedded.c does not read the marker ' + name for name in described if name not in accepted]
print('\n'.join(found), end='')
sys.exit(bool(found))
