#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Waits of the runtime: each call that can wait (for other CPUs, RCU, a lock, a file system, user memory, text to be patched) has
"bounded:" or "Bounded wait:" with a bound or a proof in the comment of its line, in the comment directly above it, or above its
function. Prints those that have none. Usage: waits.py DIRECTORY"""
import glob
import re
import sys

WAIT = re.compile(r"""\b(?!stp_|compat_)(
    synchronize_\w+ | \w+_synchronize_\w+ | \w+_sync | wait_for_completion\w* | wait_event\w* | flush_\w+ |
    mutex_lock\w* | inode_lock\w* | down_(read|write)\w* | (raw_|arch_)?spin_lock(?!_init)\w* | cpus_read_lock |
    unregister_\w+ | \w+_unregister\w* | register_(?!tracepoints)\w+ | \w+_probe_register | hrtimer_cancel | cancel_\w+ | misc_(de)?register |
    nf_register_net_hook | for_each_kernel_tracepoint | remove_proc_\w+ | proc_remove | cpuhp_\w+ | static_(branch|key)_\w+ |
    smp_call_function\w* | on_each_cpu\w* | stop_machine\w* | perf_event_(create_kernel_counter|release_kernel|read_value) |
    schedule(_timeout\w*)? | msleep\w* | usleep\w* | udelay | cpu_relax | plat_pause | plat_handlers_wait | kern_path\w* | kernel_read |
    copy_(to|from)_user | simple_read_from_buffer | ftrace_set_filter\w* | ftrace_free_filter )\(""", re.X)
BOUND = re.compile(r"bounded:|Bounded\s+wait:")
DECLARATION = re.compile(r"^(static |inline |extern )*(noinline )?(struct \w+|void|int|bool|u32|u64|ssize_t|size_t|compat_\w+) \**\w+\(")


def comments(line, inside):
    """Returns the line without its comments, and their text."""
    text, code = "", ""
    while line:
        if inside:
            end = line.find("*/")
            text += line if end < 0 else line[:end]
            line = "" if end < 0 else line[end + 2:]
            inside = end < 0
        else:
            start = line.find("/*")
            code += line if start < 0 else line[:start]
            line = "" if start < 0 else line[start + 2:]
            inside = start >= 0
    return code, text, inside


def check(path):
    bad, inside, above, before_function, in_function = [], False, "", "", False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        code, text, inside = comments(re.sub(r"//.*", "", line), inside)
        if not code.strip():               # a comment, or an empty line
            above = above + text if text else ""
            continue
        if line[0] not in "\t{ " and not code.startswith("#"):
            if code.startswith("}"):
                in_function = False
            elif DECLARATION.match(code):
                before_function = above
                in_function = True
        found = WAIT.search(code)
        if found and not (line[0] not in "\t " and (DECLARATION.match(code) or code.startswith(("#", "_Static_assert")))) and \
                not any(BOUND.search(t) for t in (text, above, before_function if in_function else "")):
            bad.append((number, found.group(1)))
        above = text if inside else ""
    return bad


def main(root):
    bad = 0
    for path in sorted(glob.glob(root + "/runtime/kernel/*.[ch]") + glob.glob(root + "/runtime/core/*.[ch]")):
        for number, name in check(path):
            print(f"{path[len(root) + 1:]}:{number}: {name}() may wait: its comment needs \"bounded:\" and a bound or a proof")
            bad = 1
    return bad


sys.exit(main(sys.argv[1]))
