#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs passes 2 to 4 on scripts that are made at random from the grammar and from names that exist (script.py, names.py).

  fuzz.py --stap STAP --release RELEASE [--minutes 30 | --scripts N] [--seed N]   reports crashes, messages of sanitizers, failed
        assertions, passes that take over 10 s of CPU, and scripts that pass 2 accepts and that do not compile
  fuzz.py ... --script N        prints script N of that seed and runs it alone
  fuzz.py ... --modules DIR     builds N modules there for load.sh, from scripts that a guest survives

STAP should be built with sanitizers, and finds its library and runtime as usual. A failure is saved in
DIRECTORY/found: the script as made, NAME.small.stp without the lines that are not necessary for the failure, and
the output. Every script depends only on the seed and its number."""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import time

import names
import script

CRASH = re.compile(r'AddressSanitizer|runtime error:|Assertion|bug of the translator|LeakSanitizer|UndefinedBehavior|stack smashing|CONTEXT:')
# Messages of errors that only pass 3 or 4 can detect.
LATE = re.compile(r'MINSTACKSPACE|bytes of stack|too large|is exhausted|memory|--rlimit')
# Turns warnings of the compiler into errors; stap does not print them if the module compiles.
STRICT = 'KCFLAGS=' + ' '.join('-Werror=' + name for name in ('int-conversion', 'incompatible-pointer-types', 'implicit-function-declaration'))


def limit_cpu(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Result:
    def __init__(self, status, output):
        self.status, self.output = status, output

    def crashed(self):
        """Returns the problem that is an error for every script, or None."""
        if self.status == -signal.SIGXCPU or self.status == -signal.SIGKILL:
            return 'hang'
        if self.status < 0:
            return 'signal %d' % -self.status
        match = CRASH.search(self.output)
        if match:
            return match.group(0)
        return 'status %d' % self.status if self.status not in (0, 1) else None


class Fuzzer:
    def __init__(self, options):
        self.options = options
        self.directory = os.path.abspath(options.directory)
        self.found = os.path.join(self.directory, 'found')
        os.makedirs(self.found, exist_ok=True)
        self.names = names.Names(options.names or options.stap, options.release, self.directory, options.source, options.quick)
        self.names.limits = self.limits()
        self.counts = dict.fromkeys(['scripts', 'parsed', 'accepted', 'compiled', 'failed'], 0)
        self.seen = {}
        os.environ.setdefault('ASAN_OPTIONS', 'detect_leaks=0')
        os.environ.setdefault('UBSAN_OPTIONS', 'print_stacktrace=1')

    def limits(self):
        text = open(os.path.join(self.options.source, 'runtime/include/limits.def')).read()
        rows = re.findall(r'^LIMIT\((\w+), (-?\d+), (\d+), (\w+)', text, re.M)
        return [(n, int(least), int(most), int(d) if d.isdigit() else 10) for n, least, most, d in rows]

    def script(self, number):
        return script.Script(random.Random('%s/%d' % (self.options.seed, number)), self.names, bool(self.options.modules))

    def stap(self, path, options, last, more=()):
        # No word of the command contains a space, so that the command can be copied from the report.
        command = [self.options.stap, '-r', self.options.release, '-p%d' % last, '-B', STRICT] + list(more) + options + [path]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=self.directory,
                                  preexec_fn=lambda: limit_cpu(self.options.hang), timeout=1800, universal_newlines=True, errors='replace')
        except subprocess.TimeoutExpired:
            return Result(-signal.SIGKILL, 'no end after 1800 s')
        return Result(done.returncode, done.stdout)

    def problem(self, path, options, number=0):
        """Returns (the problem or None, its output, the last pass that succeeded)."""
        result = self.stap(path, options, 4)
        if result.crashed():
            return 'pass 4: ' + result.crashed(), result.output, 0
        # Some runs also print the generated code, or the errors of one pass.
        for last in (2, 3) if result.status or number % 4 == 0 else ():
            printed = self.stap(path, options, last)
            if printed.crashed():
                return 'pass %d: %s' % (last, printed.crashed()), printed.output, last - 1
            if printed.status:
                break
            if last == 3 and result.status and not LATE.search(result.output):
                return 'pass 4 fails', result.output, 3
        if not result.status:
            return None, '', 4
        return None, result.output, 0 if 'parse error' in result.output else 1 if last == 2 else 3

    def formatted(self, path):
        """Returns the problem with the standard layout of the script, or None, and the output of --fmt."""
        command = [self.options.stap, '-r', self.options.release, path]
        first = subprocess.run(command + ['--fmt'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.directory)
        if first.returncode < 0 or b'cannot format' in first.stderr or b'runtime error' in first.stderr:
            return '--fmt fails', first.stderr.decode(errors='replace')
        if first.returncode == 0:
            again = subprocess.run([self.options.stap, '--fmt', '-'], input=first.stdout, stdout=subprocess.PIPE, cwd=self.directory)
            if again.stdout != first.stdout:
                return '--fmt is not idempotent', first.stdout.decode(errors='replace')
        return None, ''

    def signature(self, what, output):
        """Returns a key that is equal for findings with the same cause: the location of the first frame in our
        code, or the message without names and numbers."""
        frame = re.search(r'#\d+ \S+ in (\w+) \S*/translator/|(\S+\.[ch]:\d+):\d+: runtime error', output)
        if frame:
            return what + ' ' + (frame.group(1) or frame.group(2))
        line = re.search(r'error: .*|Assertion .*|ERROR: .*', output)
        return what + ' ' + re.sub(r'\d+|["\'][^"\']*["\']|‘[^’]*’', '_', line.group(0) if line else '')[:80]

    def one(self, number):
        made = self.script(number)
        path = os.path.join(self.directory, 's%d.stp' % number)
        with open(path, 'w') as f:
            f.write(made.text)
        options = made.options
        if self.options.modules:
            return self.module(number, path, options)
        what, output, reached = self.problem(path, options, number)
        if not what:
            what, output = self.formatted(path)
        if not what:
            os.unlink(path)
        if self.options.refusals and reached < 2:
            lines = [line for line in output.split('\n') if 'rror' in line or 'ERROR' in line]
            print('%d: %s' % (number, (lines or [''])[0]))
        return number, what, output, reached, options

    def module(self, number, path, options):
        result = self.stap(path, options, 4, ['-m', 't_m%d' % number])
        what = result.crashed()
        if not what and result.status and self.stap(path, options, 2).status == 0 and not LATE.search(result.output):
            what = 'pass 4 fails'
        if result.status == 0:
            os.rename(os.path.join(self.directory, 't_m%d.ko' % number), os.path.join(self.options.modules, 't_m%d.ko' % number))
            os.rename(path, os.path.join(self.options.modules, 't_m%d.stp' % number))
        return number, what, result.output, 4 if result.status == 0 else 1, options

    def report(self, number, what, output, options):
        signature = self.signature(what, output)
        known = signature in self.seen
        self.seen[signature] = self.seen.get(signature, 0) + 1
        if known:
            return
        base = os.path.join(self.found, '%s-%d' % (self.options.seed, number))
        path = os.path.join(self.directory, 's%d.stp' % number)
        small = self.minimised(open(path).read(), options, signature, base + '.small.stp') if not self.options.modules else ''
        os.rename(path, base + '.stp')
        with open(base + '.txt', 'w') as f:
            f.write('%s\nstap %s %s\n\n%s' % (signature, ' '.join(map(shlex.quote, options)), base + '.stp', output))
        print('FOUND %s\n  stap -r %s -p4 %s %s\n%s' % (signature, self.options.release, ' '.join(map(shlex.quote, options)), base + '.small.stp',
                                                     re.sub('^', '    ', small + '\n'.join(output.split('\n')[:12]), flags=re.M)), flush=True)

    def minimised(self, text, options, signature, path):
        """Returns the script without the lines (blocks first) that are not necessary for the finding."""
        def same(lines):
            with open(path, 'w') as f:
                f.write('\n'.join(lines) + '\n')
            what, output, _ = self.problem(path, options)
            return what and self.signature(what, output) == signature

        lines, until, changed = text.rstrip('\n').split('\n'), time.time() + 60, True
        while changed and time.time() < until:
            changed, i = False, 0
            while i < len(lines) and time.time() < until:
                end, level = i, 0
                for end in range(i, len(lines)):
                    level += lines[end].count('{') - lines[end].count('}')
                    if level <= 0:
                        break
                if same(lines[:i] + lines[end + 1:]):
                    lines, changed = lines[:i] + lines[end + 1:], True
                else:
                    i += 1
        with open(path, 'w') as f:
            f.write('\n'.join(lines) + '\n')
        return '\n'.join(lines) + '\n'

    def run(self):
        began, number = time.time(), 0
        until = began + self.options.minutes * 60 if not self.options.scripts else None
        modules = 0
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            pending = set()
            while True:
                more = number < self.options.scripts if until is None else time.time() < until
                if self.options.modules:
                    more = modules < self.options.scripts
                while more and len(pending) < self.options.jobs * 2:
                    pending.add(pool.submit(self.one, number))
                    number += 1
                    more = until is not None or bool(self.options.modules) or number < self.options.scripts
                if not pending:
                    break
                done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    n, what, output, reached, options = future.result()
                    for name, least in (('scripts', 0), ('parsed', 1), ('accepted', 2), ('compiled', 4)):
                        self.counts[name] += reached >= least
                    modules += bool(self.options.modules) and reached == 4
                    if what:
                        self.counts['failed'] += 1
                        self.report(n, what, output, options)
        print('%(scripts)d scripts: %(parsed)d parsed, %(accepted)d accepted by pass 2, %(compiled)d compiled, %(failed)d failed' % self.counts,
              '(seed %s, %d kinds of failures, %d s)' % (self.options.seed, len(self.seen), time.time() - began))
        return 1 if self.seen else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--stap', required=True)
    parser.add_argument('--names', help='another build of stap that lists names, without sanitizers and faster')
    parser.add_argument('--release', required=True)
    parser.add_argument('--source', default=os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    parser.add_argument('--directory', default='/tmp/random')
    parser.add_argument('--minutes', type=float, default=30)
    parser.add_argument('--scripts', type=int, default=0)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--hang', type=int, default=10, help='seconds of CPU that a pass may take')
    parser.add_argument('--quick', action='store_true', help='fewer names, so that listing them takes little time')
    parser.add_argument('--script', type=int)
    parser.add_argument('--modules')
    parser.add_argument('--refusals', action='store_true', help='print why scripts are refused')
    options = parser.parse_args()
    options.stap = os.path.abspath(options.stap)
    fuzzer = Fuzzer(options)
    if options.script is None:
        return fuzzer.run()
    made = fuzzer.script(options.script)
    print(made.text, ' '.join(made.options))
    _, what, output, reached, _ = fuzzer.one(options.script)
    print(output, 'reached pass %d' % reached, what or '')


if __name__ == '__main__':
    sys.exit(main())
