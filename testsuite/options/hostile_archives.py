#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Archives that try to write outside of the directory that they are unpacked into: hostile_archives.py STAP DIR. Prints what
went wrong. Known attacks, each with the expected message; archives of random paths and links, of which only the
effect is checked; damaged packages. Only the cache may change, and each link in it must lead to a path inside the
unpacked tree."""
import gzip
import hashlib
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile

stap, jail = sys.argv[1:3]
home = os.path.join(jail, "home")
trees = os.path.join(home, "cache", "trees")
problems = []


def entry(name, kind=tarfile.REGTYPE, target="", content=b"x"):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, 0o4777
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    return info, content


def tar(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def deb(data):
    def member(name, content):
        return f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return b"!<arch>\n" + member("debian-binary", b"2.0\n") + member("control.tar", tar([])) + member("data.tar", data)


def rpm(entries):
    """A lead, two headers without entries, and a compressed cpio archive."""
    header = b"\x8e\xad\xe8\x01\0\0\0\0" + struct.pack(">II", 0, 0)
    out = b"\xed\xab\xee\xdb\3\0" + b"\0" * 90 + header + header
    body = b""
    for number, (name, mode, content) in enumerate(entries + [("TRAILER!!!", 0, b"")]):
        fields = [number + 1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        part = b"070701" + "".join(f"{f:08x}" for f in fields).encode() + name.encode() + b"\0"
        part += b"\0" * (-len(part) % 4) + content
        body += part + b"\0" * (-len(part) % 4)
    return out + gzip.compress(body, mtime=0)


def state():
    """Returns all files outside of the cache, with their contents."""
    seen = {}
    for where, dirs, files in os.walk(jail):
        dirs[:] = [d for d in dirs if os.path.join(where, d) != home]
        for name in files + dirs:
            path = os.path.join(where, name)
            if os.path.islink(path):
                seen[path] = os.readlink(path)
            elif os.path.isfile(path):
                seen[path] = hashlib.sha256(open(path, "rb").read()).hexdigest()
            else:
                seen[path] = "directory"
    return seen


def inside(name):
    """Each link leads inside its tree, each file has a harmless mode."""
    for tree in os.listdir(trees) if os.path.isdir(trees) else []:
        root = os.path.join(trees, tree)
        if not os.path.isdir(root):
            continue
        if ".new-" in tree:
            problems.append(f"{name}: {tree} was left")
        for where, dirs, files in os.walk(root):
            for path in (os.path.join(where, f) for f in dirs + files):
                if os.path.islink(path):
                    real = os.path.realpath(path)
                    if real != os.path.realpath(root) and not real.startswith(os.path.realpath(root) + "/"):
                        problems.append(f"{name}: {path} -> {os.readlink(path)} leads to {real}")
                elif os.path.isfile(path):
                    if os.stat(path).st_mode & 0o7022:
                        problems.append(f"{name}: mode {os.stat(path).st_mode:o} of {path}")
                elif not os.path.isdir(path):
                    problems.append(f"{name}: {path} is neither a file nor a directory")


def attempt(name, content, expected=None):
    package = os.path.join(jail, "package")
    open(package, "wb").write(content)
    before = state()
    run = subprocess.run([stap, "--headers=" + package, "-p2", "-e", "probe begin { }"], stdin=subprocess.DEVNULL, capture_output=True,
                         env={**os.environ, "SYSTEMTAP_DIR": home, "TMPDIR": os.path.join(jail, "tmp")}, timeout=300)
    message = run.stderr.decode(errors="replace")
    if run.returncode != 1 or "ERROR: " not in message or (expected and expected not in message):
        problems.append(f"{name}: status {run.returncode}, not 1, or lacks \"{expected}\": {message[:300]}")
    after = state()
    for path in sorted(set(before) | set(after)):
        if before.get(path) != after.get(path):
            problems.append(f"{name}: {path} was changed from {before.get(path)} to {after.get(path)}")
    inside(name)
    shutil.rmtree(home)


LINK, HARD = tarfile.SYMTYPE, tarfile.LNKTYPE
out, below = "is a link to", "is below a path that another entry has created as a link"
NOTHING = "no configured kernel"
ATTACKS = [
    ("parent", [entry("../victim/file")], 'contains ".."'),
    ("parent-inside", [entry("usr/../../victim/file")], 'contains ".."'),
    ("absolute", [entry(jail + "/victim/file")], NOTHING),
    ("link-out", [entry("l", LINK, "../../../../victim")], out),
    ("link-absolute", [entry("l", LINK, jail + "/victim"), entry("l/file")], below),
    ("link-then-file", [entry("l", LINK, "usr"), entry("l/file")], below),
    ("link-replaced", [entry("l", LINK, jail + "/victim/file"), entry("l")], NOTHING),
    ("link-by-link", [entry("p/q/s", LINK, "../.."), entry("e", LINK, "p/q/s/../../../../victim/file"), entry("e")], out),
    ("link-behind-link", [entry("p/q/s", LINK, "../.."), entry("e", LINK, "p/q/s/../../victim"), entry("e/file")], below),
    ("hard-out", [entry("h", HARD, "../../../../victim/file")], "hard link"),
    ("hard-absolute", [entry("h", HARD, jail + "/victim/file")], "hard link"),
    ("hard-to-link", [entry("l", LINK, "/victim/file"), entry("h", HARD, "l")], "hard link"),
    ("hard-below-link", [entry("l", LINK, "/victim"), entry("h", HARD, "l/file")], below),
    ("hard-to-itself", [entry("h"), entry("h", HARD, "h")], NOTHING),
    ("directory-then-link", [entry("d/f"), entry("d", LINK, "/victim")], "another entry made it a directory"),
    ("device", [entry("d", tarfile.CHRTYPE), entry("b", tarfile.BLKTYPE), entry("f", tarfile.FIFOTYPE)], NOTHING),
    ("modes", [entry("f")], NOTHING),
    ("line-break", [entry("a\nb")], "is not unpacked"),
    ("long", [entry("a/" * 3000 + "f")], "is not unpacked"),
    ("release", [entry("include/generated/autoconf.h"), entry("include/generated/utsrelease.h", content=b'UTS_RELEASE "../../x"')],
     "lack Makefile"),
]


def main():
    shutil.rmtree(jail, ignore_errors=True)
    for name in ("victim", "tmp"):
        os.makedirs(os.path.join(jail, name))
    open(os.path.join(jail, "victim", "file"), "w").write("as it was")
    for name, entries, expected in ATTACKS:
        attempt(name, tar(entries), expected)
        attempt(name + ".deb", deb(tar(entries)), expected)
    attempt("rpm", rpm([("./a", 0o100644, b"x"), ("../victim/file", 0o100644, b"x")]), 'contains ".."')
    attempt("rpm-link", rpm([("./l", 0o120777, (jail + "/victim").encode()), ("./l/file", 0o100644, b"x")]), below)
    chance = random.Random(1)
    words = ["a", "b", "c", "..", ".", "", "victim", "file"]

    def path(longest):
        return chance.choice(["", "", "/", "./"]) + "/".join(chance.choice(words[:3] * 3 + words) for _ in range(chance.randint(1, longest)))
    for number in range(150):
        kinds = [tarfile.REGTYPE, LINK, LINK, HARD]
        entries = [entry(path(4) or "a", chance.choice(kinds), path(7)) for _ in range(chance.randint(1, 8))]
        entries = [e for e in entries if ".." not in e[0].name.split("/") or chance.random() < 0.1]
        attempt(f"random {number}", tar(entries))
    whole = bytearray(deb(gzip.compress(tar([entry("a/b", content=b"text" * 1000), entry("c", LINK, "a/b")]), mtime=0)))
    for number in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        attempt(f"damaged {number}", bytes(damaged[:chance.choice([len(damaged), chance.randrange(len(damaged))])]))
    print("\n".join(problems[:20]))


main()
