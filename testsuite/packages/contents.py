#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# contents.py SOURCE INSTALLED: compares the files that `make install` put below INSTALLED (its prefix) with the lists of the Debian
# packages and of the RPM spec, and the packages that quickstart installs for a build with those that debian/control requires.
import fnmatch
import glob
import os
import re
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
        yield from ((name, line) for line in read(f"debian/{name}.install").split())


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


report("debian-lists", unmatched(debian_lists()))
report("rpm-lists", unmatched(rpm_lists()))

required = set(re.findall(r"[\w.+-]+", re.search(r"Build-Depends:(.*?)\n\n", read("debian/control"), re.S)[1]))
quickstart = set(re.search(r'^build_packages="(.*?)"', read("quickstart"), re.M | re.S)[1].split())
report("build-depends", [f"{name}: in quickstart, but not in debian/control"
                         for name in sorted(quickstart - required - {"gcc", "make", "autoconf"})])
