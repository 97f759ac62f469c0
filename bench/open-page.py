#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# open-page.py CHROMIUM FILE: prints the time until a page is drawn, the processor time of its thread and the memory
# of its objects, for the fastest of three loads.
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../testsuite/report'))
sys.dont_write_bytecode = True
from browser import Browser                                                            # noqa: E402


def load(program, path):
    browser = Browser(program)
    browser.call('Performance.enable', timeDomain='threadTicks')
    began = time.time()
    browser.open(path)
    browser.run('new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    seconds = time.time() - began
    metrics = {m['name']: m['value'] for m in browser.call('Performance.getMetrics')['metrics']}
    browser.close()
    for fault in browser.faults:
        print(fault)
    return seconds, metrics['ThreadTime'], metrics['JSHeapUsedSize'] / 1e6


print('%.2f s, processor %.2f s, %d MB' % min(load(sys.argv[1], sys.argv[2]) for _ in range(3)))
