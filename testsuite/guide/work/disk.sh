# SPDX-License-Identifier: GPL-2.0-or-later
# Reads a megabyte from a loop device on a file.
[ -e /dev/loop0 ] || insmod ./loop.ko
dd if=/dev/zero of=/tmp/disk bs=1k count=1024 2>/dev/null
losetup /dev/loop0 /tmp/disk
dd if=/dev/loop0 of=/dev/null bs=64k
losetup -d /dev/loop0
