#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Opens HTML reports in a headless Chromium through its debugging pipe, and uses them: browser.py CHROMIUM
# DIRECTORY. DIRECTORY contains the reports of html.stp, html-hostile.stp and others; screenshots are written to it.
# Prints problems.
import base64
import json
import os
import subprocess
import sys
import tempfile
import time


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)       # its children may exit after it
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def descriptors():                     # the browser reads commands from 3 and writes replies to 4
            first, second = os.dup(to_browser), os.dup(from_browser)
            high = [os.dup2(first, 20), os.dup2(second, 21)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, '--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run',
             '--disable-dev-shm-usage', '--user-data-dir=' + self.profile.name],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.session, self.faults = b'', 0, None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')

    def message(self):
        while b'\0' not in self.buffer:
            data = os.read(self.back, 1 << 20)
            if not data:
                sys.exit('the browser ended')
            self.buffer += data
        one, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(one)

    def note(self, event):
        method, of = event.get('method'), event.get('params', {})
        if method == 'Runtime.exceptionThrown':
            self.faults.append('exception: ' + json.dumps(of)[:500])
        elif method == 'Log.entryAdded' or method == 'Runtime.consoleAPICalled':
            self.faults.append('console: ' + json.dumps(of)[:500])
        elif method == 'Network.requestWillBeSent' and of['request']['url'] not in (self.url, 'data:,'):
            self.faults.append('request: ' + of['request']['url'])

    def call(self, method, **params):
        self.last += 1
        request = {'id': self.last, 'method': method, 'params': params}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.to, json.dumps(request).encode() + b'\0')
        while True:
            reply = self.message()
            if reply.get('id') == self.last:
                if 'error' in reply:
                    sys.exit('%s: %s' % (method, reply['error']))
                return reply['result']
            self.note(reply)

    def open(self, path, width=1200, scheme='light'):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=1000, deviceScaleFactor=1, mobile=False)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.url = 'file://' + os.path.abspath(path)
        self.call('Page.navigate', url=self.url)
        self.run('new Promise(r => document.readyState == "complete" ? r() : addEventListener("load", r))')

    def run(self, code):
        result = self.call('Runtime.evaluate', expression=code, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in result:
            self.faults.append(code + ': ' + json.dumps(result['exceptionDetails'])[:500])
        return result['result'].get('value')

    # Waits for the value, since the page may be in a transition.
    def expect(self, what, code, wanted):
        for _ in range(100):
            got = self.run(code)
            if got == wanted:
                return
            time.sleep(0.1)
        print('%s: %r, not %r' % (what, got, wanted))

    def click(self, code):
        box = self.run('(() => { const e = %s; e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); '
                       'return [b.x + b.width / 2, b.y + b.height / 2] })()' % code)
        for kind in ('mouseMoved', 'mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=box[0], y=box[1], button='left', clickCount=1)

    def type(self, code, text):
        self.run(code + '.focus()')
        self.run(code + '.select()')
        self.call('Input.insertText', text=text)

    def key(self, name, number):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=name, code=name, windowsVirtualKeyCode=number)

    def screenshot(self, path):
        height = self.run('document.documentElement.scrollHeight')
        width = self.run('innerWidth')
        data = self.call('Page.captureScreenshot', captureBeyondViewport=True,
                         clip={'x': 0, 'y': 0, 'width': width, 'height': min(height, 6000), 'scale': 1})['data']
        with open(path, 'wb') as to:
            to.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()


SECTION = '[...document.querySelectorAll("section")].find(s => s.querySelector("h2").textContent.startsWith("%s"))'
FRAME = '[...document.querySelectorAll("g.frame")].find(g => g.getAttribute("name") == "%s")'


INFO = 'document.querySelector(".info").textContent'
WIDE = FRAME % 'do_sys_read' + '.querySelector("rect").getBoundingClientRect().width'
FULL = 'Math.round(document.querySelector("g.frame rect").getBoundingClientRect().width - document.querySelector(".flame").clientWidth)'


def check_flame(b):
    b.expect('full width', FULL, 0)
    before = b.run(WIDE)
    b.click(FRAME % 'do_sys_read')
    b.expect('zoomed', '[%s > %f, %s.includes("Zoomed to do_sys_read")]' % (WIDE, before + 100, INFO), [True, True])
    b.click('[...document.querySelectorAll("button")].find(e => e.textContent == "Reset zoom")')
    b.expect('reset', '[Math.round(%s - %f), %s.includes("Zoomed")]' % (WIDE, before, INFO), [0, False])
    b.type('document.querySelector("input[aria-label=\'search frames\']")', 'COPY')
    b.expect('search', 'document.querySelector(".flame-box .tools [role=status]").textContent', 'matched 30, 30 %')
    b.expect('found', 'document.querySelectorAll("g.frame rect[fill=\'#e863e8\']").length', 1)
    b.run('document.querySelector(".flame").focus()')
    for name in ('main', 'do_sys_read'):
        b.key('ArrowUp', 38)
        b.expect('selected', 'document.querySelector("g.current").getAttribute("name")', name)
    b.key('Enter', 13)
    b.expect('zoomed by key', INFO + '.includes("Zoomed to do_sys_read")', True)
    b.key('Escape', 27)
    b.expect('reset by key', INFO + '.includes("Zoomed")', False)


# Values beyond 2^53 are strings in the session; if there are too many frames, the narrowest ones are omitted.
def check_trees(b):
    tree = '(root => [root.value, root.depth, root.children.length])(new Flame({ label: "n", frames: [], elements: %s }, []).root)'
    b.expect('large values', tree % '[{ frames: [0], value: "9007199254740994" }, { frames: [0, 1], value: 2 }]', [9007199254740996, 3, 1])
    b.expect('narrow frames', tree % 'Array.from({ length: 150000 }, (none, i) => ({ frames: [i], value: 1 + i % 2 }))', [225000, 2, 75000])
    b.expect('no stacks', tree % '[]', [0, 1, 0])


def check_table(b):
    table = SECTION % 'reads'
    first = '[...%s.querySelectorAll("tbody tr:first-child td")].slice(0, 2).map(c => c.textContent)' % table
    b.expect('by value', first, ['grep', '700'])
    b.click(table + '.querySelectorAll("th button")[1]')
    b.expect('ascending', first, ['cat', '5'])
    b.click(table + '.querySelectorAll("th button")[0]')
    b.expect('by key', first, ['bash', '40'])
    b.expect('aria-sort', table + '.querySelector("th").getAttribute("aria-sort")', 'ascending')
    b.type(table + '.querySelector("input")', 'GR')
    b.expect('filtered', table + '.querySelectorAll("tbody tr").length', 1)
    sizes = SECTION % 'sizes'
    b.click(sizes + '.querySelector("button[aria-expanded]")')
    b.expect('histogram', sizes + '.querySelectorAll(".more .hist tr").length > 2', True)


def check_page(b):
    b.expect('problems', 'document.querySelector(".problems").innerText.startsWith("Warning: careful")', True)
    b.expect('values', SECTION % 'Values' + '.innerText.includes("version")', True)
    b.expect('statistics', SECTION % 'delay' + '.querySelectorAll(".hist tr").length > 2', True)
    b.expect('units', '["avg 13.2 ms", "4.1 ms – 8.19 ms"].map(t => ' + SECTION % 'delay' + '.innerText.includes(t))', [True, True])
    b.expect('heat map', SECTION % 'Histogram' + '.querySelectorAll(".cell").length > 3', True)
    b.expect('timeline', SECTION % 'Timeline' + '.querySelectorAll(".cell").length > 3', True)
    b.expect('output', SECTION % 'Output' + '.querySelector("pre").textContent.startsWith("tick 1\\n")', True)
    b.expect('script', '[...document.querySelectorAll(".script .probed")].map(r => Number(r.querySelectorAll(".count")[0].textContent) > 2)', [False, True, True])
    b.expect('hits', '[...document.querySelectorAll(".script .probed")].map(r => Number(r.querySelectorAll(".count")[1].textContent) > 1)',
             [False, True, False])
    b.expect('times', r'[...document.querySelectorAll(".script .probed .count:nth-child(5)")].every(c => /^[\d.]+ (n|µ|m|)s$/.test(c.textContent))', True)
    b.expect('probes', SECTION % 'Probes' + '.querySelectorAll("tbody tr").length >= 3', True)
    b.expect('percentiles', SECTION % 'delay' + '.innerText.includes("(interpolated)")', True)
    b.expect('p50', 'Math.round(quantile({buckets: [{lo: 0, hi: 9, count: 2}, {lo: 10, hi: 19, count: 2}, {lo: 20, hi: null, count: 1}]}, 0.5) * 10)', 123)
    b.expect('p99', 'quantile({buckets: [{lo: 0, hi: 9, count: 2}, {lo: 20, hi: null, count: 8}]}, 0.99)', 20)
    b.expect('p99 below the maximum', 'quantile({min: 70, max: 72, buckets: [{lo: 64, hi: 127, count: 100}]}, 0.99) <= 72', True)


# Two runs: a table of the changes, and a flame graph in which frames that grew are red.
def check_runs(b):
    row = '[...[...%s.querySelectorAll("tbody tr")].find(r => r.textContent.startsWith("%s")).querySelectorAll("td")].slice(0, 4).map(c => c.textContent)'
    b.expect('headings', '[...document.querySelectorAll("h1")].map(h => h.textContent)', ['stap report of 2 runs', 'Run 1', 'Run 2'])
    b.expect('grew', row % (SECTION % 'reads', 'sed'), ['sed', '0', '55', '+55'])
    b.expect('shrank', row % (SECTION % 'reads', 'grep'), ['grep', '700', '300', '-400'])
    b.expect('largest first', SECTION % 'reads' + '.querySelector("tbody td").textContent', 'grep')
    b.expect('same', '[...document.querySelectorAll("main > p")].some(p => p.textContent.includes("sizes, count"))', True)
    colour = FRAME % '%s' + '.querySelector("rect").getAttribute("fill")'
    usual = b.run(colour % 'copy_page')
    b.run('(() => { const s = document.querySelector("select"); s.value = "0"; s.dispatchEvent(new Event("change")) })()')
    b.expect('red', '(c => c[0] > c[2])((%s).match(/\\d+/g).map(Number))' % (colour % 'copy_page'), True)
    b.expect('blue', '(c => c[0] < c[2])((%s).match(/\\d+/g).map(Number))' % (colour % 'do_sys_read'), True)
    b.run('[...document.querySelectorAll("g.frame")].find(g => g.getAttribute("name") == "copy_page").dispatchEvent(new MouseEvent("mouseover"))')
    b.expect('share', INFO + '.includes("copy_page (30, 30 %; run 2: stacks: 11.2 %)")', True)
    b.run('(() => { const s = document.querySelector("select"); s.value = ""; s.dispatchEvent(new Event("change")) })()')
    b.expect('usual', colour % 'copy_page', usual)


# A hostile text creates no element and runs no code.
def check_hostile(b):
    b.expect('elements', 'document.querySelectorAll("main img, main b, main script").length', 0)
    b.expect('key', SECTION % 'hostile' + """.innerText.includes('</script><img src=x onerror="hacked=1">')""", True)
    b.expect('frame', FRAME % "<b>'x'</b>" + ' != null', True)
    b.expect('bytes', SECTION % 'Output' + '.textContent.includes("\\ufffd")', True)
    b.expect('large', SECTION % 'hostile' + '.innerText.includes("9,007,199,254,740,993")', True)
    b.expect('run', 'typeof hacked', 'undefined')


def check_sampled(b):
    b.expect('sample', SECTION % 'Output' + '.querySelector("small").textContent.startsWith(" · 30,000 records, a sample of")', True)
    b.expect('gaps', 'document.querySelectorAll(".gap").length > 10', True)


def main():
    b, directory = Browser(sys.argv[1]), sys.argv[2]
    path = os.path.join
    for scheme, width in (('light', 1200), ('dark', 1200), ('light', 400)):
        b.open(path(directory, 'html.html'), width, scheme)
        b.expect('wider than %d' % width, 'document.documentElement.scrollWidth > innerWidth', False)
        b.expect('full width of %d' % width, FULL, 0)
        b.screenshot(path(directory, '%s-%d.png' % (scheme, width)))
    b.open(path(directory, 'html.html'))
    check_page(b)
    check_flame(b)
    check_trees(b)
    check_table(b)
    b.open(path(directory, 'gaps.html'))
    b.expect('gap', r'/n=3\n(\[.*ticks.*\]\n)?\[Lost here: Strings cut: 1\]\n(\[.*ticks.*\]\n)?n=4/.test(%s.querySelector("pre").textContent)' %
             (SECTION % 'Output'), True)
    b.expect('gap in timeline', SECTION % 'Timeline' + '.querySelectorAll(".lost").length >= 1', True)
    b.open(path(directory, 'wide.html'), 400)
    b.expect('wide numbers', 'document.documentElement.scrollWidth > innerWidth', False)
    b.open(path(directory, 'large.html'))
    b.expect('large histogram', '[...document.querySelectorAll("table.hist")].map(t => [t.rows.length, t.rows[127].innerText.replace(/\\s+/g, " ")].join()).join()',
             ','.join(['128,16,256 – 16,383 127 0.8 %'] * 2))
    b.open(path(directory, 'large-heat.html'))
    b.expect('large heat map', 'document.querySelector("section svg").querySelectorAll("rect").length', 250)
    b.open(path(directory, 'negative.html'))
    b.expect('negative stacks', 'document.querySelector("section h2").textContent', 'n · flame graph of 1 stack, 1 of value 0 or less not drawn')
    b.open(path(directory, 'runs.html'))
    check_runs(b)
    b.open(path(directory, 'hostile.html'))
    check_hostile(b)
    b.open(path(directory, 'sampled.html'))
    check_sampled(b)
    b.open(path(directory, 'cut.html'))
    b.expect('cut', 'document.querySelector(".problems").innerText.includes("the report is incomplete")', True)
    for fault in b.faults:
        print(fault)
    b.close()


if __name__ == "__main__":
    main()
