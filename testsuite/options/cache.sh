# SPDX-License-Identifier: GPL-2.0-or-later
# The cache: after any change of its files, the output of a translation equals that with an empty cache. (Read by
# run.sh.) One byte of each kind of file is changed; those that do not require a kernel are also damaged in every
# other way.
caches=$SCRATCH/caches
mkdir -p "$caches"
echo '#define FACTOR 2' >"$caches/factor.h"
# The script uses each kind of cached file: a function of a program with debuginfo, source lines, a part of the runtime,
# embedded C, types of a header.
echo 'int main(void) { return 0; }' >"$caches/p.c"
gcc -g -o "$caches/p" "$caches/p.c"
cat >"$caches/kernel.stp" <<SCRIPT
function twice:long(x:long) %{ /* pure */
#include "$caches/factor.h"
	STAP_RETVALUE = FACTOR * STAP_ARG_x; %}
probe process("$caches/p").function("main") { println(twice(pid()), usymfileline(uaddr())) }
probe begin { println(@cast(0, "list_head", "kernel<linux/types.h>")->next, isdigit("1")) }
SCRIPT
sed '/^probe process/d; s/println.*$/println(twice(21), isdigit("1")) exit() }/' "$caches/kernel.stp" >"$caches/user.stp"

translate() { # SYSTEMTAP_DIR KIND: prints the contents of a module, or the output of a program; if there is none,
	      # the reason
	local module
	mkdir -p "$1"
	if [[ $2 != .user* ]]; then
		module=$(SYSTEMTAP_DEBUGINFO_PATH='' SYSTEMTAP_DIR=$1 "$STAP" -v -g -r "$release" -p4 "$caches/kernel.stp" 2>"$caches/err") || cat "$caches/err"
		nm "$module" | cut -d' ' -f2- | sort | cksum
		readelf -p .modinfo "$module" | grep vermagic
		objdump -dr --no-show-raw-insn "$module" 2>&1 | tail -n +4 | cksum
	else
		SYSTEMTAP_DIR=$1 timeout 300 "$STAP" -g --runtime=user "$caches/user.stp" 2>&1
	fi
}
# Kinds of damage. The byte that is flipped is in the middle.
flipped() {
	local at=$(($(stat -c %s "$1") / 2)) byte
	byte=$(od -An -tu1 -j $at -N1 "$1")
	# shellcheck disable=SC2059  # the format is the byte
	printf "\\$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek=$at conv=notrunc 2>/dev/null
}
halved() { truncate -s $(($(stat -c %s "$1") / 2)) "$1"; }
empty() { : >"$1"; }
zeroed() { dd if=/dev/zero of="$1" bs="$(stat -c %s "$1")" count=1 conv=notrunc 2>/dev/null; }
longer() { echo more >>"$1"; }
swapped() { # replaced by a valid file of another name
	cp "$(find "$caches/good" -name 'stap_*.library' | head -n 1)" "$1"
}
unreadable() { chmod 0 "$1"; }
foreign() { chown 12345 "$1"; }
directory() { rm "$1" && mkdir "$1"; }
full_directory() { rm "$1" && mkdir "$1" && : >"$1/file"; }
dangling() { ln -sf /nonexistent/x "$1"; }
looping() { ln -sfn "${1##*/}" "$1"; }
fifo() { rm "$1" && mkfifo "$1"; }
# Damage of whole directories of the cache $1.
fifos_instead_of_settings() { mkfifo "$1/cache_mb_limit" "$1/cache_clean_interval_s" "$1/cleaned.new" && touch -d '2 days ago' "$1/cleaned.new" && mv "$1/cleaned.new" "$1/cleaned"; }
directory_instead_of_time() { full_directory "$1/cleaned"; }
files_instead_of_directories() { for i in "$1"/??; do rm -r "$i" && : >"$i"; done; }
links_instead_of_directories() { for i in "$1"/??; do rm -r "$i" && ln -s "${i##*/}" "$i"; done; }
inaccessible_directories() { chmod 0 "$1"/??; }

damaged() { # DAMAGE KIND: damages all files of that kind, and removes the files that were made from them, which
	    # would hide the damage
	local file
	cp -a "$caches/good" "$caches/now"
	find "$caches/now" \( -name '*.ko' -o -name '*.user' \) ! -name "*$2" -delete
	while read -r file; do "$1" "$file"; done < <(find "$caches/now" -name "stap_*$2" -type f)
}
compare() { # NAME WANTED GOT
	if [ "$2" = "$3" ]; then ok "options/cache-$1"; else not_ok "options/cache-$1" "$3
wanted: $2"; fi
	rm -rf "$caches/now"
}

