#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Watches a guest from outside: stuck.py QMP-SOCKET PROGRESS-FILE REPORT [SECONDS]. If the file has not grown for
# SECONDS (default: ten minutes), it writes the registers of all CPUs to the report, several times, and sends an
# NMI, by which the guest panics and prints its stacks (unknown_nmi_panic=1).
import json
import os
import socket
import sys
import time


def ask(stream, command, **arguments):
    stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
    stream.flush()
    while True:
        answer = json.loads(stream.readline())
        if "return" in answer or "error" in answer:
            return answer.get("return", answer)


def examine(path, report):
    with socket.socket(socket.AF_UNIX) as qmp:
        qmp.connect(path)
        stream = qmp.makefile("rw")
        stream.readline()
        ask(stream, "qmp_capabilities")
        for _ in range(5):
            print(ask(stream, "human-monitor-command", **{"command-line": "info registers -a"}), file=report, flush=True)
            time.sleep(2)
        print(ask(stream, "inject-nmi"), file=report, flush=True)


def main():
    path, progress, report = sys.argv[1:4]
    patience = int(sys.argv[4]) if len(sys.argv) > 4 else 600
    size, since = -1, time.monotonic()
    while True:
        time.sleep(5)
        now = os.path.getsize(progress) if os.path.exists(progress) else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > patience:
            with open(report, "a") as out:
                examine(path, out)
            since = time.monotonic()


main()
