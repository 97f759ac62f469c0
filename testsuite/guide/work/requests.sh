# SPDX-License-Identifier: GPL-2.0-or-later
# Reads a loop device alternately in small and in large pieces: the workload of a heat map of disk requests.
[ -e /dev/loop0 ] || insmod ./loop.ko
dd if=/dev/zero of=/tmp/disk bs=1k count=8192 2>/dev/null
losetup /dev/loop0 /tmp/disk
for round in 1 2 3 4; do
	for i in 1 2 3 4 5; do dd if=/dev/loop0 of=/dev/null bs=4k count=1024 iflag=direct 2>/dev/null; done
	for i in 1 2 3 4 5 6 7 8; do dd if=/dev/loop0 of=/dev/null bs=1024k iflag=direct 2>/dev/null; done
done
losetup -d /dev/loop0
