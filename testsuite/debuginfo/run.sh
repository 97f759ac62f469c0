#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debuginfo and target variables, on every kernel whose image is in /boot:
#   addresses, prototypes and members from the image equal those in the DWARF of the same kernel;
#   tracepoints.out: the arguments of tracepoints that are the same in all kernels; tracepoints.c.out:
#   how the C of tracepoint.stp reads them; every tracepoint's arguments have names;
#   points by address, line and kind have the right addresses;
#   the index gives the same results after any damage to its file;
#   the cache of images survives damage, damaged images are rejected;
#   NAME.stp: target variables after -p2, with offsets replaced by N (NAME.out);
#   programs.sh: programs by build ID, with debuginfo in other files or without it;
#   modules that modules.dep does not list, and one that was loaded from another directory, are found;
#   errors.tests: `bad 'script with a ^' 'message'`, with DWARF; `bare` the same without it.
# Names: addresses prototypes members fields tracepoints cache index points other_build images zoo modules_elsewhere, errors, programs, or a script's.
set -u
. "$TESTS/lib.sh"
: "${STAP:=$BUILD/stap}"
driver=$BUILD/build/testsuite/unit/debuginfo_main
unset SYSTEMTAP_DEBUGINFO_PATH
export SYSTEMTAP_DIR=${SYSTEMTAP_DIR-$SCRATCH/home}

make -s -C "$BUILD" build/testsuite/unit/debuginfo_main >"$SCRATCH/err" 2>&1 ||
	{ not_ok debuginfo/driver "$(cat "$SCRATCH/err")"; exit 0; }
cache=$SCRATCH/di-cache
mkdir -p "$cache"

with() { "$driver" -r "$release" -c "$cache" "$@"; }                  # DWARF
bare() { SYSTEMTAP_DEBUGINFO_PATH="" "$driver" -r "$release" -c "$cache" "$@"; } # uses the image alone

# same NAME FILE FILE: the files are equal and not empty
same() {
	if [ ! -s "$2" ]; then
		not_ok "$1" "nothing was found"
	elif diff "$2" "$3" >"$SCRATCH/diff"; then
		ok "$1"
	else
		not_ok "$1" "$(head -n 20 "$SCRATCH/diff")"
	fi
}

# Every function of .symtab is in the image's kallsyms at the same address.
test_addresses() {
	readelf -sW "$dwarf" | awk '$4 == "FUNC" { print $2 }' | sort -u >"$SCRATCH/symtab"
	with addresses | awk '{ printf "%016s\n", $1 }' | sort -u >"$SCRATCH/with"
	bare addresses | awk '{ printf "%016s\n", $1 }' | sort -u >"$SCRATCH/bare"
	comm -23 "$SCRATCH/with" "$SCRATCH/symtab" >"$SCRATCH/invented"
	comm -23 "$SCRATCH/with" "$SCRATCH/bare" >"$SCRATCH/missing"
	if [ "$(wc -l <"$SCRATCH/with")" -lt 10000 ]; then
		not_ok "debuginfo/addresses $release" "few functions"
	elif [ -s "$SCRATCH/invented" ] || [ -s "$SCRATCH/missing" ]; then
		not_ok "debuginfo/addresses $release" "$(head "$SCRATCH/invented" "$SCRATCH/missing")"
	else
		ok "debuginfo/addresses $release"
	fi
}

