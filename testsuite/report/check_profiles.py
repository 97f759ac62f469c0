#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Strictly checks the profiles that stap-report writes for stacks.stp: check_profiles.py KIND FILE. Prints problems.
import gzip
import json
import sys


def expect(what, got, wanted):
    if got != wanted:
        print('%s: %r, not %r' % (what, got, wanted))


# Stacks, from the outermost frame on.
MAIN = ('0x7f0000000008', None), ('main', '/usr/bin/cat'), ('ksys_read', 'kernel')
CALLS = {MAIN + (('vfs_read', 'kernel'), ('cat', None)): 7, MAIN + (('a "quoted" \ufffd name', None),): 2}
BYTES = {MAIN: 128, (('one frame', None),): 1}


def check_speedscope(path):
    file = json.load(open(path, encoding='utf-8'))
    expect('members', sorted(file), ['$schema', 'exporter', 'profiles', 'shared'])
    expect('schema', file['$schema'], 'https://www.speedscope.app/file-format-schema.json')
    frames = []
    for frame in file['shared']['frames']:
        if not set(frame) <= {'name', 'file', 'line', 'col'} or not isinstance(frame['name'], str):
            print('frame', frame)
        frames.append((frame['name'], frame.get('file')))
    expect('frames are different', len(set(frames)), len(frames))
    profiles = {}
    for p in file['profiles']:
        expect('members', sorted(p), ['endValue', 'name', 'samples', 'startValue', 'type', 'unit', 'weights'])
        expect('type', [p['type'], p['unit'], p['startValue']], ['sampled', 'none', 0])
        expect('end', p['endValue'], sum(p['weights']))
        expect('weights', len(p['weights']), len(p['samples']))
        if any(type(w) is not int or w <= 0 for w in p['weights']):
            print('weights', p['weights'])
        profiles[p['name']] = {tuple(frames[f] for f in s): w for s, w in zip(p['samples'], p['weights'])}
    expect('profiles', profiles, {'calls': CALLS, 'bytes': BYTES})


def varint(data, at):
    n = shift = 0
    while True:
        n |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return n, at


# Returns the fields of a message: {number: [value, ...]}.
def message(data):
    fields, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            if at + value > len(data):
                raise ValueError('a field ends after its message')
            value, at = data[at:at + value], at + value
        elif tag & 7:
            raise ValueError('wire type %d' % (tag & 7))
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def check_pprof(path):
    profile = message(gzip.open(path).read())
    expect('fields', set(profile) - {1, 2, 3, 4, 5, 6, 9}, set())
    strings = [s.decode(errors='replace') for s in profile[6]]
    expect('string 0', strings[0], '')

    def table(field):
        rows = [message(m) for m in profile[field]]
        expect('ids of %d' % field, sorted(r[1][0] for r in rows), list(range(1, len(rows) + 1)))
        return {r[1][0]: r for r in rows}
    mappings, locations, functions = table(3), table(4), table(5)
    types = [strings[message(t)[1][0]] for t in profile[1]]
    expect('units', {strings[message(t)[2][0]] for t in profile[1]}, {'count'})
    found = {}
    for sample in map(message, profile[2]):
        stack = []
        for l in reversed(sample[1]):
            location = locations[l]
            function = functions[message(location[4][0])[1][0]]
            module = strings[mappings[location[2][0]][5][0]] if location[2][0] else None
            expect('file', strings[function[4][0]] or None, module)
            stack.append((strings[function[2][0]], module))
        for label in map(message, sample.get(3, [])):
            expect('label', strings[label[1][0]], 'key2')
            stack.append((strings[label[2][0]], None))
        expect('values', len(sample[2]), len(types))
        for t, value in zip(types, sample[2]):
            if value:
                found.setdefault(t, {})[tuple(stack)] = signed(value)
    expect('samples', found, {'calls': {**CALLS, MAIN + (('negative', None),): -1},
                              'bytes.count': {MAIN: 2, (('one frame', None),): 1}, 'bytes.sum': BYTES})
    expect('addresses', sorted(l[3][0] for l in locations.values()),
           [0, 0x401030, 0x7f0000000008, 0xffffffff81000010, 0xffffffff82000020])


if __name__ == '__main__':
    {'speedscope': check_speedscope, 'pprof': check_pprof}[sys.argv[1]](sys.argv[2])
