# SPDX-License-Identifier: GPL-2.0-or-later
# Connects to an address without a host, so that the kernel repeats the first segment after a second.
ip route add 10.9.9.0/24 dev lo
timeout 3 nc 10.9.9.2 9
ip route del 10.9.9.0/24 dev lo