# Parameters, their types and locations, and return types from BTF and the calling convention are compared with
# DWARF. Exceptions: clones of the compiler have no prototype in BTF; DWARF describes halves of structs passed by
# value; and if one of two static functions with the same name is inlined everywhere (ext4_update_super), BTF may
# describe the wrong one.
test_prototypes() {
	local pattern
	for pattern in 'vfs_*' 'do_*' 'tcp_*' 'sched*' 'ext4_*' kernel_clone wake_up_process; do
		bare function "$pattern" | awk '/^[^ ]/ { skip = / without types$/ } !skip' |
			grep -v '(struct ' >"$SCRATCH/bare"
		{ echo ext4_update_super; bare function "$pattern" | sed -n 's/ without types$//p'; } |
			sort -u >"$SCRATCH/unknown"
		with function "$pattern" | awk -v file="$SCRATCH/unknown" '
			BEGIN { while ((getline name < file) > 0) unknown[name] = 1 }
			/^[^ ]/ { skip = $1 in unknown; $0 = $1 } !skip' | grep -v '(struct ' >"$SCRATCH/with"
		awk -v file="$SCRATCH/unknown" '
			BEGIN { while ((getline name < file) > 0) unknown[name] = 1 }
			/^[^ ]/ { skip = $1 in unknown } !skip' "$SCRATCH/bare" >"$SCRATCH/known"
		same "debuginfo/prototypes $pattern $release" "$SCRATCH/with" "$SCRATCH/known"
	done
}

# Compares offsets, sizes, kinds, spelling and bits of members, five levels deep.
test_members() {
	local of
	for of in 'vfs_read file' 'do_sys_openat2 how' 'kernel_clone args' 'tcp_sendmsg sk' \
		'wake_up_process p' 'ip_rcv skb' 'submit_bio bio' 'handle_mm_fault vma'; do
		with members $of >"$SCRATCH/with"
		bare members $of >"$SCRATCH/bare"
		same "debuginfo/members $of $release" "$SCRATCH/with" "$SCRATCH/bare"
	done
}

# Fields of all kinds, chosen by a seed: the C that reads them is the same from BTF and DWARF, and agrees with BTF.
test_fields() {
	local n
	STAP=$STAP python3 fields.py "$dwarf" "$release" >"$SCRATCH/out" 2>&1
	n=$(sed -n 's/^FIELDS n=\([0-9]*\) differ=0 .*/\1/p' "$SCRATCH/out")
	if [ "${n:-0}" -ge 500 ]; then
		ok "debuginfo/fields $release ($n)"
	else
		not_ok "debuginfo/fields $release" "$(tail -n 20 "$SCRATCH/out")"
	fi
}

# Reads variables with every kind of location (none, registers, stack), of 32-bit and signed types, with names from every
# source.
test_tracepoints() {
	local of
	for of in sys_enter sys_exit 'sched_process_e*' sched_wakeup task_rename percpu_alloc_percpu \
		sched_pi_setprio module_put local_timer_entry nosuch; do
		bare tracepoints "$of"
	done >"$SCRATCH/bare"
	golden "debuginfo/tracepoints $release" tracepoints.out "$SCRATCH/bare"
	"$STAP" -r "$release" -p3 tracepoint.stp 2>&1 |
		grep -oE '(\([su][0-9]+\))*stp_argument\(c, [0-9]+\)|\.name = .*\.arguments = [0-9]+|^[a-z]+ error.*' >"$SCRATCH/c"
	golden "debuginfo/tracepoints in C $release" tracepoints.c.out "$SCRATCH/c"
	with tracepoints '*' >"$SCRATCH/with"
	bare tracepoints '*' >"$SCRATCH/bare"
	same "debuginfo/tracepoints DWARF or not $release" "$SCRATCH/with" "$SCRATCH/bare"
	if [ "$(grep -c '^[^ ]' "$SCRATCH/bare")" -lt 500 ] || [ "$(grep -c '^:' "$SCRATCH/bare")" -gt 150 ] ||
		grep -q '^  arg[0-9]*:' "$SCRATCH/bare"; then
		not_ok "debuginfo/tracepoints all $release" "few, or without names: $(grep -c '^[^ ]' "$SCRATCH/bare")"
	else
		ok "debuginfo/tracepoints all $release"
	fi
}

test_cache() {
	local file
	rm -rf "${cache:?}"/*
	bare function vfs_read >"$SCRATCH/cold"
	file=$(echo "$cache"/*/*.image)
	cp "$file" "$SCRATCH/good"
	bare function vfs_read >"$SCRATCH/warm"
	same "debuginfo/cache warm $release" "$SCRATCH/cold" "$SCRATCH/warm"
	truncate -s -100 "$file"
	bare function vfs_read >"$SCRATCH/warm" 2>&1
	same "debuginfo/cache truncated $release" "$SCRATCH/cold" "$SCRATCH/warm"
	printf 'damage' | dd of="$file" bs=1 seek=100000 conv=notrunc 2>/dev/null
	bare function vfs_read >"$SCRATCH/warm" 2>&1
	same "debuginfo/cache damaged $release" "$SCRATCH/cold" "$SCRATCH/warm"
	same "debuginfo/cache made again $release" "$SCRATCH/good" "$file"
	: >"$file"
	bare function vfs_read >"$SCRATCH/warm" 2>&1
	same "debuginfo/cache empty $release" "$SCRATCH/cold" "$SCRATCH/warm"
	SYSTEMTAP_DEBUGINFO_PATH="" "$driver" -r "$release" -c /nonexistent function vfs_read >"$SCRATCH/warm" 2>/dev/null
	same "debuginfo/cache not writable $release" "$SCRATCH/cold" "$SCRATCH/warm"
}

