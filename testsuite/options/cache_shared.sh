# SPDX-License-Identifier: GPL-2.0-or-later
# Several processes at the same time with one cache: empty, complete, with file times of another clock, damaged by
# another process meanwhile, and on a full disk. All print the same as without a cache. (Read by run.sh.)
# There are eight if they find files in the cache, and three if each compiles the runtime, without optimising.
shared=$SCRATCH/shared
mkdir -p "$shared/home"
# A part of the runtime and embedded C, so that all kinds of files are in the cache.
shared_script='function twice:long(x:long) %{ /* pure */ STAP_RETVALUE = 2 * STAP_ARG_x; %}
	probe begin { println(twice(21), isdigit("1")) exit() }'

at_once() { # PROCESSES SYSTEMTAP_DIR: prints the different outputs and the number of processes for each
	local processes=() i
	rm -f "$shared"/out*
	for ((i = 1; i <= $1; i++)); do
		QUICKTAP_USER_CFLAGS=-O0 SYSTEMTAP_DIR=$2 "$STAP" --runtime=user -g -e "$shared_script" >"$shared/out$i" 2>"$shared/err$i" &
		processes+=($!)
	done
	wait "${processes[@]}"
	cat "$shared"/out? | sort | uniq -c | xargs
}
same_shared() { # NAME PROCESSES SYSTEMTAP_DIR
	local got
	got=$(at_once "$2" "$3")
	if [ "$got" = "$2 421" ]; then ok "options/cache-shared-$1"; else not_ok "options/cache-shared-$1" "$got
$(cat "$shared"/err?)"; fi
}
all_times() { find "$shared/home" -exec touch -d "$1" {} +; }

check_shared() {
	same_shared cold 3 "$shared/home"
	same_shared warm 8 "$shared/home"
	all_times 2099-01-01
	same_shared future 8 "$shared/home"
	all_times 1980-01-01
	echo 0 >"$shared/home/cache/cache_mb_limit"
	same_shared past 8 "$shared/home"
	# Files are truncated, overwritten and replaced while processes use them.
	: >"$shared/attack"
	while [ -e "$shared/attack" ]; do
		for file in "$shared"/home/cache/??/stap_*; do
			truncate -s 100 "$file"
			printf x | dd of="$file" bs=1 seek=50 conv=notrunc 2>/dev/null
			cp "$SCRATCH/shared/attack" "$file"
		done 2>/dev/null
	done &
	attacker=$!
	same_shared attacked 3 "$shared/home"
	rm "$shared/attack"
	wait $attacker
	if unshare -rm true 2>/dev/null; then
		mkdir "$shared/full"
		# shellcheck disable=SC2016  # expanded by the inner shell
		(export STAP shared shared_script; export -f same_shared at_once ok not_ok; unshare -rm bash -c '
			mount -t tmpfs -o size=64k none "$shared/full" && same_shared full 3 "$shared/full"')
	else
		skip options/cache-shared-full 'user namespaces'
	fi
}
check_shared
