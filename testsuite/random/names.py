# SPDX-License-Identifier: GPL-2.0-or-later
# Names of a kernel and of the test programs from which scripts are generated, as listed by `stap -L`: each is a
# probe point with the variables of its handler. The lists are cached in the directory of a run.
import json
import os
import re
import subprocess

# Patterns for the kernel. A few suffice: the generator chooses names at random, and a short run should not wait for
# lists.
KERNEL = {
    'function': ['kernel.function("vfs_*").call', 'kernel.function("tcp_s*").call', 'kernel.function("do_sys*").call',
                 'kernel.function("__alloc*").call', 'kernel.function("*_filp_*").call', 'kernel.function("ip_*").call'],
    'return': ['kernel.function("vfs_*").return', 'kernel.function("do_f*").return', 'kernel.function("sock_*").return'],
    'inline': ['kernel.function("vfs_*").inline', 'kernel.function("fsnotify*").inline'],     # excludes functions that are
											      # inlined thousands of times
    'exported': ['kernel.function("kernel_*").exported'],
    'label': ['kernel.function("vfs_*").label("*")', 'kernel.function("do_*").label("out*")'],
    'callees': ['kernel.function("vfs_read").callees'],
    'statement': ['kernel.statement("vfs_read@*:*")', 'kernel.statement("do_sys_openat2@*:*")', 'kernel.statement("tcp_sendmsg@*:*")'],
    'trace': ['kernel.trace("*")'],
    'module': ['module("fuse").function("fuse_a*").call', 'module("fuse").function("fuse_d*").return', 'module("xfs").function("xfs_buf_*").call'],
    'syscall': ['syscall.*', 'syscall.*.return'],
    'nd_syscall': ['nd_syscall.*', 'nd_syscall.*.return'],
    'alias': ['vm.*', 'scheduler.*', 'signal.*', 'tcp.*', 'udp.*', 'socket.*', 'vfs.*', 'ioblock.*', 'kprocess.*', 'irq_handler.*',
              'softirq.*', 'workqueue.*', 'netdev.*', 'tty.*', 'generic.*', 'task.*', 'vfs.read.*', 'ioscheduler.*', 'kmem.*', 'memory.*'],
}

# Sources in testsuite/programs, compilers and options.
PROGRAMS = {
    'known': ('known.c', ['-O0']), 'known2': ('known.c', ['-O2']), 'kinds': ('kinds.c', ['-O2']), 'kinds0': ('kinds.c', ['-O0', '-gdwarf-4']),
    'marks': ('marks.c', ['-O2']), 'others': ('others.c', ['-O1', '-pthread']), 'boxes': ('boxes.cc', ['-O1']), 'plus': ('kinds.cc', ['-O2']),
    'clones': ('clones.c', ['-O2']), 'nowhere': ('nowhere.c', ['-O2']), 'bare': ('leaves.c', ['-O2', '-s']),
}
PROGRAM = {
    'function': '.function("*").call', 'return': '.function("*").return', 'statement': '.statement("*@*:*")', 'mark': '.mark("*")',
    'plt': '.plt("*")', 'inline': '.function("*").inline', 'label': '.function("*").label("*")',
}
OTHERS = {
    'library': ['process("%s").library("libc.so*").function("str*").call', 'process("%s").library("libc.so*").plt("*")'],
    'libraries_marks': ['process("%s").library("libc.so*").mark("*")'],
}
# Structs used in @cast.
STRUCTS = ['task_struct', 'file', 'inode', 'dentry', 'sk_buff', 'sock', 'mm_struct', 'vm_area_struct', 'page', 'super_block',
           'tcp_sock', 'cred', 'signal_struct', 'list_head', 'rb_node', 'iphdr', 'bio', 'request', 'path', 'qstr']
COMMON = ['task_struct', 'file', 'dentry', 'sk_buff', 'list_head', 'tcp_sock', 'qstr', 'iphdr']


class Point:
    def __init__(self, kind, text, variables):
        self.kind, self.text, self.variables = kind, text, variables

    def named(self, wanted):
        return [name for name, type in self.variables if wanted(name, type)]