# The index, after any kind of damage, gives the same results as an index that was built from scratch.
test_index() {
	local file other index=$SCRATCH/index-cache
	rm -rf "$index"; mkdir "$index"
	ask() { "$driver" -r "$release" -c "$index" function 'vfs_[rw]*' >"$1" 2>&1; }
	ask "$SCRATCH/cold"
	file=$(echo "$index"/*/*.index)
	cp "$file" "$SCRATCH/good"
	ask "$SCRATCH/warm"
	same "debuginfo/index warm $release" "$SCRATCH/cold" "$SCRATCH/warm"
	SYSTEMTAP_DEBUGINFO_PATH="" "$driver" -r "$release" -c "$cache" names 'vfs_[rw]*' | sort >"$SCRATCH/symbols"
	"$driver" -r "$release" -c "$index" names 'vfs_[rw]*' | sort >"$SCRATCH/warm"
	same "debuginfo/index names $release" "$SCRATCH/symbols" "$SCRATCH/warm"
	for damage in truncated damaged empty garbage foreign; do
		case $damage in
		truncated) truncate -s -4096 "$file" ;;
		damaged) printf 'damage' | dd of="$file" bs=1 seek=3000000 conv=notrunc 2>/dev/null ;;
		empty) : >"$file" ;;
		garbage) head -c 5000000 /dev/urandom >"$file" ;;
		foreign)    # a valid index of another build
			for other in "$SCRATCH"/other-*; do [ ! -e "$other" ] || cp "$other" "$file"; done
			printf 'x' | dd of="$file" bs=1 seek=24 conv=notrunc 2>/dev/null ;;
		esac
		ask "$SCRATCH/warm"
		same "debuginfo/index $damage $release" "$SCRATCH/cold" "$SCRATCH/warm"
		same "debuginfo/index $damage, made again $release" "$SCRATCH/good" "$file"
	done
	cp "$SCRATCH/good" "$SCRATCH/other-$release"
	rm -rf "${index:?}"/*
	# Two processes at the same time, and a process that is killed while it writes.
	ask "$SCRATCH/killed" & killed=$!
	ask "$SCRATCH/warm" & first=$!
	sleep 0.3; { kill -KILL $killed; } 2>/dev/null
	ask "$SCRATCH/second"; wait $first $killed 2>/dev/null
	same "debuginfo/index two at once $release" "$SCRATCH/warm" "$SCRATCH/second"
	same "debuginfo/index two at once, result $release" "$SCRATCH/cold" "$SCRATCH/second"
	same "debuginfo/index two at once, file $release" "$SCRATCH/good" "$(echo "$index"/*/*.index)"
	cat "$SCRATCH/cold" "$SCRATCH/cold" "$SCRATCH/cold" >"$SCRATCH/thrice"
	"$driver" -r "$release" -c "$index" -n 3 function 'vfs_[rw]*' >"$SCRATCH/warm" 2>"$SCRATCH/err" || cat "$SCRATCH/err" >>"$SCRATCH/warm"
	same "debuginfo/index given back after each of three sessions $release" "$SCRATCH/thrice" "$SCRATCH/warm"
	"$driver" -r "$release" -c /nonexistent function 'vfs_[rw]*' >"$SCRATCH/warm" 2>"$SCRATCH/err"
	same "debuginfo/index nowhere to put it $release" "$SCRATCH/cold" "$SCRATCH/warm"
}

