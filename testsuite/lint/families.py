# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the probe families, and their forms, without a test or a manual page, one per line. With "-v" prints the
# inventory instead.
#   registry.c                     the families: each has error/family-NAME.tests
#   list/probe-types.out           the forms (list/run.sh compares it with the output of stap): each is listed by a line "point" or "of_command" of
#                                  list/points.tests, and probed by a test of live/ (or of bpf/, run/ and others that kernels run)
#   doc/stapprobes.3stap.in        the page names the first two words of each form
# process, process("PATH") and process(PID) count as one, so do timer.ms and timer.msec; a library is as its program.
import glob
import re
import sys

STRING = r'\((?:\\*"(?:[^"\\]|\\.)*"|\\*"[^()]*"|@\d)\)'
NUMBER = r'\((?:-?[0-9a-fA-Fx]+|\$\$?\w+|%\w+|@\w+@)\)'


def read(*names):
    return "\n".join(open(f, errors="replace").read() for n in names for f in sorted(glob.glob(n)))


def plain(text):
    text = re.sub(r"\bprocess(?:%s|%s|\$of|\((?:string|number)\))" % (STRING, NUMBER), "process", text)
    text = re.sub(r"\.library(?:%s|\(string\))" % STRING, "", text)
    text = re.sub(r"\bpython(?:2\b|\$v)", "python3", text)
    return re.sub(r"\btimer\.([mun]?s)ec\b", r"timer.\1", text)


def looks_like(form):
    form = re.escape(form).replace(r"\(string\)", STRING).replace(r"\(number\)", NUMBER)
    return re.compile(r"(?<![\w.)])" + form + r"(?![\w.(]|\$)")


families = re.findall(r"F\((\w+)\)", read("translator/probes/registry.c"))[1:]
forms = sorted(set(plain(read("testsuite/list/probe-types.out")).split()))
listed = plain("\n".join(re.findall(r"^\s*(?:point|of_command) .*", read("testsuite/list/points.tests"), re.M)))
probed = plain(read("testsuite/live/*.test", "testsuite/bpf/*.test", "testsuite/run/*.stp", "testsuite/syscalls/*", "testsuite/staprun/vm.sh"))
page = read("doc/stapprobes.3stap.in").replace('"', " ")

for name in families:
    tests = len(re.findall(r"^(?:refused|bad) ", read("testsuite/error/family-%s.tests" % name), re.M))
    if "-v" in sys.argv:
        print("%s\t%d wrong arguments" % (name, tests))
    elif tests < 3:
        print("probe family %s: testsuite/error/family-%s.tests has no three wrong arguments of it" % (name, name))
for form in forms:
    lacks = [what for what, where in (("is listed by no line of list/points.tests", listed), ("is probed by no live test", probed))
             if not looks_like(form).search(where)]
    words = re.findall(r"[a-z_0-9]+(?=[.(]|$)", re.sub(r"\(\w+\)", "", form))[:2]
    if not all(re.search(r"\b%s\b" % w, page) for w in words):
        lacks.append("is not in doc/stapprobes.3stap.in")
    if "-v" in sys.argv:
        print("%s\t%s" % (form, "; ".join(lacks) or "listed, probed, described"))
    else:
        for what in lacks:
            print("probe point %s %s" % (form, what))
