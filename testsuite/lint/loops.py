#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Loops of the runtime that run in handlers: each function with a loop charges it (stp_charge), or loops.txt states
its bound or the function that charges it. The same applies to C of the library, where a function of scripts may
also state its cost, "pragma:work:UNITS". Prints functions that do none of these, and rows of loops.txt without such
a function. Usage: loops.py DIRECTORY"""
import glob
import re
import sys

FILES = ["core/" + f for f in """arith context error foreach format hist lines map print regex slices source_lines stat string""".split()] + [
    "kernel/" + f for f in "pending_calls deref mapping_cache process_tree ring site_addresses stack_values task user_path user_stack".split()]
HEADERS = ["core/string_words.h", "core/internal.h", "core/context.h", "include/generated.h", "include/user_symbol.h"]
LOOP = re.compile(r"\b(for|while|FOR_EACH_\w+) ?\(|\bdo \{")


def functions(lines):
    name, body = None, []
    for line in lines:
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


def embedded(path):
    """Yields the C of a script: name and text of each function of scripts, then of the functions of each block
    outside of them."""
    text = open(path, encoding="utf-8").read()
    for block in re.finditer(r"(?:function (\w+)[^{}%]*)?%\{(.*?)%\}", text, re.S):
        if block[1]:
            yield block[1], block[2]
        else:
            yield from functions(block[2].splitlines(keepends=True))


def main(root):
    rows, bad = {}, 0
    for line in open(root + "/testsuite/lint/loops.txt", encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            where, why = line.split(None, 2)[:2], line.split(None, 2)[2:]
            rows[tuple(where)] = why and why[0].strip()
    found = [(f, n, b) for f in [f + ".c" for f in FILES] + HEADERS for n, b in functions(open(f"{root}/runtime/{f}", encoding="utf-8"))]
    for path in sorted(glob.glob(root + "/tapsets/**/*.stp*", recursive=True)):
        found += [(path[len(root) + 1:], n, b) for n, b in embedded(path)]
    for file, name, body in found:
        code = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        if not LOOP.search(code) or rows.pop((file, name), None) or re.search(r"\bstp_charge(_text)?\(", code):
            continue
        if file.startswith("tapsets/") and re.search(r"/\* pragma:work:\d+ \*/", body):
            continue
        print(f"{file}: {name}() has a loop that neither charges its work nor states its cost nor is listed in loops.txt")
        bad = 1
    for file, name in rows:
        print(f"loops.txt: {file} {name}: this function has no loop")
        bad = 1
    return bad


sys.exit(main(sys.argv[1]))
