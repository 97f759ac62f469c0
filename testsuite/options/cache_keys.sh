# SPDX-License-Identifier: GPL-2.0-or-later
# The keys of the cache: for each row of the table in translator/cache/README.md one input is changed, and the files
# that depend on it are rebuilt. (Read by run.sh, after cache.sh.)
keys=$SCRATCH/keys
mkdir -p "$keys/home" "$keys/bin" "$keys/late" "$keys/one" "$keys/two" "$keys/a b#c"

stored() { find "$keys/home" -name "stap_*$1" | wc -l; }    # SUFFIX: prints the number of files of that kind
# NAME WANTED GOT
same_key() { if ! wanted "key-$1"; then return; elif [ "$2" = "$3" ]; then ok "options/key-$1"; else not_ok "options/key-$1" "$3, wanted $2"; fi; }
# HEADER: the offset of foo.b, which the compiler computed from the header
offset() {
	SYSTEMTAP_DIR=$keys/home "$STAP" -p3 --runtime=user -e "probe begin { println(@cast(0, \"foo\", \"<$1>\")->b) }" 2>&1 |
		sed -n 's/.*stp_uload4(c, \([0-9]*\)).*/\1/p; s/.*error: /error: /p' | head -n 1
}
header() { echo "struct foo { int a[$2]; int b; };" >"$1"; }       # FILE OFFSET/4
wrapper() { printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod 755 "$1"; }

check_headers() {
	header "$keys/a b#c/x.h" 1
	same_key header 4 "$(offset "$keys/a b#c/x.h")"
	header "$keys/a b#c/x.h" 2
	same_key header-with-blank 8 "$(offset "$keys/a b#c/x.h")"
	rm "$keys/a b#c/x.h"
	same_key header-removed error: "$(offset "$keys/a b#c/x.h" | grep -o '^error:')"

	# The header is created in an earlier directory, which did not exist.
	export CPATH=$keys/early:$keys/late
	header "$keys/late/only.h" 1
	same_key header-of-a-directory 4 "$(offset only.h)"
	mkdir "$keys/early"
	header "$keys/early/only.h" 2
	same_key header-in-earlier-directory 8 "$(offset only.h)"
	printf '#if __has_include(<more.h>)\nstruct foo { int a[3]; int b; };\n#else\nstruct foo { int b; };\n#endif\n' >"$keys/late/asks.h"
	same_key header-asked-for 0 "$(offset asks.h)"
	: >"$keys/early/more.h"
	same_key header-asked-for-appeared 12 "$(offset asks.h)"
	echo '#include "beside.h"' >"$keys/late/quotes.h"
	header "$keys/early/beside.h" 1
	same_key header-in-quotes 4 "$(offset quotes.h)"
	header "$keys/late/beside.h" 2
	same_key header-in-quotes-beside 8 "$(offset quotes.h)"
	CPATH=.
	header "$keys/one/here.h" 1
	header "$keys/two/here.h" 2
	same_key directory-one 4 "$(cd "$keys/one" && offset here.h)"
	same_key directory-two 8 "$(cd "$keys/two" && offset here.h)"
	unset CPATH
}

check_compilers() {
	local cc made
	cc=$(command -v cc)
	printf 'struct foo { int a[N]; int b; };\n' >"$keys/n.h"
	wrapper "$keys/bin/cc" "exec '$cc' -DN=1 \"\$@\""
	touch -d 2001-01-01 "$keys/bin/cc"
	PATH=$keys/bin:$PATH
	same_key compiler-of-another-path 4 "$(offset "$keys/n.h")"
	wrapper "$keys/bin/cc" "exec '$cc' -DN=2 \"\$@\""
	touch -d 2001-01-01 "$keys/bin/cc"
	same_key compiler-of-the-same-path 8 "$(offset "$keys/n.h")"
	made=$(stored .headers.o)
	wrapper "$keys/bin/as" "exec '$(command -v as)' \"\$@\""
	same_key assembler "8 $((made + 1))" "$(offset "$keys/n.h") $(stored .headers.o)"
	# The header changes after the compiler has read it.
	header "$keys/race.h" 1
	header "$keys/race.new" 2
	wrapper "$keys/bin/cc" "'$cc' \"\$@\" && case \"\$*\" in *' -MD '*) cp '$keys/race.new' '$keys/race.h' ;; esac"
	offset "$keys/race.h" >/dev/null
	rm "$keys/bin/as"
	same_key header-changed-while-compiling 8 "$(offset "$keys/race.h")"
	PATH=${PATH#*:}
	rm -f "$keys/bin/cc"
}

check_embedded() {
	local script="function f:long() %{ /* pure */
#include \"$keys/a b#c/n.h\"
	STAP_RETVALUE = N; %} probe begin { println(f()) exit() }"
	unit() { QUICKTAP_USER_CFLAGS=-O0 SYSTEMTAP_DIR=$keys/home "$STAP" -g --runtime=user -e "$script" 2>&1; }
	echo '#define N 1' >"$keys/a b#c/n.h"
	same_key embedded 1 "$(unit)"
	echo '#define N 2' >"$keys/a b#c/n.h"
	same_key embedded-header 2 "$(unit)"
	# The user runtime includes libc's headers: a header is created in an earlier directory.
	mkdir -p "$keys/libc"
	CPATH=$keys/libc unit >/dev/null
	echo '#error "seen: poll"' >"$keys/libc/poll.h"
	same_key libc 'seen: poll' "$(CPATH=$keys/libc unit | grep -m 1 -o 'seen: poll')"
}

