#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# contents.py SOURCE INSTALLED: compares the files that `make install` copied to INSTALLED (its prefix) with the
# lists of the Debian packages and of the RPM spec, and the packages that quickstart installs for a build with those
# that debian/control requires.
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys

source, installed = sys.argv[1:]
MACROS = {"_bindir": "usr/bin", "_libexecdir": "usr/libexec", "_datadir": "usr/share", "_mandir": "usr/share/man",
          "_includedir": "usr/include", "_prefix": "usr"}


def read(name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return file.read()


def report(name, defects):
    print(f"not ok packages/{name}\n    " + "\n    ".join(defects) if defects else f"ok packages/{name}")


def debian_lists():
    for path in glob.glob(os.path.join(source, "debian/*.install")):
        name = os.path.basename(path)[:-len(".install")]
        yield from ((name, line.split()[0]) for line in read(f"debian/{name}.install").splitlines())


def rpm_lists():
    owner = None
    for line in read("packaging/quicktap.spec").splitlines():
        words = line.split()
        if words[:1] == ["%files"]:
            owner = " ".join(words[1:]) or "main package"
        elif words[:1] == ["%changelog"]:
            return
        elif owner and words and words[0] not in ("%license", "%doc", "%dir"):
            yield owner, re.sub(r"%\{(\w+)\}", lambda found: MACROS[found[1]], words[-1])


def unmatched(lists):
    """Returns files that are in no package or in several, and patterns without a file."""
    files = [os.path.join("usr", os.path.relpath(os.path.join(at, name), installed)) for at, _, names in os.walk(installed) for name in names]
    lists = list(lists)
    used, defects = set(), []
    for file in sorted(files):
        owners = [(name, pattern) for name, pattern in lists
                  if fnmatch.fnmatch(file, pattern) or file.startswith(pattern + "/")]
        used.update(owners)
        if len(owners) != 1:
            defects.append(f"{file}: in {[name for name, _ in owners] or 'no package'}")
    return defects + [f"{name}: no such file: {pattern}" for name, pattern in lists if (name, pattern) not in used]


def documents_named():
    """Returns the documents to which messages, manual pages and packaged documents refer, with the first that
    does."""
    named = {}
    for path in glob.glob(os.path.join(source, "translator/**/*.c"), recursive=True) + glob.glob(os.path.join(source, "doc/*.in")) + [
            os.path.join(source, "doc/options.txt")]:
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'"[^"\n]*doc/([\w-]+\.md)' if path.endswith(".c") else r"doc/([\w-]+\.md)", file.read()):
                named.setdefault("doc/" + name, path)
    for path in ["README.md"] + [line for line in read("debian/quicktap-doc.docs").split() if line.endswith(".md")]:
        for name in re.findall(r"\bdoc/([\w-]+\.md)|\]\(([\w-]+\.md)[#)]", read(path)):
            named.setdefault("doc/" + (name[0] or name[1]), path)
    return named


def zsh_defects():
    """Returns a message unless the Debian package has the completion of zsh in a directory that Debian's zsh reads."""
    if not shutil.which("zsh"):
        return []
    found = subprocess.run(["zsh", "-fc", "print -l $fpath"], capture_output=True, text=True, check=True).stdout.split()
    lines = [line.split() for line in read("debian/quicktap.install").splitlines() if "/zsh/" in line]
    return [f"zsh does not read /{to}" for *_, to in lines if "/" + to not in found]


report("debian-lists", unmatched(debian_lists()))
report("rpm-lists", unmatched(rpm_lists()))

required = set(re.findall(r"[\w.+-]+", re.search(r"Build-Depends:(.*?)\n\n", read("debian/control"), re.S)[1]))
quickstart = set(re.search(r'^build_packages="(.*?)"', read("quickstart"), re.M | re.S)[1].split())
report("build-depends", [f"{name}: in quickstart, but not in debian/control"
                         for name in sorted(quickstart - required - {"gcc", "make", "autoconf"})])

lists = [set(read("debian/quicktap-doc.docs").split()), set(re.search(r"^%doc (doc/.*)$", read("packaging/quicktap.spec"), re.M)[1].split())]
report("documents", [f"{name}: named in {by}, but not packaged" for name, by in sorted(documents_named().items())
                     if os.path.exists(os.path.join(source, name)) and not all(name in files for files in lists)])
report("debian-zsh", zsh_defects())
