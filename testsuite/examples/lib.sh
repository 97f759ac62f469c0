# The example scripts of a directory and the -p4 commands of their authors, for tests and benchmarks. Uses
# $examples, $release.
# shellcheck shell=bash

list_scripts() { # a line "NAME FILE" each, names as in the list: without directory and .stp
	find "$examples" -name '*.meta' -o -name '*.stp' | grep -v '/tapset/' | sed 's/\.[a-z]*$//' | sort -u | while read -r file; do
		echo "${file##*/} $file"
	done
}

# Prints the arguments for -p4: those of the command in the .meta file; without one, guru mode as in the #! line,
# and a function or Python version for scripts that require one. Shell words in it are expanded, as its author
# intends, but kernel symbols are those of the target kernel.
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

# Checks the prerequisites in the .meta file, for the target kernel.
supported() { # FILE WITHOUT SUFFIX
	local condition
	condition=$(sed -n 's/^test_support: *//p' "$1.meta" 2>/dev/null | head -n 1)
	[ -z "$condition" ] || (cd "$(dirname "$1")" && timeout -k 2 60 bash -c "$condition" >/dev/null 2>&1 </dev/null)
}

# The package of the library that a script probes, if its installation would require a hundred others: only its
# files are unpacked, and overlaid on the system's files while the script is built.
packages=${XDG_CACHE_HOME:-$HOME/.cache}/quicktap/packages
package_of() { # NAME
	case $1 in libguestfs_log) echo libguestfs0 ;; esac
}

fetch_package() { # PACKAGE, into $packages
	local new
	[ ! -d "$packages/$1" ] || return 0
	mkdir -p "$packages" && new=$(mktemp -d "$packages/new.XXXXXX") || return
	if (cd "$new" && { apt-get -q download "$1" || { apt-get -q update && apt-get -q download "$1"; }; } && dpkg -x ./*.deb root) \
		>"$new/log" 2>&1 </dev/null && mv -T "$new/root" "$packages/$1" 2>/dev/null; then
		rm -rf "$new"
		return 0
	fi
	rm -rf "$new"
	[ -d "$packages/$1" ]
}

libraries=/usr/lib/$(gcc -print-multiarch 2>/dev/null)
with_package() { # PACKAGE COMMAND...: runs the command with the package; if it is not available, without it
	local root=$packages/$1
	shift
	if [ ! -d "$root$libraries" ]; then
		"$@"
		return
	fi
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t overlay overlay -o "lowerdir=$0$1:$1" "$1" && shift && exec "$@"' "$root" "$libraries" "$@"
}
