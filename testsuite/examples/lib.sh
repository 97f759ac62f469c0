# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The example scripts of a directory and what their authors say -p4 takes: for the tests and the bench. Uses $examples, $release.

list_scripts() { # a line "NAME FILE" each, names as in the list: without directory and .stp
	find "$examples" -name '*.meta' -o -name '*.stp' | grep -v '/tapset/' | sed 's/\.[a-z]*$//' | sort -u | while read -r file; do
		echo "${file##*/} $file"
	done
}

# What -p4 takes: the .meta's command; without one what the #! line says of guru mode, and a program's function or
# the version of Python for the script that wants one. Shell words in it are expanded, as its author wants, but the
# kernel's symbols are those of the kernel that it is built for.
check_command() { # FILE WITHOUT SUFFIX
	local command guru='' arguments=''
	command=$(sed -n 's/^test_check: *//p' "$1.meta" 2>/dev/null | head -n 1)
	[ -n "$command" ] || ! head -n 1 "$1.stp" | grep -q '^#!.* -g' || guru=' -g'
	[ ! -e "/usr/lib/debug/boot/System.map-$release" ] ||
		command=${command//\/proc\/kallsyms/\/usr\/lib\/debug\/boot\/System.map-$release}
	[ "${1##*/}" != pyexample ] || arguments=" python3"
	[ "${1##*/}" != graphcall ] || arguments=" $(realpath "$(command -v stap)") main"
	echo "${command:-stap$guru -p4 ${1##*/}.stp$arguments}"
}
