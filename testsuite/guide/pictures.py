#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# The pictures of doc/pictures.md: pictures.py STAP RELEASE DIRECTORY [NAME...] runs its commands in a guest, as
# guide.py does for documents, and writes doc/pictures/NAME.svg. pictures.py --check compares: the head of each
# picture has the command and a checksum of the script that made it, and the document shows each picture.
import base64
import glob
import hashlib
import os
import re
import subprocess
import sys

import guide

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
DOCUMENT = os.path.join(SOURCE, "doc/pictures.md")
PICTURE = re.compile(r"^--output=svg:(\S+)\.svg$")


def name_of(command):
    return next(PICTURE.match(word)[1] for word in command.words if PICTURE.match(word))


def script_of(command):
    name = next(word for word in command.words if word.endswith(".stp"))
    return glob.glob(os.path.join(SOURCE, "examples/*", name))[0]


def head_of(command):
    with open(script_of(command), "rb") as script:
        # the comment at its head contains an output that varies
        code = re.sub(rb"\A(#.*\n)*", b"", script.read())
    return f"<!-- {command.text.replace('--', '- -')}, script {hashlib.sha256(code).hexdigest()[:16]} -->\n"


def check(commands):
    for command in commands:
        name = name_of(command)
        path = os.path.join(SOURCE, "doc/pictures", name + ".svg")
        with open(path, encoding="utf-8") as picture:
            if not picture.read().startswith(head_of(command)):
                print(f"{path} is not of the present script and command; make it with doc/make-pictures")
        with open(DOCUMENT, encoding="utf-8") as document:
            if f"](pictures/{name}.svg)" not in document.read():
                print(f"doc/pictures.md does not show {name}.svg")
    left = {os.path.basename(path)[:-4] for path in glob.glob(os.path.join(SOURCE, "doc/pictures/*.svg"))} - {name_of(c) for c in commands}
    for name in left:
        print(f"doc/pictures/{name}.svg has no command in doc/pictures.md")


def make(commands, stap, release, directory):
    environment = dict(os.environ, SYSTEMTAP_RELEASE=release, NO_COLOR="1")
    guide.prepare(directory, glob.glob(os.path.join(SOURCE, "examples/*/*.stp")))
    guide.add_loop_module(release, directory)
    runs = []
    for n, command in enumerate(commands):
        command.words = ["--record" if PICTURE.match(word) else word for word in command.words]
        guide.build(command, n, stap, directory, environment)
        if not command.module:
            sys.exit(f"{command.text}:\n{command.output}")
        run = guide.Command("", "", "true", None)
        run.text = f"{guide.guest_line(command)} -o record >/dev/null; echo; echo == record; base64 record"
        run.words, run.module = ["sh"], None
        runs.append(run)
    guide.run_in_guest(runs, stap, release, directory)
    for command, run in zip(commands, runs):
        path = os.path.join(SOURCE, "doc/pictures", name_of_text(command.text) + ".svg")
        data = base64.b64decode(run.output.partition("== record\n")[2])
        done = subprocess.run([stap, "report", "-f", "svg"], input=data, capture_output=True, check=False)
        if done.returncode:
            sys.exit(f"{command.text}:\n{run.output}\n{done.stderr.decode()}")
        with open(path, "wb") as picture:
            picture.write(head_of(command).encode() + done.stdout)
        print(path)


def name_of_text(text):
    return re.search(r"--output=svg:(\S+)\.svg", text)[1]


def main():
    _, commands = guide.read_document(DOCUMENT)
    if sys.argv[1] == "--check":
        check(commands)
        return
    stap, release, directory, *names = sys.argv[1:]
    make([c for c in commands if not names or name_of(c) in names], stap, release, directory)


if __name__ == "__main__":
    main()
