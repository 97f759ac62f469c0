# SPDX-License-Identifier: GPL-2.0-or-later
"""A small client of the language server: sends messages, or any bytes, and reads the answers."""
import json
import subprocess


class Client:
    def __init__(self, stap, *options):
        self.process = subprocess.Popen([stap, *options, '--language-server'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.number = 0
        self.pending = []              # messages that arrived before the wanted one

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        text = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.raw(b'Content-Length: %d\r\n\r\n' % len(text) + text)

    def read(self):
        """Returns the next message of the server, None at the end."""
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                return None
            if line == b'\r\n':
                return json.loads(self.process.stdout.read(length))
            length = int(line.split(b':')[1])

    def wait(self, wanted):
        for i, message in enumerate(self.pending):
            if wanted(message):
                return self.pending.pop(i)
        while True:
            message = self.read()
            if message is None or wanted(message):
                return message
            self.pending.append(message)

    def start(self, method, params=None):
        self.number += 1
        self.send({'id': self.number, 'method': method, 'params': params or {}})
        return self.number

    def answer(self, number):
        return self.wait(lambda m: 'method' not in m and m.get('id') == number)

    def request(self, method, params=None):
        """Returns the result of a request, or its error."""
        message = self.answer(self.start(method, params))
        return message.get('result') if 'result' in message else message['error']

    def notify(self, method, params=None):
        self.send({'method': method, 'params': params or {}})

    def initialize(self):
        result = self.request('initialize', {'capabilities': {}})
        self.notify('initialized')
        return result

    def open(self, uri, text):
        self.notify('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': 'systemtap', 'version': 1, 'text': text}})

    def change(self, uri, version, *changes):
        self.notify('textDocument/didChange', {'textDocument': {'uri': uri, 'version': version}, 'contentChanges': list(changes)})

    def diagnostics(self, uri, version=None):
        """Returns the next diagnostics of the text, or those of one version of it."""
        message = self.wait(lambda m: m.get('method') == 'textDocument/publishDiagnostics' and m['params']['uri'] == uri and
                            version in (None, m['params']['version']))
        return message['params']['diagnostics']

    def check(self, uri, text):
        self.open(uri, text)
        return self.diagnostics(uri)

    def at(self, method, uri, line, character, **more):
        return self.request('textDocument/' + method, {'textDocument': {'uri': uri}, **more,
                                                       'position': {'line': line, 'character': character}})

    def finish(self):
        """Shuts the server down; returns its exit status."""
        self.request('shutdown')
        self.notify('exit')
        return self.process.wait(300)


def part(line, start, character, end_line=None):
    """Returns a range of the protocol."""
    return {'start': {'line': line, 'character': start},
            'end': {'line': line if end_line is None else end_line, 'character': character}}
