# SPDX-License-Identifier: GPL-2.0-or-later
# A client sends a line to a server on the loopback, by IPv4, then by IPv6: the workload of the examples about the network.
# The server's input stays open, since at its end nc would close the connection before the client has sent its line.
# Both end after a time, so that the guest goes on if the line does not arrive.
talk() { # ADDRESS PORT
	timeout 60 nc -l -p "$2" <&3 >/dev/null &
	for _ in $(seq 300); do
		echo hello | timeout 30 nc "$1" "$2" 2>/dev/null && { wait; return; }
		usleep 50000
	done
	{ echo "no server at $1 port $2"; ps; cat /proc/net/tcp /proc/net/tcp6; } >&2
}
mkfifo /tmp/open && exec 3<>/tmp/open && rm /tmp/open
talk 127.0.0.1 7777
talk ::1 7778
