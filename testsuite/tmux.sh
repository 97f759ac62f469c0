# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A terminal in tmux, for the tests of stap --monitor. session: number of the terminal, which the caller counts.
session=0
screen() { tmux -L "stap-$$-$session" -f /dev/null "$@"; }
keys() { screen send-keys "$@"; }
lines() { screen capture-pane -p; }
becomes() { # COMMAND...: waits five minutes until it succeeds
	local end=$((SECONDS + ${AWAIT:-300}))
	while [ $SECONDS -lt $end ]; do
		"$@" && return
		sleep 0.1
	done
	echo "not so: $*; the screen is:"
	lines
}
hides() { ! shows "$1"; }
shows() { lines | grep -q -- "$1"; }
await() { becomes shows "$1"; }