# Points by address, line and kind have the addresses of the symbol table and the exports.
test_points() {
	local address place at list="$STAP -r $release -l"
	address=$(nm "$dwarf" | awk '$3 == "vfs_read" { print "0x" $1 }')
	place=$($list 'kernel.function("vfs_read")')
	echo "$place" >"$SCRATCH/with"
	$list "kernel.function($address)" >"$SCRATCH/warm"
	same "debuginfo/points function by address $release" "$SCRATCH/with" "$SCRATCH/warm"
	echo "kernel.statement(\"vfs_read@fs/$(addr2line -e "$dwarf" "$address" | grep -o 'read_write.c:[0-9]*')\")" >"$SCRATCH/with"
	$list "kernel.statement($address)" >"$SCRATCH/warm"
	same "debuginfo/points statement by address $release" "$SCRATCH/with" "$SCRATCH/warm"
	$list 'kernel.statement("vfs_read@fs/read_write.c:*")' | sed -E 's/.*:([0-9]+)"\)/\1/' | sort -n >"$SCRATCH/with"
	for at in {0..300}; do printf '%#x\n' $((address + at)); done | addr2line -e "$dwarf" |
		grep -oE 'read_write.c:[0-9]+' | cut -d: -f2 | sort -un >"$SCRATCH/lines"
	if [ "$(wc -l <"$SCRATCH/with")" -gt 5 ] && [ "$(comm -12 <(sort "$SCRATCH/with") <(sort "$SCRATCH/lines") | wc -l)" -gt 1 ]; then
		ok "debuginfo/points every line $release"
	else
		not_ok "debuginfo/points every line $release" "$(cat "$SCRATCH/with")"
	fi
	$list 'kernel.function("vfs_*").exported' | sed -E 's/[^"]*"([^@"]*).*/\1/' | sort -u >"$SCRATCH/with"
	awk -F '\t' '$2 ~ /^vfs_/ && $3 == "vmlinux" { print $2 }' "/lib/modules/$release/build/Module.symvers" | sort >"$SCRATCH/exports"
	comm -12 "$SCRATCH/exports" "$SCRATCH/with" >"$SCRATCH/both"
	same "debuginfo/points exported $release" "$SCRATCH/with" "$SCRATCH/both"
	if [ "$($list 'kernel.function("fdput").inline' | wc -l)" -eq 1 ] &&
		[ "$($STAP -r "$release" -v -l 'kernel.function("fdput").inline' 2>/dev/null | grep -c fdput)" -ge 1 ] &&
		[ "$("$STAP" -r "$release" -p2 -e 'probe kernel.function("fdput").inline { next }' | grep -c '^kernel')" -gt 50 ]; then
		ok "debuginfo/points copies $release"
	else
		not_ok "debuginfo/points copies $release"
	fi
	if "$STAP" -g -r "$release" -p3 -e "probe kernel.statement($address).absolute { next }" | grep -q "symbol = \"\", .offset = $(printf '%#x' "$address")ULL"; then
		ok "debuginfo/points absolute $release"
	else
		not_ok "debuginfo/points absolute $release"
	fi
}

