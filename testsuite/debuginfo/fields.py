#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Fields of the kernel's structures, chosen by a seed: the C that reads each field is the same from BTF and from
# DWARF, and has the offset, size, sign and bits of BTF.
#
#   STAP=PROGRAM fields.py VMLINUX RELEASE [SEED [FIELDS]]
#
# Prints a line for each field that differs, and a last one: FIELDS n=N differ=N, then how many of each kind there are.
import collections
import os
import random
import re
import struct
import subprocess
import sys

INT, PTR, ARRAY, STRUCT, UNION, ENUM, TYPEDEF, VOLATILE, CONST, RESTRICT = 1, 2, 3, 4, 5, 6, 8, 9, 10, 11
TYPE_TAG, ENUM64 = 18, 19
REST = {INT: 4, ARRAY: 12, 14: 4, 17: 4}                          # bytes after a type's head
EACH = {STRUCT: 12, UNION: 12, ENUM: 8, 13: 8, 15: 12, ENUM64: 12}  # additional bytes for each of its members


class Type:
    def __init__(self, name, kind, flag, size, more):
        self.name, self.kind, self.flag, self.size, self.more, self.members = name, kind, flag, size, more, []


def read_btf(data):
    magic, _, _, head, types, types_len, strings, strings_len = struct.unpack_from('<HBBIIIII', data)
    assert magic == 0xeb9f
    text = data[head + strings:head + strings + strings_len]

    def name(at):
        return text[at:text.index(b'\0', at)].decode()

    out, at, end = [Type('void', 0, 0, 0, b'')], head + types, head + types + types_len
    while at < end:
        n, info, size = struct.unpack_from('<III', data, at)
        kind, count, at = info >> 24 & 31, info & 0xffff, at + 12
        length = REST.get(kind, 0) + count * EACH.get(kind, 0)
        t = Type(name(n), kind, info >> 31, size, data[at:at + length])
        if kind in (STRUCT, UNION):
            for i in range(count):
                member, of, offset = struct.unpack_from('<III', t.more, 12 * i)
                t.members.append((name(member), of, offset & 0xffffff if t.flag else offset,
                                  offset >> 24 if t.flag else 0))
        out.append(t)
        at += length
    return out


class Field:
    def __init__(self, text, offset, size, signed, bits, kind):
        self.text, self.offset, self.size, self.signed, self.bits, self.kind = text, offset, size, signed, bits, kind


class Chooser:
    def __init__(self, types, rng):
        self.types, self.rng = types, rng

    def plain(self, i):
        while self.types[i].kind in (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG):
            i = self.types[i].size
        return self.types[i]

    def number(self, t):
        """Returns size, sign and kind of a number; None for another type."""
        if t.kind == PTR:
            return 8, False, 'pointer'
        if t.kind in (ENUM, ENUM64):
            return t.size, bool(t.flag), 'enum'
        if t.kind == INT and t.size in (1, 2, 4, 8):
            encoding = struct.unpack('<I', t.more)[0] >> 24
            return t.size, bool(encoding & 1), 'bool' if encoding & 4 else 'signed' if encoding & 1 else 'unsigned'
        return None

    def walk(self, t, text, base, depth, nested):
        """Returns a random number in the structure; None if the path led to none. base: the bit at which it
        begins."""
        named = [m for m in t.members]
        if not named:
            return None
        name, of, offset, bits = self.rng.choice(named)
        m, base = self.plain(of), base + offset
        if not name:
            return self.walk(m, text, base, depth, 'anonymous') if m.kind in (STRUCT, UNION) else None
        text += '->' + name
        while m.kind == ARRAY:
            of, _, count = struct.unpack('<III', m.more)
            m = self.plain(of)
            if m.kind == ARRAY or not count or not self.size(m):
                return None                                      # BTF combines arrays of arrays into one
            i = self.rng.randrange(count)
            text, base, nested = text + '[%d]' % i, base + 8 * i * self.size(m), 'array'
        if m.kind in (STRUCT, UNION):
            return self.walk(m, text, base, depth, nested or 'nested') if depth < 6 else None
        number = self.number(m)
        if not number:
            return None
        size, signed, kind = number
        return Field(text, base, size, signed, bits, 'bit-field' if bits else nested or kind)

    def size(self, t):
        return 8 if t.kind == PTR else t.size if t.kind in (INT, STRUCT, UNION, ENUM, ENUM64) else 0

    def choose(self, n):
        """Returns structures with a unique name, with equal numbers of each kind of field as far as possible."""
        names = collections.Counter(t.name for t in self.types if t.kind in (STRUCT, UNION, ENUM, TYPEDEF, 7))
        structs = [t for t in self.types if t.kind == STRUCT and t.name and t.members and names[t.name] == 1]
        kinds = ('pointer', 'enum', 'bool', 'signed', 'unsigned', 'bit-field', 'anonymous', 'array', 'nested')
        chosen, count = {}, collections.Counter()
        for _ in range(400 * n):
            t = self.rng.choice(structs)
            f = self.walk(t, '@cast(0, "%s", "kernel")' % t.name, 0, 0, '')
            if f and f.text not in chosen and count[f.kind] < n / len(kinds) + 1:
                chosen[f.text] = f
                count[f.kind] += 1
            if len(chosen) == n:
                break
        return list(chosen.values()), count


