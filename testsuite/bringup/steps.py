#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: steps.py SOCKET SYMBOLS. Connects to the gdb stub of an emulated machine with two processors that has not started, executes what the
second one executes from its first instruction in 64-bit mode until start_secondary() has loaded the IDT, instruction by instruction,
and prints the names of the functions. SYMBOLS: /proc/kallsyms of the same kernel, with the addresses of this boot (nokaslr)."""
import bisect
import socket
import sys
import time

MAX_STEPS = 100000
RIP = 16          # index of the 64-bit register in the answer to "g"


class Stub:
    def __init__(self, path):
        self.data = b""
        for _ in range(1200):
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"cannot connect to {path}")

    def ask(self, text):
        self.socket.send(b"$%s#%02x" % (text.encode(), sum(text.encode()) % 256))
        while True:
            start = self.data.find(b"$")
            end = self.data.find(b"#", start)
            if 0 <= start < end and len(self.data) >= end + 3:
                answer, self.data = self.data[start + 1:end].decode(), self.data[end + 3:]
                self.socket.send(b"+")
                return answer
            more = self.socket.recv(65536)
            if not more:
                sys.exit("the machine ended")
            self.data += more

    def go(self, command):
        """Executes, and returns the thread that stopped: that of a processor."""
        return self.ask(command).split("thread:")[1].split(";")[0]

    def next_address(self):
        registers = self.ask("g")
        return int.from_bytes(bytes.fromhex(registers[RIP * 16:RIP * 16 + 16]), "little")


def read_symbols(path):
    names = {}
    with open(path) as file:
        for line in file:
            address, kind, name, *module = line.split()
            if kind in "tTwW" and not module:
                names.setdefault(int(address, 16), []).append(name)
    return names


def is_lidt(code):
    return len(code) == 3 and code[:2] == b"\x0f\x01" and code[2] >> 3 & 7 == 3 and code[2] < 0xc0


def second_processor(stub, start):
    """Runs until the second processor is at the address, and returns its thread."""
    while True:
        stub.ask(f"Z1,{start:x},1")
        thread = stub.go("vCont;c")
        stub.ask(f"z1,{start:x},1")
        if thread == "02":
            return thread
        stub.go(f"vCont;s:{thread}")


def main():
    names = read_symbols(sys.argv[2])
    starts = sorted(names)
    stub = Stub(sys.argv[1])
    stub.ask("qSupported:hwbreak+;vContSupported+")
    thread = second_processor(stub, next(a for a in starts if "secondary_startup_64_no_verify" in names[a]))
    stub.ask(f"Hg{thread}")
    executed, seen = {}, set()
    for _ in range(MAX_STEPS):
        address = stub.next_address()
        function = starts[bisect.bisect_right(starts, address) - 1]
        executed[function] = names[function]
        if address not in seen:
            seen.add(address)
            if ["start_secondary"] in executed.values() and is_lidt(bytes.fromhex(stub.ask(f"m{address:x},3"))):
                break
        stub.go(f"vCont;s:{thread}")
    else:
        sys.exit(f"no lidt after {MAX_STEPS} instructions")
    stub.socket.send(b"$k#6b")
    for function in executed.values():
        print(*function)


main()
