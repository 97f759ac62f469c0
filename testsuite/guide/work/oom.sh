# SPDX-License-Identifier: GPL-2.0-or-later
# A process uses more memory than its control group allows, so that the kernel kills it.
mkdir -p /cgroup && mount -t cgroup2 none /cgroup || exit
echo +memory >/cgroup/cgroup.subtree_control
mkdir -p /cgroup/small
echo 8M >/cgroup/small/memory.max
sh -c 'echo $$ >/cgroup/small/cgroup.procs; exec tail /dev/zero'
