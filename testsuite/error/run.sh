#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts that are rejected, with the location and the message: the tables *.tests, in the format of refuse.sh.
set -u
. "$TESTS/lib.sh"
. "$TESTS/refuse.sh"

cd "$TESTS/error" || exit 1
for name in $(wanted_files .tests "$@"); do
	table=error/$name
	OPTIONS=() ARGUMENTS=()
	# shellcheck source=/dev/null
	. "$TESTS/$table.tests"
	cd "$TESTS/error" || exit 1
done
! wanted foreign-words || . "$TESTS/error/foreign-words.sh"
! wanted shown || . "$TESTS/error/shown.sh"
