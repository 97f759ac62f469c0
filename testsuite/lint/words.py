#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the wording of comments, messages and manual pages in the directories of COVERED: a comment does not begin
# with a word that makes it a fragment, and common words are used instead of idiom that readers do not know. Prints
# each finding.
# With arguments, checks these files and directories instead.
import os
import re
import sys

# Directories and files to which the rules apply.
COVERED = ['staprun', 'runtime', 'tapsets', 'doc', 'README.md', 'HACKING.md', 'bench', 'testsuite', 'translator', 'dtrace', 'python', 'include',
           'report', 'examples', 'editors', 'completions', 'debian', 'packaging', 'quickstart', '.ci', 'Makefile.in', 'configure.ac']

# Kinds of files by their names: with comments of C (and strings, unless they are scripts), with comments after #,
# other text.
C = ('.c', '.h', '.cc', '.def', '.stp', '.stpm')
SCRIPT = ('.stp', '.stpm')
HASH = ('.sh', '.test', '.tests', '.py', 'Makefile.in')

# Examples begin with the question that they answer.
FRAGMENT = re.compile(
    r'(What|Who|Whose|Where|Whether|Of|Those|Nobody|How|Such|False|True|And|But|Or|Else)\b(?![^.]*\?)|'
    r'(of|that|those|whose|by which|by whom|as of|when|else) (?!\d)|As \w+\(\)|The same (as|at|by|for|in|of|with)\b')

IDIOM = [(re.compile(pattern, re.I), instead) for pattern, instead in (
    (r'(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|less\b|such\b|other\b)(?=\w)', 'is not a, invalid, unknown, not found'),
    (r'\b(it|that|this|these|which) (is|are) none\b', 'not found, not available'),
    (r'\b(is|are|was|were|be|been) (told|said)\b', 'is reported, is printed'),
    (r"\b(can't|cannot) be told\b", 'cannot be determined'),
    (r"\b(isn't|is not|aren't|are not) known (here|as|to)\b|\bas far as (is )?known\b", 'cannot be determined'),
    (r'\bwhat is (kept|meant|known|there)\b', 'cache, cached; the name of the thing'),
    (r'\bchains? of calls\b', 'call stack, backtrace'),
    (r'\bof old\b', 'removed, obsolete, legacy'),
    (r'\bunder way\b', 'in progress'),
    (r'\blets? go of\b', 'releases'),
    (r'\bcomes? by\b', 'reaches, enters'),
    (r'\bgo(es)? away\b|\b(is|are|was|has|have) gone\b', 'is unloaded, exits, is freed'),
    (r'\bwho has (not|no|all)\b', 'unprivileged users'),
    (r'\bnot to be had\b|\bto be had\b', 'lock timeout, not available'),
    (r'\bhow much room\b|\bno room\b|\broom for\b|\bthere is room\b', 'size, capacity, space'),
    (r'\b(this|that|any|every|each|what|which|all|two|several) sorts? of\b', 'kind of'),
    (r'\bor none\b', 'or NULL, or 0, or it does not exist'),
    (r'\bsomebody\b|\bwhoever\b', 'the name of the process, user or thread'),
    (r'\bMOST_[A-Z]', 'MAX_X'),
    (r'^(?!.*\b(leav|left|stay)).*\bbehind\b', 'after, past'),
    (r'\bbut for (the|a|an|its|their|what|those|handlers|n)\b', 'except, up to'),
    (r'\banew\b|\bin vain\b', 'again, without effect'),
    (r'\bthe same (of|by)\b', 'the name of the thing again'),
    (r'\bas [^.,;:]{1,30} (has|have) (it|them)\b', 'as in, in the form of, like'),
    (r'\bwhat (is|was|were|are) (lost|left|added|sent|saved)\b', 'losses, the rest, the increase, the data that'),
    (r'\b(is|are) there since\b|\btells? \S+ from\b', 'exists since; distinguishes'),
    (r'\breturns how (many|much|often|deep)\b', 'returns the number of'),
    (r'[.:;] who [a-z]+s it\b', 'the process, user or thread that'),
    (r'(?<!tak)(?<!takes )(?<!take )(?<!taken )(?<!in )\b(the|a|one|this|that|same|two|several|only|its|their|whose) places?\b(?! (of|where) \S+ is printed)',
     'location, address, offset, position'),
)]


