#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the language server's answers about scripts. Usage: features.py STAP TEST [RELEASE]; the functions are the
tests. The character | marks positions in the text."""
import os
import subprocess
import sys
from client import Client, part

URI = 'file:///tmp/feature.stp'
STAP = sys.argv[1]
RELEASE = sys.argv[3] if len(sys.argv) > 3 else ''


def same(got, want):
    if got != want:
        raise AssertionError('got %r, want %r' % (got, want))


def server():
    client = Client(STAP, *(['-r', RELEASE] if RELEASE else ['--runtime=user']))
    client.initialize()
    return client


def ask(client, method, text, **more):
    before, _, after = text.partition('|')
    client.open(URI, before + after)
    line = before.count('\n')
    return client.at(method, URI, line, len(before) - before.rfind('\n') - 1, **more)


def labels(client, text):
    return [item['label'] for item in ask(client, 'completion', text)]


def has(list_, *wanted):
    for word in wanted:
        if word not in list_:
            raise AssertionError('%r is not in %r' % (word, list_[:40]))


def hover(client, text):
    found = ask(client, 'hover', text)
    return found and found['contents']['value']


def complete_names():
    client = server()
    has(labels(client, 'probe begin { execn|'), 'execname(')
    has(labels(client, 'global counter\nfunction mine(a) { return a }\nprobe begin { local_one = 1; |'), 'counter', 'mine', 'local_one')
    has(labels(client, 'pr|'), 'probe ')
    has(labels(client, 'probe ti|'), 'timer')
    has(labels(client, 'probe timer.m|'), 'ms(')
    has(labels(client, 'probe begin { @choose|'), 'choose_defined')
    same(labels(client, 'probe begin { # execn|\n}'), [])
    has(labels(client, '# comment\nfirst second|'), 'first')
    same(labels(client, 'probe begin { "execn|" }'), [])
    item = [i for i in ask(client, 'completion', 'probe begin {\n\té = execn|(1) }') if i['label'] == 'execname'][0]
    same(item['textEdit'], {'range': part(1, 5, 10), 'newText': 'execname'})
    same(client.finish(), 0)


def complete_variables():
    if not RELEASE:
        raise SystemExit(77)
    client = server()
    has(labels(client, 'probe kernel.function("vfs_read") { println($|) }'), '$file', '$count', '$$parms')
    has(labels(client, 'probe kernel.function("vfs_read"), kernel.function("vfs_write") if (1) { x = $fi|'), '$file')
    has(labels(client, 'probe vfs.read { println(|) }'), 'bytes_to_read', 'pathname')
    has(labels(client, 'probe kernel.function("vfs_read") { println($file->|) }'), 'f_path', 'f_flags')
    has(labels(client, 'probe kernel.function("vfs_read") { println($file->f_path->dentry->d_n|) }'), 'd_name')
    has(labels(client, 'probe kernel.function("vfs_read") { println($file->f_path->dentry->d_iname[0]->|'))
    same(labels(client, 'probe kernel.function("vfs_read") { println($count->|) }'), [])
    has(labels(client, 'probe kernel.function("vfs_rea|")'), 'vfs_read')
    has(labels(client, 'probe vfs.rea|'), 'read')
    same(client.finish(), 0)


def hover_names():
    client = server()
    text = '// Adds.\nfunction mine(a:long) { return a + 1 }\nglobal n // not of mine\nprobe begin { n[execname()] = mi|ne(2) }'
    same(hover(client, text), '```systemtap\nfunction mine:long(a:long)\n```\n\n```text\nAdds.\n```\n')
    has(hover(client, 'global n\nprobe begin { |n[execname()] = 1 }').split('\n'), 'global n[string]:long')
    has(hover(client, 'probe begin { name = execname() println(na|me) }').split('\n'), 'local name:string')
    value = hover(client, 'probe begin { println(exec|name()) }')
    has(value.split('\n'), 'function execname:string()')
    same('The name' in value or 'name' in value.split('```text')[1], True)
    same(hover(client, 'probe begin { # com|ment\n}'), None)
    same(hover(client, 'probe begin { unkn|own(1) }'), None)
    same(client.finish(), 0)


def hover_kernel():
    if not RELEASE:
        raise SystemExit(77)
    client = server()
    has(hover(client, 'probe kernel.function("vfs_read") { println($fi|le) }').split('\n'), 'struct file* $file')
    has(hover(client, 'probe kernel.function("vfs_read") { println($file->f_fl|ags) }').split('\n'), 'unsigned int f_flags')
    value = hover(client, 'probe vfs.re|ad { exit() }')
    has(value.split('\n'), 'probe vfs.read = kernel.function("vfs_read")', 'vfs.read - a read of a file.')
    same('kernel.function("vfs_read@' in value, True)
    same(client.finish(), 0)


def definitions():
    client = server()
    text = 'global n\nfunction f(a) { return a }\nprobe begin { x = f(n) println(x) }'
    for before, line, start, end in (('f(|n)', 0, 7, 8), ('= |f(n)', 1, 9, 10), ('println(|x)', 2, 14, 15)):
        found = ask(client, 'definition', text.replace(before.replace('|', ''), before))
        same(found, {'uri': URI, 'range': part(line, start, end)})
    found = ask(client, 'definition', 'probe begin { println(exec|name()) }')
    path = found['uri'].replace('file://', '')
    line = found['range']['start']['line']
    same('execname' in open(path).read().split('\n')[line], True)
    same(ask(client, 'definition', 'probe begin { println(|1) }'), None)
    same(client.finish(), 0)


def definition_in_program():
    if not RELEASE:
        raise SystemExit(77)
    source = os.environ['TMPDIR'] + '/zebra one.c'
    with open(source, 'w') as f:
        f.write('\n\nint zebra(int stripes)\n{ return stripes; }\nint main(void) { return zebra(1); }\n')
    program = os.environ['TMPDIR'] + '/zebra'
    subprocess.run(['gcc', '-g', '-o', program, source], check=True)
    client = server()
    text = 'probe process("%s").function("zeb|ra") { println($stripes) }' % program
    same(ask(client, 'definition', text), {'uri': 'file://' + source.replace(' ', '%20'), 'range': part(2, 0, 0)})
    same('zebra@' in hover(client, text), True)
    same(client.finish(), 0)


def rename():
    client = server()

    def result(text, name):
        found = ask(client, 'rename', text, newName=name)
        if 'changes' not in found:
            same(found['code'], -32803)        # RequestFailed
            return found['message']
        lines = text.replace('|', '').split('\n')
        for edit in reversed(found['changes'][URI]):
            at = edit['range']['start']
            line = lines[at['line']]
            lines[at['line']] = line[:at['character']] + edit['newText'] + line[edit['range']['end']['character']:]
        return '\n'.join(lines)

    text = 'global n\nprobe begin { n++ x = |x + $n->n }\nprobe end { println(n) x = 2 println(x) }'
    same(result(text, 'y'), 'global n\nprobe begin { n++ y = y + $n->n }\nprobe end { println(n) x = 2 println(x) }')
    same(result(text.replace('|', '').replace('n++', '|n++'), 'm'),
         'global m\nprobe begin { m++ x = x + $n->n }\nprobe end { println(m) x = 2 println(x) }')
    same(result(text, 'n'), 'the name "n" is used already')
    same(result('global n\nprobe begin { n = 1 }\nprobe end { |x = 2 println(x) }', 'n'), 'the name "n" is used already')
    for bad in 'foreach', '1a', '', 'a b', '$a', 'println', 'a-':
        same(result(text, bad), '"%s" is not a valid name: use letters, digits and "_", and no keyword' % bad)
    same(result('probe begin { exec|name() }', 'a'), '"execname" is not a function of this script, so it cannot be renamed')
    same(result('function f(a) { return a }\nprobe begin { |f(1) }', 'g'), 'function g(a) { return a }\nprobe begin { g(1) }')
    same(result('probe timer.|ms(1) { ms = 1 }', 'g'), 'only variables and functions of the script can be renamed')
    same(result('function f(|a) %{ STAP_RETVALUE = STAP_ARG_a; %}\nprobe begin { f(1) }', 'b'),
         'embedded C may refer to "a", so it is not renamed')
    same(client.finish(), 0)


def formatting():
    client = server()
    client.open(URI, 'probe begin{println("é")   exit()}')
    edits = client.request('textDocument/formatting', {'textDocument': {'uri': URI}, 'options': {}})
    same([e['newText'] for e in edits], ['probe begin { println("é")   exit() }\n'.replace('   ', ' ')])
    client.open(URI, edits[0]['newText'])
    same(client.request('textDocument/formatting', {'textDocument': {'uri': URI}}), [])
    client.open(URI, 'probe begin {')
    same(client.request('textDocument/formatting', {'textDocument': {'uri': URI}}), None)
    same(client.finish(), 0)


def tokens_and_symbols():
    client = server()
    client.open(URI, '/* é𝒳\n x */ probe timer.s(1) {\n\tf($a->b, "s")\n}\nglobal n\nfunction f(x) { return x }')
    data = client.request('textDocument/semanticTokens/full', {'textDocument': {'uri': URI}})['data']
    rows = [tuple(data[i:i + 4]) for i in range(0, len(data), 5)]
    same(rows[:11], [(0, 0, 6, 3), (1, 0, 5, 3), (0, 6, 5, 0), (0, 6, 5, 8), (0, 6, 1, 8), (0, 2, 1, 2), (1, 1, 1, 4),
                     (0, 2, 2, 7), (0, 4, 1, 9), (0, 3, 3, 1), (2, 0, 6, 0)])
    found = client.request('textDocument/documentSymbol', {'textDocument': {'uri': URI}})
    same([(s['name'], s['kind']) for s in found], [('timer.s(1)', 24), ('n', 13), ('f', 12)])
    same(client.finish(), 0)


def cancelled():
    """A request that is cancelled while its child runs or waits is answered once, with an error or a result."""
    client = server()
    client.open(URI, 'probe begin { ' + 'x = execname() ' * 20000 + '}')
    place = {'textDocument': {'uri': URI}, 'position': {'line': 0, 'character': 19}}
    numbers = [client.start('textDocument/hover', place) for _ in range(12)]
    for number in numbers:
        client.notify('$/cancelRequest', {'id': number})
    codes = [client.answer(number).get('error', {}).get('code') for number in numbers]
    same((set(codes) <= {None, -32800}, codes[-1]), (True, -32800))
    same(client.finish(), 0)


def not_open():
    client = server()
    same(client.at('hover', 'file:///nowhere', 0, 0)['code'], -32600)
    client.open(URI, 'probe begin { exit() }')
    for params in {}, {'textDocument': 3}, {'textDocument': {'uri': URI}, 'position': {'line': 'a'}}:
        client.request('textDocument/hover', params)
    same(client.finish(), 0)


if __name__ == '__main__':
    globals()[sys.argv[2]]()