# Debuginfo of another build is reported with both IDs, and not used.
test_other_build() {
	local own other other_module name=debuginfo/other_build
	id() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1; }
	mkdir -p "$SCRATCH/wrong/boot"
	for other in /usr/lib/debug/boot/vmlinux-*; do [ "$other" = "$dwarf" ] || break; done
	if [ "$other" = "$dwarf" ]; then
		skip "$name $release" "DWARF of a second kernel"
		return
	fi
	ln -sf "$other" "$SCRATCH/wrong/boot/vmlinux-$release"
	SYSTEMTAP_DEBUGINFO_PATH="$SCRATCH/wrong" "$driver" -r "$release" -c "$cache" function vfs_read \
		>"$SCRATCH/warm" 2>"$SCRATCH/err"
	other_module=$(echo "/usr/lib/debug/lib/modules/${other#*/vmlinux-}/kernel/drivers/block"/loop.ko*)
	own=$(id "$dwarf") other=$(id "$other")
	if grep -q "is of another build (build-id $other) than the kernel (build-id $own): not used" "$SCRATCH/err"; then
		ok "$name said $release"
	else
		not_ok "$name said $release" "$(cat "$SCRATCH/err")"
	fi
	bare function vfs_read >"$SCRATCH/bare"
	same "$name not used $release" "$SCRATCH/bare" "$SCRATCH/warm"
	mkdir -p "$SCRATCH/wrong/lib/modules/$release/kernel/drivers/block"
	ln -sf "$other_module" "$SCRATCH/wrong/lib/modules/$release/kernel/drivers/block/"
	SYSTEMTAP_DEBUGINFO_PATH=$SCRATCH/wrong "$STAP" -r "$release" -p2 -e 'probe module("loop").function("lo_ioctl") { println($cmd) }' \
		>"$SCRATCH/out" 2>"$SCRATCH/err"
	if grep -q "loop.ko is of another build (build-id $(id "$other_module")) than the module loop (build-id .*): not used" "$SCRATCH/err" &&
		grep -q '^module("loop").function("lo_ioctl")' "$SCRATCH/out"; then
		ok "$name of a module $release"
	else
		not_ok "$name of a module $release" "$(cat "$SCRATCH/err")"
	fi
}

# refused_image NAME FILE: an error and status 1, not a crash
refused_image() {
	SYSTEMTAP_DEBUGINFO_PATH="" "$driver" -r none -i "$2" function vfs_read >"$SCRATCH/out" 2>"$SCRATCH/err"
	local status=$?
	if [ $status -eq 1 ] && grep -q '^ERROR: ' "$SCRATCH/err"; then
		ok "debuginfo/images $1 $release"
	else
		not_ok "debuginfo/images $1 $release" "status $status: $(head -n 3 "$SCRATCH/err")"
	fi
}

test_images() {
	local image=/boot/vmlinuz-$release at
	for at in 100 600 20000 1000000 5000000; do
		head -c "$at" "$image" >"$SCRATCH/image"
		refused_image "cut at $at" "$SCRATCH/image"
	done
	cp "$image" "$SCRATCH/image"
	dd if=/dev/zero of="$SCRATCH/image" bs=4096 seek=100 count=50 conv=notrunc 2>/dev/null
	# The remaining bytes may or may not be unpacked; in both cases there is no crash.
	SYSTEMTAP_DEBUGINFO_PATH="" "$driver" -i "$SCRATCH/image" function vfs_read >"$SCRATCH/out" 2>&1
	[ $? -lt 2 ] && ok "debuginfo/images zeroes $release" || not_ok "debuginfo/images zeroes $release"
	head -c 100000 /dev/urandom >"$SCRATCH/image"
	refused_image random "$SCRATCH/image"
	cp "$STAP" "$SCRATCH/image"
	"$driver" -i "$SCRATCH/image" function vfs_read >"$SCRATCH/out" 2>&1
	[ $? -eq 1 ] && ok "debuginfo/images program $release" || not_ok "debuginfo/images program $release"
}

# ---------------------------------------------------------------- stap