# Messages quote words by "...": strings of the directories below must not contain words in '...', unless they are
# code that a shell or the kernel's build reads, or contain the word at which a probe was ("near operator '+'").
QUOTED = ('translator', 'runtime', 'staprun')
QUOTE = re.compile(r"""(?<![\w\\])'(?=[^' ])[^'\n]*?[^' \\"]'(?!\w)|(?<![\w\\])'[^' \\"\n]'(?!\w)""")
NOT_QUOTED = re.compile(r"Usage: |Try 'st|-e '|not 'NAME|printf '|echo '|trap '|NAME export|; *$|= *'|%s '%s' at %s|near |\[0\]|^\\\"'")


# Messages have no contractions, and exactly one function reports target variables that are not found.
CONTRACTION = re.compile(r"\b\w+n't\b")
NOT_FOUND = re.compile(r'unable to find (local|member)\b|unable to find \\"\$?%s\\"(?! in %s%s)')


def comments(text):
    """Yields (line number, text) of each comment in C. Lines of // comments that follow each other are one comment."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/', re.S)
    for match in pattern.finditer(text):
        if match.group().startswith('/'):
            # Comments at the ends of successive code lines are separate ones.
            yield text.count('\n', 0, match.start()) + 1, match.group()


def strings(text):
    for match in re.finditer(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])+\'|"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', text, re.S):
        if match.group().startswith('"'):
            yield text.count('\n', 0, match.start()) + 1, re.sub(r'"\s*"', '', match.group())


def hash_comments(text):
    """Yields (line number, text) of each block of lines that begin with "# ", without directives for tools."""
    for match in re.finditer(r'(?m)^[ \t]*# [^\n]*(?:\n[ \t]*# [^\n]*)*', text):
        lines = [line.strip()[2:] for line in match.group().split('\n')]
        lines = [line for line in lines if not re.match(r'SPDX|shellcheck |[a-z]+: ', line)]
        if lines:
            yield text.count('\n', 0, match.start()) + 1, ' '.join(lines)


def plain(comment):
    text = re.sub(r'\s+', ' ', re.sub(r'(?m)^[ \t]*(//|/\*+|\*/|\*)', '', comment)).replace('*/', '').strip()
    return re.sub(r'^SPDX-License-Identifier: \S+ ', '', text)        # the comment at the head of a file follows
								      # this line


def idiom(path, line, text):
    for pattern, instead in IDIOM:
        match = pattern.search(text)
        if match:
            print(f'{path}:{line}: "{match.group()}": write {instead}')


def report(path, line, comment):
    if FRAGMENT.match(comment):
        print(f'{path}:{line}: a comment begins with "{comment.split()[0]}": begin with the thing, and write a full sentence')
    idiom(path, line, comment)


def check(path):
    text = open(path, encoding='utf-8', errors='replace').read()
    if path.endswith(HASH) or text.startswith('#!'):
        for line, comment in hash_comments(text):
            report(path, line, comment)
    elif path.endswith(C):
        for line, comment in comments(text):
            report(path, line, plain(comment))
        for line, string in () if path.endswith(SCRIPT) else strings(text):
            idiom(path, line, string)
            for wrong, instead in ((CONTRACTION, 'in messages, write "cannot", "does not"'),
                                   (NOT_FOUND, 'call target_not_found()')):
                if path.startswith(QUOTED) and wrong.search(string):
                    print(f'{path}:{line}: "{wrong.search(string).group()}": {instead}')
            if path.startswith(QUOTED) and QUOTE.search(string) and not NOT_QUOTED.search(string):
                print(f'{path}:{line}: {QUOTE.search(string).group()}: messages quote with "..."')
    else:
        for number, line in enumerate(text.split('\n'), 1):
            idiom(path, number, line.replace('\\-', '-'))


def is_checked(path):
    if path.endswith(('.md', '.in', '.txt', '.8', '.3stap') + C + HASH):
        return True
    with open(path, 'rb') as file:
        return file.read(2) == b'#!'


def files(path):
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(top, name) for top, _, names in os.walk(path) for name in names
                  if is_checked(os.path.join(top, name)))


for root in sys.argv[1:] or COVERED:
    for name in files(root):
        check(name)
