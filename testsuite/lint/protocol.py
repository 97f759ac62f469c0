#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares STP_PROTOCOL with the checksum of the headers that a module and its loader share, so that each change of
their messages, of the rings' header or of the table of losses requires a new number."""
import re
import sys
import zlib

MESSAGES = 'runtime/include/messages.h'
NUMBER = r'#define STP_PROTOCOL (\w+)'


def without_comments(path):
    return ' '.join(re.sub(r'/\*.*?\*/', ' ', open(path).read(), flags=re.S).split())


def main():
    text = without_comments(MESSAGES)
    has = re.search(NUMBER, text).group(1)
    text = re.sub(NUMBER, '', text, count=1) + without_comments('runtime/include/losses.def')
    wanted = '0x%08xu' % zlib.crc32(text.encode())
    if has != wanted:
        print('%s: the headers that modules and loaders share have changed; write #define STP_PROTOCOL %s' % (MESSAGES, wanted))
    return has != wanted


if __name__ == '__main__':
    sys.exit(main())
