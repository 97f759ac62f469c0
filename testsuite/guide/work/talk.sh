# SPDX-License-Identifier: GPL-2.0-or-later
# A client sends a line to a server on the loopback, by IPv4, then by IPv6: the workload of the examples about the network.
# The server's input stays open, since at its end nc would close the connection before the client has sent its line.
mkfifo /tmp/open && exec 3<>/tmp/open && rm /tmp/open
nc -l -p 7777 <&3 >/dev/null &
until echo hello | nc 127.0.0.1 7777 2>/dev/null; do usleep 50000; done
wait
nc -l -p 7778 <&3 >/dev/null &
until echo hello | nc ::1 7778 2>/dev/null; do usleep 50000; done
wait