# Lists the types and variables of a program with known types, also as JSON; for the kernel, from BTF.
test_zoo() {
	local type
	gcc -g -O2 -o "$SCRATCH/zoo_main" "$TESTS/live/variables/zoo_main.c" || { not_ok debuginfo/zoo gcc; return; }
	{
		for type in zoo zoo_bits zoo_food; do
			"$STAP" -r "$release" --types "$type@$SCRATCH/zoo_main"
			"$STAP" -r "$release" --types "$type@$SCRATCH/zoo_main" --json
		done
		"$STAP" -r "$release" -L "process(\"$SCRATCH/zoo_main\").function(\"zoo_visit\")"
		"$STAP" -r "$release" -p2 --vp 01 -e "probe process(\"$SCRATCH/zoo_main\").function(\"zoo_visit\") {
			println(\$z\$, \$zoo_thread, \$\$parms\$) }"
	} 2>&1 | grep -Ev '^(Pass 2: ana|Made the index)' | sed "s#$SCRATCH/##g; s#@[^:]*zoo_main.c#@zoo_main.c#; s/pc=[^ ]*/pc=PC/" >"$SCRATCH/out"
	golden "debuginfo/zoo $release" zoo.out "$SCRATCH/out"
	if g++ -g -O1 -o "$SCRATCH/classes" classes.cc; then
		{
			"$STAP" -r "$release" --types "animal@$SCRATCH/classes"
			"$STAP" -r "$release" -p2 --vp 01 -e "probe process(\"$SCRATCH/classes\").function(\"look\") {
				println(\$a\$, \$a->id, \$r->legs, @cast(\$r, \"animal\")->name\$) }"
		} 2>&1 | grep -Ev '^(Pass 2: ana|Made the index)' | sed "s#$SCRATCH/##g; s#@[^:]*classes.cc#@classes.cc#; s/pc=[^ ]*/pc=PC/" >"$SCRATCH/out"
		golden "debuginfo/classes $release" classes.out "$SCRATCH/out"
	else
		skip "debuginfo/classes $release" "g++"
	fi
	for type in file task_struct qspinlock pid_type sk_buff loop_device@loop "struct loop_cmd@loop" list_head@loop; do
		"$STAP" -r "$release" --types "$type" | sed 1d >"$SCRATCH/with"
		SYSTEMTAP_DEBUGINFO_PATH='' "$STAP" -r "$release" --types "$type" | sed 1d >"$SCRATCH/bare"
		same "debuginfo/layout $type $release" "$SCRATCH/with" "$SCRATCH/bare"
	done
}

# unlisted MODULES.DEP POINT...: lists the points, with loop.ko under another name in a directory that depmod did
# not read
unlisted() {
	unshare -m bash -c 'tree=$(readlink -f "/lib/modules/$1/build") && mount -t tmpfs none "/lib/modules/$1" && cd "/lib/modules/$1" &&
		mkdir extra && ln -s "$tree" build && cp "$0" extra/not-listed.ko && { [ -z "$3" ] || printf "%s\n" "$3" >modules.dep; } &&
		"$2" -r "$1" -l "$4"' "$SCRATCH/loop.ko" "$release" "$STAP" "$@" 2>&1
}

# Modules that modules.dep does not list, and one that the running kernel loaded from another directory.
test_modules_elsewhere() {
	local module note id
	module=$(find "/lib/modules/$release/kernel" -name 'loop.ko*' | head -n 1)
	if [ -z "$module" ] || [ ! -r "/usr/lib/debug${module%.ko*}.ko" ] || ! unshare -m true 2>"$SCRATCH/err"; then
		skip "debuginfo/modules_elsewhere $release" "loop.ko with its DWARF, and unshare -m"
		return
	fi
	case $module in
	*.xz) xz -dc "$module" ;;
	*) cat "$module" ;;
	esac >"$SCRATCH/loop.ko"
	{
		unlisted '' 'module("not_listed").function("lo_ioctl")'
		unlisted '' 'module("not_l*").function("lo_ioctl")'
		unlisted 'extra/other.ko:' 'module("not_listed").function("lo_ioctl")'
		unlisted 'extra/other.ko:' 'module("not_l*").function("lo_ioctl")'
	} >"$SCRATCH/out"
	printf 'module("not_listed").function("lo_ioctl")\n%.0s' 1 2 3 4 >"$SCRATCH/wanted"
	same "debuginfo/modules_elsewhere not in modules.dep $release" "$SCRATCH/wanted" "$SCRATCH/out"
	note=$SCRATCH/note
	objcopy -O binary --only-section=.note.gnu.build-id "$SCRATCH/loop.ko" "$note"
	id=$(readelf -n "$SCRATCH/loop.ko" | awk '/Build ID/ { print $3 }')
	mkdir -p "$SCRATCH/debug/.build-id/${id:0:2}"
	ln -sf "/usr/lib/debug${module%.ko*}.ko" "$SCRATCH/debug/.build-id/${id:0:2}/${id:2}.debug"
	nm "$SCRATCH/loop.ko" | awk '$3 == "lo_ioctl" { print $1 }' >"$SCRATCH/at"
	unshare -m bash -c 'mount -t tmpfs none /sys/module && mkdir -p /sys/module/elsewhere/notes &&
		cp "$0" /sys/module/elsewhere/notes/.note.gnu.build-id && exec "$@"' "$note" \
		env SYSTEMTAP_DEBUGINFO_PATH="$SCRATCH/debug" "$driver" -c "$cache" -r "$(uname -r)" -i "/boot/vmlinuz-$release" lines elsewhere <"$SCRATCH/at" >"$SCRATCH/out" 2>&1
	sed 's/:[0-9]*$/:LINE/' "$SCRATCH/out" >"$SCRATCH/lines"
	echo drivers/block/loop.c:LINE >"$SCRATCH/wanted"
	same "debuginfo/modules_elsewhere loaded by insmod $release" "$SCRATCH/wanted" "$SCRATCH/lines"
}

