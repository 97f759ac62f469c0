# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program and reports its function calls to probes: python3 -m HelperSDT PROGRAM ARGUMENTS...

In:  each call and return of a function written in Python, from the interpreter's profiler.
Out: a call of stap_python_call() or stap_python_return() in libhelpersdt.so with a struct Event, which
     tapsets/python_calls.stp reads. Values are converted to text without running code of the program.
"""
import ctypes
import os
import sys
import threading
import types

MAX_TEXT = 200       # characters of a value
MAX_ITEMS = 8        # of a list, a dictionary and so on
MAX_FRAMES = 64      # of a backtrace


class Event(ctypes.Structure):
    """Every field has eight bytes. Strings and tables of strings are valid during the call."""
    _fields_ = [
        ("major", ctypes.c_uint64),                             # of the interpreter: 2, 3
        ("module", ctypes.c_char_p),
        ("function", ctypes.c_char_p),                          # "name", or "Class.name"
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_uint64),                              # current line of the function
        ("variables", ctypes.POINTER(ctypes.c_char_p)),         # name, value, name, value...
        ("parameters", ctypes.c_uint64),                        # number of leading variables that are parameters
        ("count", ctypes.c_uint64),                             # of variables
        ("result", ctypes.c_char_p),                            # on return
        ("frames", ctypes.POINTER(ctypes.c_char_p)),            # "function at file:line", innermost first
        ("depth", ctypes.c_uint64),                             # of frames
    ]


PLAIN = (int, float, complex, bool, str, bytes, type(None), type(u""))
OPEN = {list: "[", tuple: "(", dict: "{", set: "{", frozenset: "{"}
CLOSE = {"[": "]", "(": ")", "{": "}"}


def cut(text):
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "..."


def several(value, kind):
    """Formats the first items of a list or other container. Another thread may change it meanwhile."""
    items = []
    for item in list(value.items() if kind is dict else value)[:MAX_ITEMS]:
        items.append("%s: %s" % (describe(item[0], True), describe(item[1], True)) if kind is dict
                     else describe(item, True))
    if len(value) > MAX_ITEMS:
        items.append("...")
    start = OPEN[kind]
    return start + ", ".join(items) + ("," if kind is tuple and len(value) == 1 else "") + CLOSE[start]


def describe(value, nested=False):
    kind = type(value)
    if kind is int and abs(value) >> 512:
        return "<int of %d bits>" % value.bit_length()
    if kind in (str, bytes, type(u"")):
        return cut(repr(value[:MAX_TEXT + 1]))
    if kind in PLAIN:
        return repr(value)
    if kind in OPEN and value and not nested:
        return cut(several(value, kind))
    if kind in OPEN:
        return "..." if value else {"{": "{}" if kind is dict else "set()"}.get(OPEN[kind], OPEN[kind] + CLOSE[OPEN[kind]])
    if kind in (types.FunctionType, types.ModuleType, type):
        return "<%s %s>" % (kind.__name__, value.__name__)
    return "<%s.%s at 0x%x>" % (kind.__module__, kind.__name__, id(value))


def module_of(frame):
    name = frame.f_globals.get("__name__")
    if name == "__main__":
        name = os.path.splitext(os.path.basename(frame.f_code.co_filename))[0]
    return name if isinstance(name, str) else "?"


def function_of(frame):
    """Returns the name of the function with its class; for a nested function only the inner name."""
    code = frame.f_code
    name = getattr(code, "co_qualname", None)                   # since 3.11
    if name:
        return name.rpartition("<locals>.")[2]
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    if code.co_argcount and code.co_varnames[0] == "self":
        return "%s.%s" % (type(first).__name__, code.co_name)
    if code.co_argcount and code.co_varnames[0] == "cls" and isinstance(first, type):
        return "%s.%s" % (first.__name__, code.co_name)
    return code.co_name


def encode(text):
    return text.encode("utf-8", "replace") if not isinstance(text, bytes) else text


def table(texts):
    return (ctypes.c_char_p * (len(texts) + 1))(*[encode(text) for text in texts])


def variables_of(frame):
    """Returns a list of names and values, parameters first, and the number of parameters."""
    code = frame.f_code
    n = code.co_argcount + getattr(code, "co_kwonlyargcount", 0) + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    parameters = code.co_varnames[:n]
    values = frame.f_locals
    if code.co_name == "<module>":
        values = {}
    others = [name for name in values if name not in parameters]
    names = [name for name in list(parameters) + others if name in values]
    pairs = []
    for name in names:
        pairs += [name, describe(values[name])]
    return pairs, len([name for name in parameters if name in values])


def frames_of(frame):
    lines = []
    while frame is not None and len(lines) < MAX_FRAMES and frame.f_code.co_filename != ours:
        lines.append("%s at %s:%d" % (function_of(frame), frame.f_code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    return lines


def report(frame, what, value):
    if what not in ("call", "return") or frame.f_code.co_filename == ours:
        return
    pairs, parameters = variables_of(frame)
    frames = frames_of(frame)
    event = Event(
        sys.version_info[0], encode(module_of(frame)), encode(function_of(frame)), encode(frame.f_code.co_filename),
        frame.f_lineno or 0, ctypes.cast(table(pairs), ctypes.POINTER(ctypes.c_char_p)), parameters, len(pairs) // 2,
        encode(describe(value)) if what == "return" else None,
        ctypes.cast(table(frames), ctypes.POINTER(ctypes.c_char_p)), len(frames))
    (on_call if what == "call" else on_return)(ctypes.byref(event))


def run(path):
    """Executes the program as if the interpreter had been started with it."""
    with open(path, "rb") as source:
        code = compile(source.read(), path, "exec", 0, True)
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    threading.setprofile(report)
    sys.setprofile(report)
    try:
        exec(code, main.__dict__)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


ours = describe.__code__.co_filename
if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Usage: python3 -m HelperSDT PROGRAM ARGUMENTS...")
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libhelpersdt.so"))
    on_call, on_return = library.stap_python_call, library.stap_python_return
    del sys.argv[0]
    run(sys.argv[0])
