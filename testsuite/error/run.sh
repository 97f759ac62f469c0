#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts that are rejected, with the location and the message: the tables *.tests, in the format of refuse.sh.
set -u
. "$TESTS/lib.sh"
. "$TESTS/refuse.sh"

cd "$TESTS/error" || exit 1
if [ "$*" = shown ]; then
	. "$TESTS/error/shown.sh"
	exit 0
fi
[ $# -gt 0 ] || set -- *.tests
for file in "$@"; do
	table=error/${file%.tests}
	OPTIONS=() ARGUMENTS=()
	# shellcheck source=/dev/null
	. "$TESTS/$table.tests"
	cd "$TESTS/error" || exit 1
done
[ "$*" != "$(echo *.tests)" ] || . "$TESTS/error/shown.sh"