class Names:
    def __init__(self, stap, release, directory, source, quick):
        self.stap, self.release, self.source, self.quick = stap, release, source, quick
        self.directory = directory
        self.points, self.structs = {}, {}
        cache = os.path.join(directory, 'names-%s%s.json' % (release, '-quick' if quick else ''))
        self.programs()
        if os.path.exists(cache):
            kept = json.load(open(cache))
        else:
            kept = {'points': self.list_points(), 'structs': self.list_structs(), 'functions': self.list_functions(),
                    'refused': []}
            self.refused, self.functions = set(), kept['functions']
            kept['refused'] = self.list_refused()
            json.dump(kept, open(cache, 'w'))
        self.refused, self.structs, self.functions = set(kept['refused']), kept['structs'], [tuple(f) for f in kept['functions']]
        self.types = self.run(['--dump-probe-types']).split()
        for kind, text, variables in kept['points']:
            self.points.setdefault(kind, []).append(Point(kind, text, variables))
        self.kinds = sorted(self.points)

    def run(self, arguments):
        result = subprocess.run([self.stap, '-r', self.release] + arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                stdin=subprocess.DEVNULL, universal_newlines=True, errors='replace')
        return result.stdout

    def programs(self):
        self.program = {}
        os.makedirs(os.path.join(self.directory, 'programs'), exist_ok=True)
        for name, (source, options) in sorted(PROGRAMS.items()):
            output = os.path.join(self.directory, 'programs', name)
            if not os.path.exists(output):
                compiler = 'g++' if source.endswith('.cc') else 'gcc'
                subprocess.run([compiler, '-g', '-I' + self.source + '/include', '-w', '-o', output,
                                os.path.join(self.source, 'testsuite/programs', source)] + options, stderr=subprocess.DEVNULL)
            if os.path.exists(output):
                self.program[name] = output

    def list_points(self):
        found = []
        for kind, patterns in sorted(KERNEL.items()):
            for pattern in patterns[:2 if self.quick else None]:
                found += self.listed(kind, pattern, 60 if self.quick else 400)
        for program in sorted(self.program.values()):
            for kind, suffix in sorted(PROGRAM.items()):
                found += self.listed('process ' + kind, 'process("%s")%s' % (program, suffix), 60)
        for kind, patterns in sorted(OTHERS.items()):
            for pattern in patterns:
                found += self.listed('process ' + kind, pattern % self.program['known'], 60)
        return found

    # Returns the points in lines of -L, each with "name:type" for its variables, where types may contain blanks.
    def listed(self, kind, pattern, most):
        found = []
        for line in sorted(self.run(['-L', pattern]).split('\n')):
            match = re.match(r'((?:[^ "]|"[^"]*")+)(.*)', line)
            if not match or not match.group(1):
                continue
            variables = re.findall(r' (\$?[A-Za-z_]\w*|@entry\([^)]*\)):((?:(?! \$?[A-Za-z_]\w*:).)*)', match.group(2))
            found.append((kind, match.group(1), [(name, type.strip()) for name, type in variables]))
        if len(found) > most:
            step = len(found) / most
            found = [found[int(i * step)] for i in range(most)]
        return found

    def list_structs(self):
        found = {}
        for name in COMMON if self.quick else STRUCTS:
            text = self.run(['--json', '--types=' + name])
            try:
                found[name] = [(m['name'], m['type']) for m in json.loads(text)['members'] if re.match(r'\w+$', m.get('name', ''))]
            except (ValueError, KeyError):
                pass
        return found

    def list_functions(self):
        found = []
        for line in sorted(set(self.run(['--dump-functions']).split('\n'))):
            match = re.match(r'(\w+):(\w+) \((.*)\)$', line)
            if match:
                types = [p.split(':')[-1].strip() for p in match.group(3).split(',') if p.strip()]
                found.append((match.group(1), match.group(2), types))
        return found

    # Returns functions that require guru mode, or that are not available to the script: one script calls all.
    def list_refused(self):
        calls = ['\t%s(%s)' % (name, ', '.join('"1"' if t == 'string' else '1' for t in types)) for name, _, types in self.functions]
        text = 'probe kernel.function("vfs_read") {\n%s\n}\n' % '\n'.join(calls)
        result = subprocess.run([self.stap, '-r', self.release, '-p2', '--semantic-keep-going', '-e', text], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, universal_newlines=True, errors='replace')
        return sorted(set(re.findall(r"rror: '?(\w+)'? may only", result.stderr)))
