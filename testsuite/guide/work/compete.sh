# SPDX-License-Identifier: GPL-2.0-or-later
# A loop that wakes up repeatedly, first alone, then with four that compute: the workload of a heat map of run queue
# latencies.
wake() { i=0; while [ $i -lt 80 ]; do usleep 5000; i=$((i + 1)); done; }
busy() { i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; }
wake
for loop in 1 2 3 4; do busy & done
wake
wait
wake
