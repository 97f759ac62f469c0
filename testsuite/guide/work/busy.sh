# SPDX-License-Identifier: GPL-2.0-or-later
# Computes for a moment, then lists files: the workload of the examples about processors.
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
ls -R /sys/class >/dev/null
