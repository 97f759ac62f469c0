// SPDX-License-Identifier: GPL-2.0-or-later
// Runs editors/vscode/extension.js with a model of VS Code, and compiles the expressions of its grammar.
// Usage: vscode.js DIRECTORY STAP
'use strict';
const assert = require('assert');
const Module = require('module');
const fs = require('fs');
const [, , directory, stap] = process.argv;

const handlers = {}, provided = {}, shown = [];
const listen = name => handler => { handlers[name] = handler; return {}; };
const provide = name => (language, provider) => { provided[name] = provider; return {}; };
class Range { constructor(...n) { this.n = n; } }
class Plain { constructor(...values) { this.values = values; } }
const document = (text, version) => ({ languageId: 'systemtap', uri: 'file:///a.stp', version, getText: () => text });
const vscode = {
    Range, Location: Plain, CompletionItem: Plain, Hover: Plain, MarkdownString: Plain, TextEdit: Plain, DocumentSymbol: Plain,
    SemanticTokens: Plain, SemanticTokensLegend: Plain, DiagnosticRelatedInformation: Plain,
    Diagnostic: class { constructor(at, message, severity) { Object.assign(this, { at, message, severity }); } },
    WorkspaceEdit: class { set(uri, list) { this.list = list; } },
    Uri: { parse: text => text },
    commands: { registerCommand: () => ({}) },
    window: { showErrorMessage: text => shown.push(text) },
    workspace: {
        textDocuments: [document('probe begin { printn(1) }', 1)],
        getConfiguration: () => ({ get: name => (name === 'path' ? stap : ['--runtime=user']) }),
        onDidOpenTextDocument: listen('open'), onDidChangeTextDocument: listen('change'), onDidCloseTextDocument: listen('close'),
    },
    languages: {
        createDiagnosticCollection: () => ({ set: (uri, list) => handlers.diagnostics(list) }),
        registerCompletionItemProvider: provide('completion'), registerHoverProvider: provide('hover'),
        registerDefinitionProvider: provide('definition'), registerDocumentFormattingEditProvider: provide('formatting'),
        registerRenameProvider: provide('rename'), registerDocumentSymbolProvider: provide('symbols'),
        registerDocumentSemanticTokensProvider: provide('tokens'),
    },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

const token = { onCancellationRequested: () => {} };
const diagnostics = () => new Promise(resolve => { handlers.diagnostics = resolve; });

async function main() {
    const grammar = JSON.parse(fs.readFileSync(`${directory}/syntaxes/stap.tmLanguage.json`));
    const compile = (key, value) => (['match', 'begin', 'end'].includes(key) ? new RegExp(value) && value : value);
    JSON.stringify(grammar, compile);
    const { main: file, contributes } = JSON.parse(fs.readFileSync(`${directory}/package.json`));
    for (const path of [file, contributes.grammars[0].path, contributes.languages[0].configuration])
        fs.accessSync(`${directory}/${path}`);
    JSON.parse(fs.readFileSync(`${directory}/language-configuration.json`));

    const extension = require(`${directory}/${file}`);
    const first = diagnostics();
    await extension.activate({ subscriptions: [] });
    assert.match((await first)[0].message, /unresolved function "printn"/);
    const second = diagnostics();
    const changed = document('probe begin { n = 1 println(n) }', 2);
    handlers.change({ document: changed, contentChanges: [{ range: { start: { line: 0, character: 14 }, end: { line: 0, character: 23 } },
        text: 'n = 1 println(n)' }] });
    assert.deepStrictEqual(await second, []);
    const at = { line: 0, character: 28 };
    assert.match((await provided.hover.provideHover(changed, at, token)).values[0].values[0], /local n:long/);
    assert.deepStrictEqual((await provided.definition.provideDefinition(changed, at, token)).values[1].n, [0, 14, 0, 15]);
    assert.strictEqual((await provided.rename.provideRenameEdits(changed, at, 'm', token)).list.length, 2);
    assert.ok((await provided.completion.provideCompletionItems(changed, at, token)).length > 0);
    assert.ok((await provided.tokens.provideDocumentSemanticTokens(changed, token)).values[0].length >= 25);
    assert.strictEqual((await provided.symbols.provideDocumentSymbols(changed, token))[0].values[0], 'begin');
    assert.strictEqual((await provided.formatting.provideDocumentFormattingEdits(changed, {}, token)).length, 1);
    await assert.rejects(provided.rename.provideRenameEdits(changed, at, 'for', token), /not a valid name/);
    await extension.deactivate();
    assert.deepStrictEqual(shown, []);
}

main().then(() => process.exit(0), error => { console.error(error); process.exit(1); });
