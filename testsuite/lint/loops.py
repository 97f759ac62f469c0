#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Loops of the runtime that run in handlers: each function with one charges it (stp_charge), or loops.txt says what
bounds or charges it. Prints functions for which neither holds, and rows of loops.txt without such a function. Usage: loops.py DIRECTORY"""
import re
import sys

FILES = ["core/" + f for f in """arith context error foreach format hist lines map print regex stat string""".split()] + [
    "kernel/" + f for f in "calls deref lines mapped ring sites task tree user_path user_stack".split()]
HEADERS = ["core/word.h", "core/internal.h", "core/context.h", "include/generated.h"]
LOOP = re.compile(r"\b(for|while) \(|\bdo \{")


def functions(path):
    name, body = None, []
    for line in open(path, encoding="utf-8"):
        if name is None:
            head = re.match(r"(?!#|typedef|struct \w+ \{|enum|union)[a-zA-Z_].*?\b(\w+)\([^;]*$", line)
            if head:
                last = re.search(r"(\w+)\(", re.sub(r"__attribute__\(\(\w+\)\)", "", line)).group(1)
            if line == "{\n":
                name, body = last, []
        elif line == "}\n":
            yield name, "".join(body)
            name = None
        else:
            body.append(line)


def main(root):
    rows, bad = {}, 0
    for line in open(root + "/testsuite/lint/loops.txt", encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            where, why = line.split(None, 2)[:2], line.split(None, 2)[2:]
            rows[tuple(where)] = why and why[0].strip()
    for file in [f + ".c" for f in FILES] + HEADERS:
        for name, body in functions(f"{root}/runtime/{file}"):
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            if not LOOP.search(body):
                continue
            if rows.pop((file, name), None) or "stp_charge(" in body:
                continue
            print(f"runtime/{file}: {name}() has a loop that neither charges its work nor is listed in loops.txt")
            bad = 1
    for file, name in rows:
        print(f"loops.txt: {file} {name}: this function has no loop")
        bad = 1
    return bad


sys.exit(main(sys.argv[1]))
