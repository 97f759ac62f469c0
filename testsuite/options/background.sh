# SPDX-License-Identifier: GPL-2.0-or-later
# The runtime is compiled while pass 2 runs. A compiler that pass 2 waits for (for a header's types) itself waits until
# the compiler of the runtime has started, so that the speed of the host does not matter. (Read by run.sh.)
early=$SCRATCH/early
mkdir -p "$early/bin" "$early/tmp"
cat >"$early/bin/gcc" <<SCRIPT
#!/bin/sh
case "\$*" in
*' -r '*/core/*) : >'$early/started'; while [ -e '$early/endless' ]; do sleep 0.1; done ;;
esac
exec '$(command -v gcc)' "\$@"
SCRIPT
cat >"$early/bin/cc" <<SCRIPT
#!/bin/sh
n=0
until [ -e '$early/started' ] || [ \$n = 600 ]; do sleep 0.1; n=\$((n + 1)); done
[ -e '$early/started' ] || { echo 'the runtime is not being compiled'; exit 1; }
exec '$(command -v cc)' "\$@"
SCRIPT
chmod 755 "$early/bin/gcc" "$early/bin/cc"
typed='probe begin { println(@cast(0, "div_t", "<stdlib.h>")->quot) }'
in_background() {        # SCRIPT: -p4 with an empty cache
	rm -rf "${early:?}/home" "$early/started"
	QUICKTAP_USER_CFLAGS=-O0 PATH="$early/bin:$PATH" SYSTEMTAP_DIR="$early/home" TMPDIR="$early/tmp" \
		timeout 200 "$STAP" --runtime=user -p4 -e "$1" 2>&1
}
compiles_early() { in_background "$typed" | grep -c '\.user$'; }
expect background-runtime-during-pass-2 0 1 compiles_early
leaves_nothing() {
	: >"$early/endless"
	in_background "${typed/quot/missing}" | tail -n 1
	echo "left: $(ls "$early/tmp"; pgrep -f "$early/bin/gcc")."
	rm "$early/endless"
}
expect background-ends-with-an-error 0 'left: .' leaves_nothing
