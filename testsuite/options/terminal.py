# SPDX-License-Identifier: GPL-2.0-or-later
# Reads what a program prints on a pseudo-terminal, for complete.py and prompt.py.
import os
import select
import time


def read_until(fd, text, seconds):
    data, end = b'', time.time() + seconds
    while text not in data and time.time() < end:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                data += os.read(fd, 65536)
            except OSError:
                break
    return data
