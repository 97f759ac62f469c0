#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the language server's protocol. Usage: protocol.py STAP TEST; the functions are the tests."""
import os
import sys
from client import Client, part

URI = 'file:///tmp/a%20b.stp'
STAP = sys.argv[1]


def server(*options):
    client = Client(STAP, *(options or ['--runtime=user']))
    client.initialize()
    return client


def same(got, want):
    if got != want:
        raise AssertionError('got %r, want %r' % (got, want))


def errors(diagnostics):
    return [(d['range'], d['message']) for d in diagnostics if d['severity'] == 1]


def lifecycle():
    client = Client(STAP, '--runtime=user')
    same(client.request('textDocument/hover')['code'], -32002)
    sync = client.initialize()['capabilities']['textDocumentSync']
    same((sync['openClose'], sync['change']), (True, 2))
    same(client.request('initialize')['code'], -32600)
    same(client.finish(), 0)
    client = server()
    client.notify('exit')              # without shutdown
    same(client.process.wait(300), 1)
    client = server()
    client.process.stdin.close()
    same(client.process.wait(300), 1)


def unknown_methods():
    client = server()
    same(client.request('workspace/nonsense')['code'], -32601)
    client.notify('$/nonsense')
    client.notify('textDocument/didChange', {'textDocument': {'uri': 'file:///not/open'}, 'contentChanges': 'x'})
    client.notify('textDocument/didClose')
    client.send({'id': 'text', 'method': 'x'})
    same(client.answer('text')['error']['code'], -32601)
    client.send({'id': {}, 'method': 'x'})
    same(client.answer(None)['error']['code'], -32600)
    client.send({'id': 77})
    same(client.answer(77)['error']['code'], -32600)
    client.send({'id': 78, 'result': None})    # an answer to a request that the server never sent
    same(client.finish(), 0)


def damaged_messages():
    client = server()
    for data in (b'Content-Length: 5\r\n\r\n{"a":', b'Content-Length: x\r\n\r\n', b'Nonsense\r\n\r\n',
                 b'Content-Length: -1\r\n\r\n', b'Content-Length: 99999999999999999999999\r\n\r\n', b'Content-Length: 0\r\n\r\n',
                 b'x' * 10000 + b'\r\n\r\n', b'Content-Length: 4000\r\n\r\n' + b'[' * 4000, b'Content-Length: 3\r\n\r\n\xff\xfe\x00'):
        client.raw(data)
        same(client.answer(None)['error']['code'], -32700)
    client.raw(b'Content-Length: 2\r\n\r\n[]')
    same(client.answer(None)['error']['code'], -32600)
    same(client.check(URI, 'probe begin { exit() }'), [])
    same(client.finish(), 0)


def huge_messages():
    client = server()
    size = 80 << 20
    client.raw(b'Content-Length: %d\r\n\r\n' % size)
    same(client.answer(None)['error']['code'], -32700)
    for _ in range(80):
        client.raw(b'x' * (1 << 20))
    client.open(URI, 'probe begin { exit() }\n' + '#' * (5 << 20))
    same(client.diagnostics(URI)[0]['message'], 'the script is larger than 4 MB')
    same(client.check(URI, 'probe begin { exit() }\n' + '#' * (3 << 20)), [])
    same(client.finish(), 0)


def pieces():
    """A message that arrives byte by byte, two messages in one piece, other header fields."""
    client = server()
    text = b'{"jsonrpc":"2.0","id":5,"method":"x"}'
    for byte in b'content-length:  %d\r\nContent-Type: a; charset=utf-8\r\n\r\n' % len(text) + text:
        client.raw(bytes([byte]))
    same(client.answer(5)['error']['code'], -32601)
    client.raw((b'Content-Length: %d\r\n\r\n' % len(text) + text) * 2)
    same([client.answer(5)['error']['code'] for _ in range(2)], [-32601] * 2)
    same(client.finish(), 0)


