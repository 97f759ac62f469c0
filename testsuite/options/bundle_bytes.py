#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bundle_bytes.py STAPRUN BUNDLE: changes bytes of a bundle that has no module for the running kernel, one after the
other, and prints those for which staprun does not name the part that does not match. Bytes of each part: all of the
headers' fields, members, their padding, the end."""
import subprocess
import sys

BLOCK = 512
FIELDS = {'name': 0, 'mode': 100, 'uid': 108, 'gid': 116, 'size': 124, 'mtime': 136, 'checksum': 148, 'type': 156,
          'link': 157, 'magic': 257, 'version': 263, 'user': 265, 'group': 297, 'major': 329, 'minor': 337, 'prefix': 345,
          'rest': 500}


def members(whole):
    """Yields the name, the first byte and the size of each member."""
    at = 0
    while whole[at]:
        size = int(whole[at + 124:at + 135], 8)
        yield whole[at:at + 100].rstrip(b'\0').decode(), at + BLOCK, size
        at += BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK


def samples(first, size, n):
    """Returns n positions, with the first and the last one."""
    return sorted({first + i * (size - 1) // (n - 1) for i in range(n)})


def cases(whole):
    """Yields a position and the text that the message has to contain."""
    previous = '-'
    for name, first, size in members(whole):
        for field, offset in FIELDS.items():
            header = 'invalid header after the member ' + previous
            is_type = previous == '-' and field in ('name', 'magic')       # then it is not read as a bundle
            for i in (0, 1) if field != 'type' else (0,):
                yield first - BLOCK + offset + i, 'is not a kernel module' if is_type else header
        wanted = {'manifest': 'SHA256SUMS does not match manifest', 'manifest.sig': 'SHA256SUMS does not match manifest.sig',
                  'SHA256SUMS': 'SHA256SUMS does not match manifest'}
        for i in samples(first, size, 20):
            yield i, wanted.get(name, 'the manifest has another SHA-256 for ' + name)
        if size % BLOCK:
            for i in samples(first + size, BLOCK - size % BLOCK, 4):
                yield i, 'bytes follow the member ' + name
        previous = name
        end = first + (size + BLOCK - 1) // BLOCK * BLOCK
    for i in samples(end, 2 * BLOCK, 8):
        yield i, 'it does not end after the last member' if i != end else 'invalid header after the member ' + previous


def run(staprun, data, argument):
    with open(argument, 'wb') as out:
        out.write(data)
    result = subprocess.run([staprun, argument], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors='replace', check=False)
    return result.returncode, result.stdout


def main():
    staprun, bundle = sys.argv[1:]
    whole = open(bundle, 'rb').read()
    wrong = 0

    def check(what, data, wanted):
        nonlocal wrong
        status, text = run(staprun, data, bundle + '.bytes')
        if not status or wanted not in text:
            wrong += 1
            print('%s: not "%s", but status %d, %s' % (what, wanted, status, text))

    check('undamaged', whole, 'has no module for the running kernel')
    for n, (at, wanted) in enumerate(cases(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << n % 8
        check('byte %d ^ %#x' % (at, 1 << n % 8), damaged, wanted)
    half = len(whole) // 2
    check('last byte missing', whole[:-1], 'it was truncated')
    check('last block missing', whole[:-BLOCK], 'it does not end after the last member')
    check('a block more', whole + bytes(BLOCK), 'it does not end after the last member')
    check('half of it', whole[:half // BLOCK * BLOCK + 1], 'it was truncated')
    check('half of its blocks', whole[:half // BLOCK * BLOCK], 'it was truncated in ')
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