check_cache() {
	local -x QUICKTAP_USER_CFLAGS=-O0      # the runtime is often compiled
	local want of_kernel of_program=421 kind damage damages='halved empty zeroed longer swapped unreadable directory full_directory dangling looping fifo'
	of_kernel=$(translate "$caches/good" .ko)
	compare fresh "$of_program" "$(translate "$caches/good" .user)"
	for kind in $(find "$caches/good" -name 'stap_*' -printf '%f\n' | sed 's/^stap_[0-9a-f]*//' | sort -u); do
		damaged flipped "$kind"
		case $kind in .user*) want=$of_program ;; *) want=$of_kernel ;; esac
		compare "flipped$kind" "$want" "$(translate "$caches/now" "$kind")"
	done
	[ "$(id -u)" -ne 0 ] || damages+=' foreign'
	for damage in $damages; do
		for kind in .library .user; do
			damaged "$damage" "$kind"
			compare "$damage$kind" "$of_program" "$(translate "$caches/now" .user)"
		done
	done
	# Afterwards the cache is used again: no damage disables it for more than a run.
	for damage in directory_instead_of_time files_instead_of_directories links_instead_of_directories inaccessible_directories \
		fifos_instead_of_settings; do
		cp -a "$caches/good" "$caches/now"
		find "$caches/now" -name '*.user' -delete
		"$damage" "$caches/now/cache"
		compare "$damage" "$of_program $of_program 1" \
			"$(for i in 1 2; do SYSTEMTAP_DIR=$caches/now timeout 300 "$STAP" -v -g --runtime=user "$caches/user.stp" 2>"$caches/err"; done | xargs) $(grep -c 'Pass 4: using cached' "$caches/err")"
	done
	find "$caches/good/cache" -type f -printf '%P\n' >"$caches/list"
	cp -a "$caches/good" "$caches/now"
	while read -r file; do full_directory "$caches/now/cache/$file"; done <"$caches/list"
	compare all-full-directories "$of_program $of_program 1" \
		"$(for i in 1 2; do SYSTEMTAP_DIR=$caches/now timeout 300 "$STAP" -v -g --runtime=user "$caches/user.stp" 2>"$caches/err"; done | xargs) $(grep -c 'Pass 4: using cached' "$caches/err")"
	# The damage is reported under -v, once, and the next run finds a valid file.
	damaged halved .user
	SYSTEMTAP_DIR=$caches/now "$STAP" -v -g --runtime=user "$caches/user.stp" >"$caches/out" 2>&1
	SYSTEMTAP_DIR=$caches/now "$STAP" -v -g --runtime=user "$caches/user.stp" >>"$caches/out" 2>&1
	compare reported '1 1' "$(grep -c 'The cache file .*user is rebuilt: its end is missing' "$caches/out") $(grep -c 'Pass 4: using cached' "$caches/out")"
	# A module in the current directory is the output of the linker, without the data that the cache appends.
	(cd "$caches" && SYSTEMTAP_DIR=$caches/good "$STAP" -r "$release" -p4 -m kept_here -e 'probe begin { exit() }' >out 2>&1)
	compare module-left-here "yes 0" "$(cat "$caches"/good/cache/*/*.ko | grep -q QTcache && echo yes) $(grep -c QTcache "$caches/kept_here.ko")"
	# Without a cache, the module or program that -p4 prints is in the current directory.
	mkdir "$caches/here"
	for i in kernel user; do
		compare "none-$i" here "$(cd "$caches/here" && SYSTEMTAP_DIR=/dev/null/none "$STAP" -r "$release" --runtime=$i -p4 -e 'probe begin { exit() }' 2>"$caches/err" |
			{ read -r module && [ -s "$module" ] && [[ $module != */* ]] && echo here; })"
	done
	# A read-only cache; a header included by embedded C changes.
	if unshare -rm true 2>/dev/null; then
		cp -a "$caches/good" "$caches/now"
		compare read-only 421 "$(unshare -rm sh -c 'mount --bind -o ro "$0" "$0" && mount -o remount,bind,ro "$0" && export SYSTEMTAP_DIR="$0" && exec "$@"' \
			"$caches/now" "$STAP" -g --runtime=user "$caches/user.stp" 2>/dev/null)"
	else
		skip options/cache-read-only 'user namespaces'
	fi
	echo '#define FACTOR 3' >"$caches/factor.h"
	compare header-changed 631 "$(translate "$caches/good" .user)"
}
check_cache