def diagnostics():
    client = server()
    same(errors(client.check(URI, 'probe begin { exit() ')), [(part(0, 12, 13), 'unterminated "{" ("}" is missing)')])
    same(errors(client.check(URI, 'probe begin {\n  printn("x")\n}')),
         [(part(1, 2, 8), 'unresolved function "printn" (similar: print, println, printd, printf, printk)')])
    found = client.check(URI, 'global n\nprobe begin { @[comm] = 1 }')
    same(found[0]['message'].split('\n')[1], 'note: maps have plain names here: "global n", then n[execname()]++')
    found = client.check(URI, 'global n, unused\nprobe begin { n = 1 println(n) }')
    same([(d['severity'], d['range'], d['source']) for d in found], [(2, part(0, 10, 16), 'stap')])
    same(client.check(URI, 'function f(a) { return a }'), [])              # no probe, as in a library file
    same(client.check(URI, 'probe begin { println($1, @2) }'), [])         # arguments that the editor does not know
    same(client.check(URI, 'probe $1 { println(1) }'), [])
    same([message for _, message in errors(client.check(URI, ''))], ['the script is empty: no probes found'])
    client.notify('textDocument/didClose', {'textDocument': {'uri': URI}})
    same(client.diagnostics(URI), [])
    same(client.finish(), 0)


def no_state_between_checks():
    client = server()
    for _ in range(3):
        same(len(errors(client.check(URI, 'global n function f() { return 1 } probe begin { printn(f()) }'))), 1)
        same(client.check(URI, 'global n function f() { return 2 } probe begin { n = f() println(n) }'), [])
    other = 'untitled:1'
    same(len(errors(client.check(other, 'probe begin { f() }'))), 1)
    same(client.finish(), 0)


def utf16_positions():
    """Characters of one, two, three and four bytes before an error, and in replaced ranges; lines that end in CR LF."""
    client = server()
    same(errors(client.check(URI, 'probe begin { s = "aé€𝒳" println(s) zz() }'))[0][0], part(0, 37, 39))
    client.change(URI, 2, {'range': part(0, 22, 24), 'text': '𝒳𝒳'})
    same(errors(client.diagnostics(URI, 2))[0][0], part(0, 39, 41))
    client.change(URI, 3, {'text': '# é𝒳\r\nprobe begin { zz() }\r\n'}, {'range': part(0, 2, 99), 'text': 'x'},
                  {'range': part(1, 14, 16), 'text': 'exit'})
    same(client.diagnostics(URI, 3), [])
    client.change(URI, 4, {'range': part(9, 0, 99, 99), 'text': 'probe end { zz() }'})
    same(errors(client.diagnostics(URI, 4))[0][0], part(2, 12, 14))
    client.change(URI, 5, {'range': part(2, 14, 12), 'text': 'a'}, {'range': part(-3, -5, -7, -9), 'text': '#'})
    same(client.diagnostics(URI, 5)[0]['message'], 'unresolved function "zza"')
    same(client.finish(), 0)


def fast_typing():
    """Only the diagnostics of the last version must arrive; a check of an older text is ended."""
    client = server()
    text = 'probe begin { println("x") exit() }'
    client.open(URI, '')
    for i in range(len(text)):
        client.change(URI, i + 2, {'range': part(0, i, i), 'text': text[i]})
    same(client.diagnostics(URI, len(text) + 1), [])
    client.change(URI, 2 ** 31 - 1, {'text': ' ' + text})
    same(client.diagnostics(URI, 2 ** 31 - 1), [])
    client.notify('textDocument/didChange', {'textDocument': {'uri': URI}, 'contentChanges': [{'text': text}]})
    same(client.diagnostics(URI, 2 ** 31 - 1), [])         # without a version
    same(client.finish(), 0)


def failures_of_the_machine():
    """die() in a check: a kernel that is not installed."""
    client = server('-r', '9.9.9-none')
    found = client.check(URI, 'probe kernel.function("vfs_read") { exit() }')
    same((len(found), found[0]['severity'], found[0]['range']), (1, 2, part(0, 0, 0)))
    same(errors(client.check(URI, 'probe begin {'))[0][0], part(0, 12, 13))
    same(client.finish(), 0)


def leaves_nothing():
    """After any kind of end, no temporary directory and no process remains."""
    directory = os.environ['TMPDIR']
    for end in 'finish', 'close', 'terminate':
        client = server()
        client.open(URI, 'probe begin { exit() }')
        if end == 'finish':
            client.finish()
        elif end == 'close':
            client.process.stdin.close()
        else:
            client.process.terminate()
        client.process.wait(300)
        same(os.listdir(directory), [])


if __name__ == '__main__':
    globals()[sys.argv[2]]()