check_library() {
	list() { (cd "$1" && SYSTEMTAP_DIR=$keys/home "$STAP" -p2 --runtime=user -I lib -e 'probe begin { println(mine()) }' 2>&1 | sed -n 's/.*mine:\([a-z]*\).*/\1/p; s/.*error: /error: /p' | head -n 1); }
	mkdir -p "$keys/one/lib" "$keys/two/lib"
	echo 'function mine:long() { return 1 }' >"$keys/one/lib/m.stp"
	touch -d 2001-01-01 "$keys/one/lib/m.stp" "$keys/one/lib"
	same_key library long "$(list "$keys/one")"
	echo 'function mima:long() { return 1 }' >"$keys/one/lib/m.stp"
	touch -d 2001-01-01 "$keys/one/lib/m.stp" "$keys/one/lib"
	same_key library-file error: "$(list "$keys/one" | grep -o '^error:')"
	echo 'function mine:string() { return "1" }' >"$keys/two/lib/m.stp"
	same_key library-of-another-directory string "$(list "$keys/two")"
	# stap itself: an identical copy uses the same files; one with another build ID does not.
	local made copy=$keys/copy
	mkdir -p "$copy" && cp "$STAP" "$copy/stap" && ln -s "$SOURCE/tapsets" "$SOURCE/runtime" "$copy"
	objcopy --dump-section .note.gnu.build-id="$keys/id" "$copy/stap" 2>/dev/null &&
		printf '\377\0\377\1' | dd of="$keys/id" bs=1 seek=20 conv=notrunc 2>/dev/null
	run() { SYSTEMTAP_DIR=$keys/home "$copy/stap" -p2 --runtime=user -e 'probe begin { println(1) }' >/dev/null 2>&1; }
	if [ -s "$keys/id" ]; then
		run
		made=$(stored .library)
		objcopy --update-section .note.gnu.build-id="$keys/id" "$copy/stap"
		run
		same_key stap "$((made + 1))" "$(stored .library)"
	else
		skip options/key-stap 'stap has no build-id'
	fi
}

# A copy of a kernel's build tree. kbuild runs once; after that, `make` is a program that repeats its result and
# counts its runs.
check_tree() {
	local tree=$keys/tree runtime=$keys/runtime make cc
	make=$(command -v make)
	cp -as "/lib/modules/$release/build/" "$tree"
	cp -a "$SOURCE/runtime" "$runtime"
	wrapper "$keys/bin/make" "echo >>'$keys/made'
for word; do case \$word in M=*) dir=\${word#M=} ;; esac; done
[ -d '$keys/saved' ] || { '$make' \"\$@\" && cp -a \"\$dir\" '$keys/saved' && echo \"\$dir\" >'$keys/saved.path'; exit; }
cp -a '$keys/saved/.' \"\$dir\" && sed -i \"s|\$(cat '$keys/saved.path')|\$dir|g\" \"\$dir\"/.*.cmd"
	changed() { # NAME [VARIABLE=VALUE ...] [OPTION ...]: make runs, and does not run again for the same inputs
		local name=$1 before after again
		shift
		before=$(wc -l <"$keys/made")
		build_tree "$@"
		after=$(wc -l <"$keys/made")
		build_tree "$@"
		again=$(wc -l <"$keys/made")
		same_key "tree-$name" '1 0' "$((after - before)) $((again - after))"
	}
	build_tree() {
		local settings=()
		while [[ ${1-} == [A-Z]*=* ]]; do settings+=("$1") && shift; done
		env PATH="$keys/bin:$PATH" SYSTEMTAP_DIR="$keys/home" SYSTEMTAP_RUNTIME="$runtime" "${settings[@]}" \
			"$STAP" -p4 -r "$tree" "$@" -e "$begin" >"$keys/out" 2>&1 || cat "$keys/out"
	}
	edit() { # FILE LINE: makes the file a separate one in the copy, and changes it
		cp --remove-destination "$(realpath "$tree/$1")" "$tree/$1" && echo "$2" >>"$tree/$1"
	}
	: >"$keys/made"
	changed first
	edit include/generated/bounds.h '/* another */'
	changed header
	edit .config '# another'
	changed config
	edit Module.symvers ''
	changed symvers
	echo '/* another */' >>"$runtime/include/generated.h"
	changed runtime
	changed variable KCFLAGS=-DANOTHER
	changed option -B EXTRA=1
	changed checks -DSTP_DEBUG
	cc=$(awk '/^cmd_/ { print $3; exit }' "$keys/saved/.generated.o.cmd")
	wrapper "$keys/bin/${cc##*/}" "exec '$(command -v "$cc")' \"\$@\""
	changed compiler
	rm -rf "$tree" "$keys/saved"
}
some() { local group; for group; do ! wanted_some "key-$group" || return 0; done; return 1; }      # GROUPS: a test of one is selected
! some header directory || check_headers
! some compiler assembler header || check_compilers
! some embedded libc || check_embedded
! some library stap || check_library
! some tree || if [ -e "/lib/modules/$release/build/.config" ]; then check_tree; else skip options/key-tree "the build tree of $release"; fi
