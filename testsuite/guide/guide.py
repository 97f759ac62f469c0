#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the commands of documents and examples as their reader would: guide.py STAP RELEASE DIRECTORY FILE...
# A document (.md): a block ```console has commands after "$ ", with their output; a text in single quotes may have several lines. Blocks
# with file=NAME are files of the reader's directory. Words after "console": status=N is the exit status of all its commands (default
# 0); varies=REGEX: the output is not compared, but has a line that matches. Comparisons ignore numbers, the width
# of columns, and with -c the order of lines.
# An example (.stp): in the comment at its head, "$ " begins the command, with output as an illustration; "Check: REGEX" is matched by its output.
# Commands that build or list run here, and as root those with --runtime=bpf, on the running kernel. The others run in a guest with the kernel RELEASE, all in one boot: their scripts are
# built here, and the guest runs staprun with their options. DIRECTORY becomes the reader's directory, with the files of work/.
# With UPDATE in the environment the outputs in the files are rewritten.
import os
import re
import shlex
import shutil
import subprocess
import sys

FILE = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.M | re.S)
CONSOLE = re.compile(r"^```console([^\n]*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:[^'\n]|'[^']*')*)\n((?:^(?!\$ ).*\n)*)", re.M)
EXAMPLE = re.compile(r"^# Check: (?P<check>.*)\n#\n# \$ (?P<command>.*)\n(?P<output>(?:#.*\n)*)", re.M)
WITH_VALUE = {"-c": True, "-x": True, "-T": True, "-o": True, "-e": False, "-m": False, "-D": False, "-r": False, "-G": False, "-d": False}
SHOWN = 12              # number of lines of output in the head of an example


class Command:
    """A command of a document or example: the position of its output, the expected output, and the actual
    result."""

    def __init__(self, label, words, text, span):
        self.label, self.text, self.span, self.want = label, text, span, None
        self.varies = words.partition("varies=")[2]
        self.expected = int(re.search(r"^ status=(\d+)|$", words)[1] or 0)
        self.words = shlex.split(text)
        self.status = self.output = self.module = None

    def is_here(self):
        """True if it needs no kernel: it builds, lists, or uses the user runtime."""
        return self.words[0] == "cc" or (self.words[0] == "stap" and any(re.match(r"-[lLp]|--runtime=user", w) for w in self.words[1:]))

    def is_native(self):
        return "--runtime=bpf" in self.words

    def missing(self):
        """Returns what a command on the running kernel lacks, or None."""
        if self.is_native() and os.getuid() != 0:
            return "root"
        if re.search(r" -c 'java ", self.text) and not (shutil.which("java") and os.path.exists(self.words[3])):
            return "package openjdk-17-jdk-headless"
        return None

    def run_options(self):
        """Returns the words of a stap command that are options of the run."""
        kept, words = [], self.words[1:]
        while words:
            word = words.pop(0)
            value = [words.pop(0)] if word in WITH_VALUE and words else []
            if WITH_VALUE.get(word) or word == "-t":
                kept += [word] + value
        return kept

    def defect(self):
        # A message refers to a page of the manual where "make install" has made it.
        def masked(text):
            text = re.sub(r"  \[man [^]]*\]$", "", text, flags=re.M)
            lines = [re.sub(r"\s+", " ", re.sub(r"\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b", "N", line)).strip() for line in text.splitlines()]
            return sorted(lines) if "-c" in self.words else lines
        if self.expected is not None and self.status != self.expected:
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
    if command.is_native():
        environment = {name: value for name, value in environment.items() if name != "SYSTEMTAP_RELEASE"}
    finished(command, subprocess.run(words, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False))


