#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the output of stap-report for values.stp: check.py schema SCHEMA FILE..., check.py values FILE SAFE-FILE,
# check.py csv FILE. Prints problems.
import base64
import csv
import json
import sys

import jsonschema


def lines(path):
    return [json.loads(line) for line in open(path, encoding='utf-8')]


def check_schema(path, files):
    validator = jsonschema.Draft7Validator(json.load(open(path)))
    for file in files:
        for number, line in enumerate(lines(file), 1):
            for error in validator.iter_errors(line):
                print('%s:%d: %s' % (file, number, error.message))


def expect(what, got, wanted):
    if got != wanted:
        print('%s: %r, not %r' % (what, got, wanted))


def check_values(file, safe_file):
    objects = lines(file)
    prints = [o for o in objects if o['type'] == 'print']
    expect('args', prints[0]['args'], {'name': 'wörld', 'n': -1, '3': 255, '4': 42, '5': 'ab', '6': 65})
    expect('text', prints[0]['text'], 'name=wörld n=-1 hex=0xff|   42|ab    |A|%\n')
    expect('text', prints[1]['text'], 'ab|      3|+4|010\n')
    expect('args', prints[2]['args'], {'x': 'a"b\\c'})
    expect('bytes', base64.b64decode(prints[2]['text_base64']), b'raw \xff x="a"b\\c"\n')
    first = [o for o in objects if o['type'] == 'hist'][0]
    expect('hist', [first['count'], first['sum'], sum(b['count'] for b in first['buckets'])], [7, 952, 7])
    named = [o for o in objects if o.get('label')]
    expect('names', [[o['type'], o['label'], o['unit']] for o in named], [[t, 'time of "waits"', 'ms'] for t in ('hist', 'stats')])
    values = {(o['name'], tuple(o['keys'])): o for o in objects if o['type'] in ('map', 'stats')}
    expect('number', values['number', ()]['value'], -5)
    expect('scalar', values['scalar', ()]['value'], 'quote " tab \t end')
    expect('control', values['texts', ('line\none',)]['value'], '\x01 control')
    odd = [o for o in objects if 'keys_base64' in o]
    expect('key', base64.b64decode(odd[0]['keys_base64']['0']), b'bytes \xff\xfe')
    expect('value', base64.b64decode(odd[0]['value_base64']), b'\xc0\x80')
    expect('large', values['large', ()]['value'], 9007199254740993)
    expect('unread', values['unread', (1,)]['value'], 2)
    expect('both', values['both', (3, 'x,"1')]['value'], 55)
    expect('stats', [values['stats', ('k1',)][k] for k in ('count', 'sum', 'avg')], [7, 952, 136])
    linear = values['linear', ()]['buckets']
    expect('below', linear[0], {'lo': None, 'hi': -1, 'count': 3})
    expect('above', linear[-1]['hi'], None)
    expect('warning', [o['text'] for o in objects if o['type'] == 'warning'],
           ['a value is outside of the range of @hist_linear in probe begin', 'careful'])
    expect('ends', [objects[0]['type'], {k: v for k, v in objects[-1].items() if k != 'probes'}], ['begin', {'type': 'end', 'status': 0}])
    probes = objects[-1]['probes']
    expect('hits', [[p['probe'], p['hits']] for p in probes if p['place'].startswith('/')], [['begin', 1], ['end', 1]])
    for p in probes:
        if not 0 < p['min_ns'] <= p['max_ns'] <= p['sum_ns']:
            print('cost', p)
    if any('unread' in o['text'] for o in prints):
        print('the display of unread globals is printed twice')
    safe = {o['name']: o for o in lines(safe_file) if o['type'] == 'map'}
    expect('safe', [safe['large']['value'], safe['number']['value']], ['9007199254740993', -5])
    expect('types', [o['value_type'] for o in (safe['large'], safe['number'], safe['scalar'])], ['number', 'number', 'string'])
    expect('key types', [safe[n]['key_types'] for n in ('both', 'texts', 'large')], [['number', 'string'], ['string'], []])
    expect('argument types', [o['arg_types'] for o in lines(safe_file) if 'args' in o][0],
           {'name': 'string', 'n': 'number', '3': 'number', '4': 'number', '5': 'string', '6': 'number'})


def check_csv(file):
    tables, head = {}, None
    for row in csv.reader(open(file, newline='', encoding='utf-8', errors='surrogateescape')):
        if not row:
            head = None
        elif not head:
            head = row
        else:
            tables.setdefault(row[0], []).append(dict(zip(head, row)))
    expect('both', [(r['key1'], r['key2'], r['value']) for r in tables['both']],
           [(str(i), 'x,"%d' % (i % 2), str(v)) for i, v in enumerate((40, 45, 50, 55))])
    expect('stats', [r['sum'] for r in tables['stats']], ['819', '952', '699'])
    expect('texts', tables['texts'][0]['key1'], 'line\none')


if __name__ == '__main__':
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == 'schema':
        check_schema(arguments[0], arguments[1:])
    elif what == 'values':
        check_values(*arguments)
    else:
        check_csv(*arguments)
