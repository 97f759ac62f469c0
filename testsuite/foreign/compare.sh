#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run.sh. In a guest, bpftrace and the translation of its script trace the same process at the same time:
# their outputs are equal (compare/diff-outputs). Scripts: those in compare/, and the tools of the package bpftrace;
# processes: compare/work.c. A few tools by default; FOREIGN_COMPARE=all: all of those whose events compare/work.c
# makes; FOREIGN_SERIES: the kernel, default 6.1.
VM=$SOURCE/translator/run/stap-vm
few="lessons maps opensnoop setuids tcplife undump vfscount"
all="$few biosnoop bitesize capable cpuwalk dcsnoop execsnoop gethostlatency killsnoop loads mdflush naptime pidpersec runqlat runqlen
	ssllatency sslsnoop statsnoop swapin syncsnoop syscount tcpaccept tcpconnect tcpdrop tcpretrans tcpsynbl threadsnoop
	vfsstat writeback xfsdist biolatency biostacks"

# bpftrace itself cannot attach these on 6.12: swap_readpage was renamed, blk_account_io_start is inlined, and one
# of the functions that match vfs_write* rejects a kprobe.
unattached='^6.12:(swapin|biosnoop|biostacks|vfsstat)$'

# bpftrace does not find pthread_create(), which is in the C library since glibc 2.34.
declare -A unfound=([threadsnoop]=s/libpthread/libc/)

# The probes of these tools have no filter: without an additional one they would report the other tracer, too.
filtered() { # TOOL FILE
	case $1 in
	vfscount | vfsstat | syscount | pidpersec | bitesize)
		awk '/^(kprobe|tracepoint):/ { hit = 1 } /^(BEGIN|END|interval)/ { hit = 0 }
			/^\{/ && hit { print "/comm == \"bt-work\"/"; hit = 0 } { print }' "$2" ;;
	*) cat "$2" ;;
	esac
}

compare_build() { # TOOL
	local file=$TESTS/foreign/compare/$1.bt
	[ -e "$file" ] || file=/usr/sbin/$1.bt
	filtered "$1" "$file" >"$dir/$1.bt"
	(cd "$dir" && "$STAP" -r "$release" --from=bpftrace "$1.bt" >"$1.stp" && "$STAP" -w -r "$release" -DSTP_MAX_BUCKETS=1002 \
		-DSTP_NO_OVERLOAD -d ./bt-work -p4 -m "bt_$1" "$1.stp") >"$SCRATCH/build" 2>&1 </dev/null &&
		sed -i "${unfound[$1]-}" "$dir/$1.bt"
}

compare_guest() { # commands for the guest; the tools are its arguments
	echo "mkdir -p ${dir%/*} && ln -sfn /t $dir"         # the module contains the symbols of $dir/bt-work
	cat <<-'END'
		cd /t
		mkdir /out /inc /inc/sys /inc/linux
		printf '#define AF_INET 2\n#define AF_INET6 10\n' >/inc/sys/socket.h
		echo '#define TASK_RUNNING 0' >/inc/linux/sched.h
		cp true.bt /bin/
		for m in loop dummy md-mod libcrc32c xfs; do insmod $m.ko; done 2>/dev/null
		dd if=/dev/zero of=/tmp/disk bs=1M count=8 2>/dev/null
		losetup /dev/loop0 /tmp/disk
		ip link set lo up
		ip link add dummy0 type dummy && ip addr add 10.9.0.1/24 dev dummy0 && ip link set dummy0 up
		for n in "$@"; do
			staprun -o /out/$n.ours -c "bpftrace -I /inc -o /out/$n.theirs -c '/t/bt-work $n' /t/$n.bt" ./bt_$n.ko >/out/$n.err 2>&1
		done
		cd /out && exec tar cf - .
	END
}

compare_with_bpftrace() {
	local dir=$SCRATCH/compare release tool module tools=() result
	release=$(newest "${FOREIGN_SERIES-6.1}")
	if ! command -v bpftrace >/dev/null || [ -z "$release" ] || [ ! -e "/boot/vmlinuz-$release" ]; then
		skip foreign/compare "the package bpftrace, and linux-image-${FOREIGN_SERIES-6.1} with -dbg and headers"
		return
	fi
	rm -rf "$dir"
	mkdir -p "$dir"
	gcc -O1 -w -o "$dir/bt-work" "$TESTS/foreign/compare/work.c" -lssl -lcrypto && cp /bin/true "$dir/true.bt" || return
	for module in loop dummy md-mod libcrc32c xfs; do
		find "/lib/modules/$release/kernel" -name "$module.ko*" | while read -r file; do
			case $file in *.xz) xz -dc "$file" >"$dir/$module.ko" ;; *) cp "$file" "$dir/" ;; esac
		done
	done
	for tool in $([ "${FOREIGN_COMPARE-}" = all ] && echo $all || echo "${FOREIGN_COMPARE-$few}"); do
		if [[ ${FOREIGN_SERIES-6.1}:$tool =~ $unattached ]]; then
			skip "foreign/compare-$tool" "kernel functions that bpftrace can attach to"
		elif [ ! -e "$TESTS/foreign/compare/$tool.bt" ] && [ ! -e "/usr/sbin/$tool.bt" ]; then
			skip "foreign/compare-$tool" "the tool $tool of the package bpftrace"
		elif compare_build "$tool"; then
			tools+=("$tool")
		else
			not_ok "foreign/compare-$tool $release" "$(tail -n 20 "$SCRATCH/build")"
		fi
	done
	compare_guest >"$dir/run.sh"
	"$VM" -r "$release" -m 2560 -t 900 -d "$dir:/t" -f "$(command -v bpftrace):/usr/bin/" -f "$BUILD/staprun/staprun:/bin/" \
		-f "$BUILD/staprun/stapio:/bin/" -f /etc/ld.so.cache:/etc/ld.so.cache -l "$SCRATCH/log" -- sh /t/run.sh "${tools[@]}" \
		>"$SCRATCH/tar" 2>"$SCRATCH/err" || not_ok "foreign/compare $release" "$(tail -n 20 "$SCRATCH/err")"
	tar xf "$SCRATCH/tar" -C "$dir" 2>/dev/null
	for tool in "${tools[@]}"; do
		if result=$("$TESTS/foreign/compare/diff-outputs" "$tool" "$dir/$tool.ours" "$dir/$tool.theirs" 2>&1); then
			ok "foreign/compare-$tool $release, $result"
		else
			not_ok "foreign/compare-$tool $release" "$result"$'\n'"$(cat "$dir/$tool.err")"
		fi
	done
}