test_script() {
	local options
	eval "options=($(directive "$1.stp" options))"
	"$STAP" -r "$release" -p2 --vp 01 ${options[@]+"${options[@]}"} "$1.stp" >"$SCRATCH/raw" 2>"$SCRATCH/err" ||
		cat "$SCRATCH/err" >>"$SCRATCH/raw"
	sed -E 's/pc=(_stext|.text)\+0x[0-9a-f]+/pc=\1+PC/; s/([ (])[0-9]{2,}/\1N/g; s/>> [0-9] & 1/>> N \& 1/g; s/@[^@:" ]*:[0-9]+"/@FILE:LINE"/g' "$SCRATCH/raw" >"$SCRATCH/out"
	golden "debuginfo/$1 $release" "$1.out" "$SCRATCH/out"
}

# check ENVIRONMENT SCRIPT MESSAGE [OPTION]
check() {
	local script=${2/^/} before place=""
	if [ "$script" != "$2" ]; then
		before=${2%%^*}
		place=": at <input>:1:$((${#before} + 1))\$"
	fi
	env $1 "$STAP" -r "$release" -p2 ${4-} -e "$script" >"$SCRATCH/out" 2>"$SCRATCH/err"
	if [ $? -eq 1 ] && grep -F -- "$3" "$SCRATCH/err" | grep -q "^\(semantic error\|    note\): .*$place"; then
		ok "debuginfo/errors $release: $2"
	else
		not_ok "debuginfo/errors $release: $2" "wanted: $3
$(cat "$SCRATCH/err")"
	fi
}

bad() { check DI=1 "$1" "$2"; }
bad_guru() { check DI=1 "$1" "$2" -g; }
bad_bare() { check SYSTEMTAP_DEBUGINFO_PATH= "$1" "$2"; }

cd "$TESTS/debuginfo" || exit 1
scripts=$(ls *.stp | sed 's/\.stp$//')
[ $# -gt 0 ] || set -- addresses prototypes members fields tracepoints cache index points other_build images zoo modules_elsewhere errors programs $scripts
found="" programs=""
for image in /boot/vmlinuz-*; do
	release=${image#/boot/vmlinuz-}
	dwarf=/usr/lib/debug/boot/vmlinux-$release
	[ -r "$dwarf" ] || continue
	found=1
	for name; do
		case $name in
		addresses | prototypes | members | fields | tracepoints | cache | index | points | other_build | images | zoo | modules_elsewhere) "test_$name" ;;
		errors) . ./errors.tests ;;
		programs)
			[ -n "$programs" ] || . ./programs.sh
			programs=yes
			cd "$TESTS/debuginfo" || exit 1 ;;
		*) test_script "$name" ;;
		esac
	done
done
[ -n "$found" ] || skip debuginfo "a kernel image with its DWARF (linux-image-RELEASE, linux-image-RELEASE-dbg)"
