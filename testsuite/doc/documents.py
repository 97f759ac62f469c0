#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the examples of documents: documents.py STAP DOCUMENT... An example is a block ```stap; the block ```output
# after it is its output.
# Words after "stap" select how it runs:
#   (none)       on the user runtime; standard output is compared, and with status=1 the errors after it
#   kernel       it is translated for the kernel $SYSTEMTAP_RELEASE (guru: with -g)
#   error        it is refused; each line of the output is part of the message
#   args=WORDS   arguments of the script, separated by spaces, to the end of the line
#   file=NAME    it is not run here, but by the commands of the document (guide/guide.py)
# With UPDATE in the environment the outputs are rewritten. Prints a result for each example: doc/DOCUMENT-N, N is its
# line, and one for the links within the document: doc/DOCUMENT-links.
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```stap(?P<words>[^\n]*)\n(?P<script>.*?)^```\n(?:```output\n(?P<output>.*?)^```\n)?", re.M | re.S)


def run(stap, words, script):
    options = ["-p3"] if "kernel" in words else ["-p2"] if "error" in words else ["--runtime=user"]
    options += ["-g"] if "guru" in words else []
    arguments = words.partition("args=")[2].split()
    with tempfile.NamedTemporaryFile("w", suffix=".stp") as file:
        file.write(script)
        file.flush()
        done = subprocess.run([stap, *options, file.name, *arguments], capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr.replace(file.name, "script.stp")


def judge(words, status, out, err, want):
    """Returns the output in the form of the document, and the error of this run or None."""
    if "error" in words:
        lacking = [line for line in want.splitlines() if line not in err]
        return want, f"status {status}, no such message: {lacking}\n{err}" if status == 0 or lacking else None
    expected = 1 if "status=1" in words else 0
    if status != expected:
        return want, f"status {status}, not {expected}\n{err}"
    if "kernel" in words:
        return want, err if "WARNING" in err else None
    seen = out + (err if expected else "")
    return seen, None if seen == want else f"prints\n{seen}instead of\n{want}"


def report(label, defect):
    print(f"not ok {label}\n    " + defect.replace("\n", "\n    ") if defect else f"ok {label}", flush=True)


def links(document, text):
    """Returns the links to sections and files that do not exist."""
    anchors = {re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)", text, re.M)}
    targets = re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    return [path + anchor for path, anchor in targets
            if (path and not os.path.exists(os.path.join(os.path.dirname(document), path)))
            or (not path and anchor[1:] not in anchors)]


def check(stap, document):
    with open(document, encoding="utf-8") as file:
        text = file.read()
    name = os.path.splitext(os.path.basename(document))[0]
    if name == "README":
        name = os.path.basename(os.path.dirname(os.path.abspath(document))) if document.endswith(("doc/README.md", "examples/README.md")) else name
    broken = links(document, text)
    report(f"doc/{name}-links", f"no such section or file: {broken}" if broken else None)
    updated, copied = [], 0
    for block in BLOCK.finditer(text):
        label = f"doc/{name}-{text.count(chr(10), 0, block.start()) + 1}"
        if "file=" in block["words"]:
            continue
        if "kernel" in block["words"] and not os.environ.get("SYSTEMTAP_RELEASE"):
            print(f"skip {label} # a kernel 6.1 with headers and debuginfo")
            continue
        want = block["output"] or ""
        seen, defect = judge(block["words"], *run(stap, block["words"], block["script"]), want)
        if block["output"] is not None:
            updated += [text[copied:block.start("output")], seen]
            copied = block.end("output")
        report(label, defect)
    if os.environ.get("UPDATE"):
        with open(document, "w", encoding="utf-8") as file:
            file.write("".join(updated) + text[copied:])


for path in sys.argv[2:]:
    check(sys.argv[1], path)