def build(command, number, stap, directory, environment):
    """Builds the module of a command for the guest; an error of the translation is its result."""
    options = command.run_options()
    words = command.words[1:]
    for option in options:
        if option in ("-t", "-o"):
            words.remove(option)
            if option != "-t":
                words.remove(options[options.index(option) + 1])
    words = [stap, "-p4", "-m", f"guide{number}"] + (["-t"] if "-t" in options else []) + words
    done = subprocess.run(words, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if finished(command, done):
        command.module = f"guide{number}.ko"


def guest_line(command):
    """Returns the shell command by which the guest runs a command of the document."""
    if command.words[0] != "stap":
        return command.text
    options, words = command.run_options(), []
    while options:
        option = options.pop(0)
        if option == "-T":         # the module handles this option by a timer
            options.pop(0)
        elif option != "-t":
            words += [option, shlex.quote(options.pop(0))]
    return f"staprun -R {' '.join(words)} ./{command.module}"


def run_in_guest(commands, stap, release, directory):
    """Runs all commands in one boot; each prints its output between two marker lines."""
    tree = os.path.dirname(stap)
    interpreter, library = add_python(directory)
    with open(os.path.join(directory, "guest.sh"), "w", encoding="utf-8") as script:
        script.write(f"cd {directory}\nifconfig lo up\nln -s {os.path.basename(interpreter)} /usr/bin/python3\n")
        for n, command in enumerate(commands):
            script.write(f"echo '== begin {n}'\n({guest_line(command)}) 2>&1 </dev/null\necho \"== end {n} $?\"\n")
    vm = [os.path.join(tree, "translator/run/stap-vm"), "-r", release, "-t", "600", "-d", f"{directory}:{directory}"]
    vm += ["-f", f"{interpreter}:/usr/bin/", "-d", f"{library}:/usr/lib/{os.path.basename(interpreter)}"]
    for program in ("staprun/staprun", "staprun/stapio"):
        vm += ["-f", os.path.join(tree, program) + ":/bin/"]
    for program in filter(lambda name: os.access(os.path.join(directory, name), os.X_OK), os.listdir(directory)):
        vm += ["-f", f"{directory}/{program}:{directory}/"]
    done = subprocess.run(vm + ["--", "sh", f"{directory}/guest.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    for n, command in enumerate(commands):
        found = re.search(rf"^== begin {n}\n(.*?)^== end {n} (\d+)$", done.stdout, re.M | re.S)
        command.output, command.status = (found[1], int(found[2])) if found else (done.stdout, -1)
    return done.returncode == 0


def read_document(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    commands = []
    for block in CONSOLE.finditer(text):
        for found in COMMAND.finditer(block[2]):
            start = block.start(2) + found.start(2)
            command = Command(f"guide/{text.count(chr(10), 0, start)}", block[1], found[1], (start, start + len(found[2])))
            command.want = found[2]
            commands.append(command)
    return text, commands


def read_example(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = EXAMPLE.search(text)
    command = Command("guide/" + os.path.basename(path), " varies=" + found["check"], found["command"], found.span("output"))
    command.expected = None         # a part of the output is that of the traced command
    return text, [command]


def rewrite(path, text, commands):
    for command in reversed(commands):
        start, end = command.span
        lines = command.output.splitlines()
        shown = command.output
        if path.endswith(".stp"):
            shown = "".join(f"# {line}".rstrip() + "\n" for line in lines[:SHOWN] + ["..."] * (len(lines) > SHOWN))
        text = text[:start] + shown + text[end:]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def prepare(directory, files):
    """Fills the reader's directory: the files of work/, the examples, and the files of documents."""
    shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "work"), directory, dirs_exist_ok=True)
    with open(os.path.join(directory, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("buy milk\nwrite a tracer\n")
    for path in files:
        if path.endswith(".stp"):
            shutil.copy(path, directory)
            continue
        with open(path, encoding="utf-8") as document:
            for name, content in FILE.findall(document.read()):
                with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                    file.write(content)
    headers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include")
    for name in ("orders", "primes", "leak", "locks", "vforks", "postgres"):
        subprocess.run(["cc", "-g", "-pthread", "-I", headers, "-o", name, name + ".c"], cwd=directory, check=True)


def add_loop_module(release, directory):
    """Copies the module for loop devices to the directory, decompressed."""
    path = subprocess.run(["modinfo", "-k", release, "-n", "loop"], capture_output=True, text=True, check=True).stdout.strip()
    with open(os.path.join(directory, "loop.ko"), "wb") as module:
        subprocess.run(["xz", "-dc", path] if path.endswith(".xz") else ["cat", path], stdout=module, check=True)


def add_python(directory):
    """Copies the files that the interpreter reads at its start to a directory; returns the interpreter's path
    and this directory."""
    interpreter, library = os.path.realpath("/usr/bin/python3"), directory + "-python"
    os.mkdir(library)
    for package in ("encodings", "collections"):
        shutil.copytree(f"/usr/lib/{os.path.basename(interpreter)}/{package}", f"{library}/{package}", ignore=shutil.ignore_patterns("__pycache__"))
    for module in ("os", "_sitebuiltins"):
        shutil.copy(f"/usr/lib/{os.path.basename(interpreter)}/{module}.py", library)
    os.mkdir(f"{library}/lib-dynload")
    return interpreter, library


def main():
    stap, release, directory, *files = sys.argv[1:]
    environment = dict(os.environ, SYSTEMTAP_RELEASE=release, NO_COLOR="1")
    prepare(directory, files)
    add_loop_module(release, directory)
    texts = [(path, *(read_example if path.endswith(".stp") else read_document)(path)) for path in files]
    commands = [command for _, _, of_file in texts for command in of_file]
    for n, command in enumerate(commands):
        if command.missing():
            command.output = ""
        elif command.is_here() or command.is_native():
            run_here(command, stap, directory, environment)
        elif command.words[0] == "stap":
            build(command, n, stap, directory, environment)
    clean = run_in_guest([command for command in commands if command.module or (command.status is None and not command.missing())], stap, release, directory)
    print(f"ok guide/guest {release}" if clean else f"not ok guide/guest {release}\n    the guest's kernel complained, or it did not end")
    for command in commands:
        if command.missing():
            print(f"skip {command.label} # {command.missing()}")
            continue
        command.output = command.output.replace(directory, "/root").replace(f"{os.path.dirname(stap)}/", "/usr/share/quicktap/")
        defect = command.defect()
        print(f"not ok {command.label} {release}\n    " + defect.replace("\n", "\n    ") if defect else f"ok {command.label} {release}")
    if os.environ.get("UPDATE"):
        for path, text, of_file in texts:
            if any(command.missing() for command in of_file):
                continue
            rewrite(path, text, of_file)


if __name__ == "__main__":
    main()