def translate(script, release, path):
    """Returns the C of the results of the functions f0, f1..."""
    environment = dict(os.environ)
    environment.pop('SYSTEMTAP_DEBUGINFO_PATH', None)
    if path is not None:
        environment['SYSTEMTAP_DEBUGINFO_PATH'] = path
    made = subprocess.run([os.environ['STAP'], '-r', release, '-p3', '--disable-cache', '-'], input=script, text=True,
                          capture_output=True, env=environment)
    if made.returncode:
        print(made.stderr[:2000])
        sys.exit(1)
    parts = re.split(r'^static [^\n;]*\bf_f(\d+)\([^\n;]*\)\n\{\n', made.stdout, flags=re.M)
    return {int(n): body[:body.index('\n}')] for n, body in zip(parts[1::2], parts[2::2])}


def are_bits(f, body, first, loaded):
    """The field is at the bits from `first` on in the load, and they are extracted."""
    if first < 0 or first + f.bits > loaded:
        return False
    if f.signed:
        return 'shl(t1, %d), %d)' % (64 - first - f.bits, 64 - f.bits) in body
    shifted = not first or 'shr(t1, %d)' % first in body
    return shifted and (first + f.bits == loaded or '& %d' % ((1 << f.bits) - 1) in body)


def is_read_by(f, body):
    """Checks that the C agrees with BTF: one load of the bytes that contain the field, with its bits and sign."""
    loads = re.findall(r'\(s64\)\(([us])(\d+)\)stp_load(\d)\(c, (\d+)\)', body) + \
        [('s', '64', '8', a) for a in re.findall(r'\bstp_load8\(c, (\d+)\)', body)]
    if f.bits:
        return any(are_bits(f, body, f.offset - 8 * int(a), 8 * int(n)) for _, _, n, a in loads)
    return any(int(a) == f.offset // 8 and int(n) == f.size and (f.size == 8 or (sign == 's') == f.signed)
               for sign, _, n, a in loads)


def main():
    vmlinux, release = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    n = int(sys.argv[4]) if len(sys.argv) > 4 else 600
    sections = subprocess.run(['readelf', '-SW', vmlinux], capture_output=True, text=True, check=True).stdout
    offset, size = re.search(r' \.BTF +PROGBITS +\w+ (\w+) (\w+)', sections).groups()
    with open(vmlinux, 'rb') as f:
        f.seek(int(offset, 16))
        data = f.read(int(size, 16))
    fields, count = Chooser(read_btf(data), random.Random(seed)).choose(n)
    script = ''.join('function f%d() { return %s }\n' % (i, f.text) for i, f in enumerate(fields))
    script += 'probe begin { %s }\n' % ' '.join('println(f%d())' % i for i in range(len(fields)))
    dwarf, btf = translate(script, release, None), translate(script, release, '/nonexistent')
    differ = 0
    for i, f in enumerate(fields):
        if i not in dwarf or dwarf[i] != btf.get(i) or not is_read_by(f, dwarf[i]):
            differ += 1
            print('DIFFER %s (%s at bit %d, %d bytes, %d bits)\n%s\n---\n%s' % (
                f.text, f.kind, f.offset, f.size, f.bits, dwarf.get(i), btf.get(i)))
    print('FIELDS n=%d differ=%d %s' % (len(fields), differ, ' '.join('%s=%d' % k for k in sorted(count.items()))))


main()
