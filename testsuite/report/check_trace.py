#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Strictly parses trace events: check_trace.py calls FILE (of write_session.py 3) or check_trace.py timers FILE.
# Prints problems.
import json
import sys

REQUIRED = {'B': {'name', 'args'}, 'E': set(), 'i': {'name', 'args', 's'}, 'C': {'name', 'args'}, 'M': {'name', 'args'}}


def expect(what, got, wanted):
    if got != wanted:
        print('%s: %r, not %r' % (what, got, wanted))


def events(path):
    file = json.load(open(path, encoding='utf-8'))
    expect('members', sorted(file), ['displayTimeUnit', 'traceEvents'])
    tracks = {}
    for e in file['traceEvents']:
        members = {'ph', 'pid', 'tid', 'ts'} | REQUIRED[e['ph']]
        if not members <= set(e) or not set(e) <= members | {'name', 'args'}:
            print('members', e)
        if e['ph'] == 'M':
            continue
        if any(type(e[m]) is not int for m in ('pid', 'tid')) or e['ts'] < 0:
            print('types', e)
        last, depth = tracks.get((e['pid'], e['tid']), (0, 0))
        depth += {'B': 1, 'E': -1}.get(e['ph'], 0)
        if e['ts'] < last or depth < 0:
            print('order', e)
        tracks[e['pid'], e['tid']] = e['ts'], depth
    expect('open slices', [t for t in tracks if tracks[t][1]], [])
    return file['traceEvents']


def check_calls(path):
    all_events = events(path)
    expect('thread 100', [(e['ph'], e['ts']) for e in all_events if e['tid'] == 100 and e['ph'] != 'M'],
           [('B', 0), ('i', .2), ('E', .4), ('B', 1), ('i', 1.2), ('E', 1.4), ('B', 2), ('i', 2.2), ('E', 2.2)])
    expect('thread 200', ''.join(e['ph'] for e in all_events if e['tid'] == 200), 'MBEBEBE')
    expect('names', [(e['tid'], e['args']['name']) for e in all_events if e['ph'] == 'M'], [(100, 'c100'), (200, 'c200')])
    expect('text', all_events[1]['args'], {'text': 'tid=100 comm=c100'})
    expect('warning', [e['args']['text'] for e in all_events if e.get('s') == 'g'], ['careful'])


def check_timers(path):
    all_events = events(path)
    counters = [e['args'] for e in all_events if e['ph'] == 'C']
    expect('counters', counters[:2], [{'reads': 0}, {'reads': 1}])
    plain = [e for e in all_events if e.get('s') == 't']
    expect('tracks', [e['tid'] > 1 << 22 for e in plain], [True, False])
    expect('text', plain[0]['args']['text'], 'plain "1"')
    if 'CPUs' not in [e['args']['name'] for e in all_events if e['ph'] == 'M']:
        print('the CPUs have no names')


if __name__ == '__main__':
    {'calls': check_calls, 'timers': check_timers}[sys.argv[1]](sys.argv[2])
