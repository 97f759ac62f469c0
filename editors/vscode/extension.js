// SPDX-License-Identifier: GPL-2.0-or-later
// Connects VS Code to "stap --language-server", without libraries: frames messages, keeps the server's copy of each
// script up to date, and turns answers into objects of VS Code.
'use strict';
const vscode = require('vscode');
const { spawn } = require('child_process');

const LANGUAGE = 'systemtap';
let server = null;                     // of class Server
let diagnostics = null;

const range = r => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const position = p => ({ line: p.line, character: p.character });
const isScript = document => document.languageId === LANGUAGE;

class Server {
    constructor() {
        const settings = vscode.workspace.getConfiguration('stap');
        this.number = 0;
        this.waiting = new Map();      // id of a request -> { resolve, reject }
        this.input = Buffer.alloc(0);
        this.process = spawn(settings.get('path'), [...settings.get('arguments'), '--language-server']);
        this.process.on('error', error => this.fail(`cannot start "${settings.get('path')}": ${error.message}`));
        this.process.on('exit', code => this.fail(code ? `stap ended with status ${code}` : ''));
        this.process.stdin.on('error', () => {});
        this.process.stdout.on('data', data => this.receive(data));
        this.ready = this.request('initialize', { processId: process.pid, capabilities: {} }).then(result => {
            this.legend = result.capabilities.semanticTokensProvider.legend;
            this.notify('initialized', {});
            vscode.workspace.textDocuments.filter(isScript).forEach(document => this.open(document));
        });
        this.ready.catch(() => {});
    }

    fail(why) {
        this.ended = true;
        this.waiting.forEach(({ reject }) => reject(new Error(why)));
        this.waiting.clear();
        if (why && !this.stopped)
            vscode.window.showErrorMessage(`Language server of stap: ${why}. The setting stap.path selects the program.`);
    }

    send(message) {
        const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
        if (!this.ended)
            this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]));
    }

    notify(method, params) {
        this.send({ method, params });
    }

    request(method, params, token) {
        const id = ++this.number;
        if (token)
            token.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.send({ id, method, params });
        });
    }

    receive(data) {
        this.input = Buffer.concat([this.input, data]);
        for (;;) {
            const end = this.input.indexOf('\r\n\r\n');
            const length = end < 0 ? NaN : Number(/content-length: *(\d+)/i.exec(this.input.toString('latin1', 0, end))[1]);
            if (!(this.input.length >= end + 4 + length))
                return;
            const text = this.input.toString('utf8', end + 4, end + 4 + length);
            this.input = this.input.subarray(end + 4 + length);
            this.handle(JSON.parse(text));
        }
    }

    handle(message) {
        const waiting = this.waiting.get(message.id);
        if (message.method === 'textDocument/publishDiagnostics') {
            diagnostics.set(vscode.Uri.parse(message.params.uri), message.params.diagnostics.map(toDiagnostic));
        } else if (waiting) {
            this.waiting.delete(message.id);
            if (message.error)
                waiting.reject(new Error(message.error.message));
            else
                waiting.resolve(message.result);
        }
    }

    open(document) {
        this.notify('textDocument/didOpen', { textDocument: {
            uri: document.uri.toString(), languageId: LANGUAGE, version: document.version, text: document.getText() } });
    }

    change(event) {
        this.notify('textDocument/didChange', {
            textDocument: { uri: event.document.uri.toString(), version: event.document.version },
            contentChanges: event.contentChanges.map(c => ({
                range: { start: position(c.range.start), end: position(c.range.end) }, text: c.text })) });
    }

    async stop() {
        this.stopped = true;
        await this.request('shutdown', {}).catch(() => {});
        this.notify('exit', {});
        this.process.stdin.end();
    }
}

function toDiagnostic(d) {
    const result = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
    result.source = d.source;
    result.relatedInformation = (d.relatedInformation || []).map(r => new vscode.DiagnosticRelatedInformation(
        new vscode.Location(vscode.Uri.parse(r.location.uri), range(r.location.range)), r.message));
    return result;
}

async function ask(method, document, at, token, more) {
    await server.ready;
    return server.request(`textDocument/${method}`, {
        textDocument: { uri: document.uri.toString() }, ...(at ? { position: position(at) } : {}), ...more }, token);
}

const edits = list => (list || []).map(e => new vscode.TextEdit(range(e.range), e.newText));

function toItem(item) {
    const result = new vscode.CompletionItem(item.label, item.kind - 1);
    result.detail = item.detail;
    result.filterText = item.filterText;
    result.insertText = item.textEdit.newText;
    result.range = range(item.textEdit.range);
    return result;
}

const providers = {
    async provideCompletionItems(document, at, token) {
        return (await ask('completion', document, at, token)).map(toItem);
    },
    async provideHover(document, at, token) {
        const found = await ask('hover', document, at, token);
        return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), range(found.range));
    },
    async provideDefinition(document, at, token) {
        const found = await ask('definition', document, at, token);
        return found && new vscode.Location(vscode.Uri.parse(found.uri), range(found.range));
    },
    async provideDocumentFormattingEdits(document, options, token) {
        return edits(await ask('formatting', document, null, token, { options }));
    },
    async prepareRename(document, at, token) {
        return range(await ask('prepareRename', document, at, token));
    },
    async provideRenameEdits(document, at, newName, token) {
        const result = new vscode.WorkspaceEdit();
        const found = await ask('rename', document, at, token, { newName });
        Object.keys(found.changes).forEach(uri => result.set(vscode.Uri.parse(uri), edits(found.changes[uri])));
        return result;
    },
    async provideDocumentSymbols(document, token) {
        return (await ask('documentSymbol', document, null, token)).map(s =>
            new vscode.DocumentSymbol(s.name, '', s.kind - 1, range(s.range), range(s.selectionRange)));
    },
    async provideDocumentSemanticTokens(document, token) {
        return new vscode.SemanticTokens(new Uint32Array((await ask('semanticTokens/full', document, null, token)).data));
    },
};

async function activate(context) {
    const languages = vscode.languages;

    diagnostics = languages.createDiagnosticCollection('stap');
    server = new Server();
    context.subscriptions.push(diagnostics,
        vscode.workspace.onDidOpenTextDocument(document => isScript(document) && server.open(document)),
        vscode.workspace.onDidChangeTextDocument(event => isScript(event.document) && server.change(event)),
        vscode.workspace.onDidCloseTextDocument(document => isScript(document) && server.notify('textDocument/didClose',
            { textDocument: { uri: document.uri.toString() } })),
        vscode.commands.registerCommand('stap.restart', async () => { await server.stop(); server = new Server(); }),
        languages.registerCompletionItemProvider(LANGUAGE, providers, '$', '.', '>', '"', '@'),
        languages.registerHoverProvider(LANGUAGE, providers),
        languages.registerDefinitionProvider(LANGUAGE, providers),
        languages.registerDocumentFormattingEditProvider(LANGUAGE, providers),
        languages.registerRenameProvider(LANGUAGE, providers),
        languages.registerDocumentSymbolProvider(LANGUAGE, providers));
    await server.ready.then(() => context.subscriptions.push(languages.registerDocumentSemanticTokensProvider(LANGUAGE, providers,
        new vscode.SemanticTokensLegend(server.legend.tokenTypes, server.legend.tokenModifiers))), () => {});
}

function deactivate() {
    return server && server.stop();
}

module.exports = { activate, deactivate };
