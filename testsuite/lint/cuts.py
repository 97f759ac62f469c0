#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds C of the library that may truncate the text that a function returns without counting that.

A function writes its result through one that counts cuts itself, given the whole size (COUNTING), or it calls one of
STOPS itself, or has a comment "fits: why". C library functions that cut in silence are not used on results at all.
"""
import glob
import re
import sys

COUNTING = (r'\b(stp_copy|stp_append|stp_sprintf|stp_u?load_string|stp_wide_string|stp_syscall_\w+|stp_matched(_text)?|'
            r'stp_value_get|stp_probefunc|stp_probemod)\(((stp_)?c, |CONTEXT, |STP_MATCH, )*STAP_RETVALUE, [^;]*?'
            r'\b(STP_STRLEN|MAXSTRINGLEN)\b')
# These functions have no size argument: the size is MAXSTRINGLEN.
WHOLE = r'\bstp_(copy_name|quote_json|quote_label|prefixed|name_of|flag_names)\((c, )?STAP_RETVALUE, [^;]*'
STOPS = r'\b(stp_string_cut|stp_frames_cut|stp_list_address|stp_list_line|STP_RESULT_PRINTF|STP_RESULT_COPY)\(|\bfits: '
SILENT = r'\b(v?scn?printf|v?s?n?printf|str[ls]cpy|strn?cpy|strn?cat|strlcat|memcpy|sprint_symbol\w*)\('
FUNCTION = r'^function\s+(\w+):string\s*(?:\([^)]*\))?\s*%\{(.*?)%\}'


def helpers(text):
    """Returns names of the library's own C functions that count truncated texts."""
    return [name for name, body in re.findall(r'^static (?:inline )?\w+ \*?(\w+)\([^)]*\)\n\{(.*?)^\}', text, re.M | re.S)
            if re.search(STOPS, body)]


def findings(path):
    text = open(path).read()
    own = ''.join(r'|\b%s\(' % name for name in helpers(text))
    for function in re.finditer(FUNCTION, text, re.M | re.S):
        name, body = function.groups()
        rest = re.sub(WHOLE, '', re.sub(COUNTING, '', body))
        if re.search(SILENT + r'\(?STAP_RETVALUE', body):
            yield '%s: %s() writes its result with a function that cuts in silence (STP_RESULT_PRINTF, stp_copy)' % (path, name)
        elif re.search(r'STAP_RETVALUE', rest) and not re.search(STOPS + own, rest):
            yield '%s: %s() counts no cut of its result (stp_string_cut, or /* fits: why */)' % (path, name)


def main():
    found = [f for path in sorted(glob.glob('tapsets/**/*.stp', recursive=True)) for f in findings(path)]
    checked = sum(len(re.findall(FUNCTION, open(path).read(), re.M | re.S)) for path in glob.glob('tapsets/*.stp'))
    if checked < 50:
        found.append('only %d functions are read' % checked)
    print(*found, sep='\n', end='\n' if found else '')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
