# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced. Debian packages of any suite and architecture, unpacked into a directory, not installed. The machine's
# own package sources are not changed; only the name of the server is read from them.

# archive_open DIR SUITE ARCH: reads the suite's lists into DIR/apt; the functions below use them. Messages go to DIR/log.
archive_open() {
	local host archive
	archive_dir=$1
	host=$(dpkg --print-architecture)
	mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial"
	archive=$(sed -nE 's#^(URIs:|deb( \[[^]]*\])?) *(https?://[^ ]*/debian)/?( .*)?$#\3#p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		grep -v -- '-security' | head -n 1)
	[ -n "$archive" ] || { echo "${0##*/}: no Debian archive in apt's sources" >&2; return 1; }
	{
		echo "deb $archive $2 main"
		case $2 in *-backports) echo "deb $archive ${2%-backports} main" ;; esac
	} >"$1/apt/sources"
	apt=(-o "Dir::Etc::SourceList=$1/apt/sources" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$1/apt/lists"
		-o "Dir::Cache=$1/apt/cache" -o "Dir::State::status=/dev/null" -o Acquire::Languages=none -o APT::Sandbox::User=root
		-o Acquire::Check-Valid-Until=false -o Acquire::AllowInsecureRepositories=false
		-o "APT::Architecture=$host" -o "APT::Architectures::=$host" -o "APT::Architectures::=$3")
	apt-get "${apt[@]}" update >"$1/log" 2>&1 </dev/null || { cat "$1/log" >&2; return 1; }
}

# Removes the lists.
archive_close() { rm -rf "$archive_dir/apt"; }

# depends PACKAGE:ARCH: prints the names of packages on which it depends
depends() { apt-cache "${apt[@]}" show "$1" | sed -n 's/^Depends: //p' | head -n 1 | tr ',|' '\n\n' | sed 's/^ *//; s/ .*//'; }

unpack() { # DIR PACKAGES
	local to=$1
	shift
	mkdir -p "$to"
	(cd "$archive_dir/apt" && apt-get "${apt[@]}" download "$@" >>"$archive_dir/log" 2>&1 </dev/null &&
		for deb in *.deb; do dpkg -x "$deb" "$to" && rm "$deb"; done)
}
