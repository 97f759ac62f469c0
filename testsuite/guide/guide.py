#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the commands of a document as its reader would: guide.py DOCUMENT STAP RELEASE DIRECTORY. A block ```console has commands behind "$ ",
# with their output; a text in single quotes may have several lines. Blocks with file=NAME are files of the reader's directory.
# Commands that build or list run here. The others run in a guest with the kernel RELEASE, all in one boot: their scripts are
# built here, and "stap" is there a shell function that loads the module by staprun with the options for running.
# Words behind "console": status=N is the exit status of all its commands (default 0); varies=REGEX: the output is not compared,
# but has a line that matches. Numbers, the width of columns, and with -c the order of lines do not count in comparisons. With
# UPDATE in the environment the outputs are rewritten.
import os
import re
import shlex
import subprocess
import sys

FILE = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.M | re.S)
CONSOLE = re.compile(r"^```console([^\n]*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:[^'\n]|'[^']*')*)\n((?:^(?!\$ ).*\n)*)", re.M)
WITH_VALUE = {"-c": True, "-x": True, "-T": True, "-o": True, "-e": False, "-m": False, "-D": False, "-r": False, "-G": False}


class Command:
    """A command of the document: where its output stands, what is expected, and what it did."""

    def __init__(self, words, text, start, want):
        self.text, self.start, self.want = text, start, want
        self.varies = words.partition("varies=")[2]
        self.expected = int(re.search(r"status=(\d+)|$", words)[1] or 0)
        self.words = shlex.split(text)
        self.status = self.output = self.module = None

    def is_here(self):
        """True if it needs no kernel: it builds, lists, or uses the user runtime."""
        return self.words[0] == "cc" or (self.words[0] == "stap" and any(re.match(r"-[lLp]|--runtime=user", w) for w in self.words[1:]))

    def run_options(self):
        """The words of a stap command that say how its module runs."""
        kept, words = [], self.words[1:]
        while words:
            word = words.pop(0)
            value = [words.pop(0)] if word in WITH_VALUE and words else []
            if WITH_VALUE.get(word) or word == "-t":
                kept += [word] + value
        return kept

    def defect(self):
        def masked(text):
            lines = [re.sub(r"\s+", " ", re.sub(r"\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b", "N", line)).strip() for line in text.splitlines()]
            return sorted(lines) if "-c" in self.words else lines
        if self.status != self.expected:
            return f"status {self.status}, not {self.expected}: {self.text}\n{self.output}"
        if self.varies:
            return None if re.search(self.varies, self.output, re.M) else f"{self.text}\nlacks {self.varies}:\n{self.output}"
        if masked(self.output) != masked(self.want):
            return f"{self.text}\nprints\n{self.output}instead of\n{self.want}"
        return None


def finished(command, done):
    command.status, command.output = done.returncode, done.stdout
    return done.returncode == 0


def run_here(command, stap, directory, environment):
    words = [stap if w == "stap" else w for w in command.words]
    finished(command, subprocess.run(words, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False))


def build(command, number, stap, directory, environment):
    """Builds the module of a command for the guest; an error of the translation is its result."""
    options = command.run_options()
    words = command.words[1:]
    for option in options:
        if option in ("-T", "-t", "-o"):
            words.remove(option)
            if option != "-t":
                words.remove(options[options.index(option) + 1])
    words = [stap, "-p4", "-m", f"guide{number}"] + (["-t"] if "-t" in options else []) + words
    done = subprocess.run(words, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if finished(command, done):
        command.module = f"guide{number}.ko"


def guest_line(command):
    """The shell command by which the guest runs a command of the document."""
    if command.words[0] != "stap":
        return command.text
    options, words = command.run_options(), []
    while options:
        option = options.pop(0)
        if option == "-T":         # the time begins when the probes are armed
            words += ["-c", f"'sleep {options.pop(0)}'"]
        elif option != "-t":
            words += [option, shlex.quote(options.pop(0))]
    return f"staprun -R {' '.join(words)} ./{command.module}"


def run_in_guest(commands, stap, release, directory):
    """One boot for all commands; each prints its output between two lines."""
    tree = os.path.dirname(stap)
    with open(os.path.join(directory, "guest.sh"), "w", encoding="utf-8") as script:
        script.write(f"cd {directory}\n")
        for n, command in enumerate(commands):
            script.write(f"echo '== begin {n}'\n({guest_line(command)}) 2>&1 </dev/null\necho \"== end {n} $?\"\n")
    vm = [os.path.join(tree, "translator/run/stap-vm"), "-r", release, "-t", "600", "-d", f"{directory}:{directory}"]
    for program in ("staprun/staprun", "staprun/stapio"):
        vm += ["-f", os.path.join(tree, program) + ":/bin/"]
    for program in filter(lambda name: os.access(os.path.join(directory, name), os.X_OK), os.listdir(directory)):
        vm += ["-f", f"{directory}/{program}:{directory}/"]
    done = subprocess.run(vm + ["--", "sh", f"{directory}/guest.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    for n, command in enumerate(commands):
        found = re.search(rf"^== begin {n}\n(.*?)^== end {n} (\d+)$", done.stdout, re.M | re.S)
        command.output, command.status = (found[1], int(found[2])) if found else (done.stdout, -1)
    return done.returncode == 0


def main():
    document, stap, release, directory = sys.argv[1:]
    environment = dict(os.environ, SYSTEMTAP_RELEASE=release, NO_COLOR="1")
    with open(document, encoding="utf-8") as file:
        text = file.read()
    for name, content in FILE.findall(text):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(content)
    commands = []
    for block in CONSOLE.finditer(text):
        commands += [Command(block[1], found[1], block.start(2) + found.start(2), found[2]) for found in COMMAND.finditer(block[2])]
    for n, command in enumerate(commands):
        if command.is_here():
            run_here(command, stap, directory, environment)
        elif command.words[0] == "stap":
            build(command, n, stap, directory, environment)
    guests = [command for command in commands if command.module or (command.status is None)]
    clean = run_in_guest(guests, stap, release, directory)
    print("ok guide/guest" if clean else "not ok guide/guest\n    the guest's kernel complained, or it did not end")
    for command in commands:
        command.output = command.output.replace(directory, "/root").replace(f"{os.path.dirname(stap)}/", "/usr/share/quicktap/")
        defect = command.defect()
        label = f"guide/{text.count(chr(10), 0, command.start)}"
        print(f"not ok {label}\n    " + defect.replace("\n", "\n    ") if defect else f"ok {label}")
    if os.environ.get("UPDATE"):
        for command in reversed(commands):
            text = text[:command.start] + command.output + text[command.start + len(command.want):]
        with open(document, "w", encoding="utf-8") as file:
            file.write(text)


main()
