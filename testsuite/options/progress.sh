# SPDX-License-Identifier: GPL-2.0-or-later
# The progress line on a terminal. The compiler waits for it, so that the speed of the host does not matter. (Read by
# run.sh.)
slow=$SCRATCH/slow
mkdir -p "$slow/bin" "$slow/home"
cat >"$slow/bin/gcc" <<SCRIPT
#!/bin/sh
case "\$*" in
*runtime.o*) [ ! -e '$slow/late' ] || sleep 2; n=0; until [ -e '$slow/seen' ] || [ \$n = 600 ]; do sleep 0.1; n=\$((n + 1)); done ;;
esac
exec '$(command -v gcc)' "\$@"
SCRIPT
chmod 755 "$slow/bin/gcc"
export QUICKTAP_USER_CFLAGS=-O0      # which compiles in less time
expect progress-shown 0 'shown
removed' env PATH="$slow/bin:$PATH" SYSTEMTAP_DIR="$slow/home" "$TESTS/options/progress.py" "$slow/seen" 'compiling the runtime for programs' \
	"$STAP" --runtime=user -p4 -e "$begin"
: >"$slow/seen"
: >"$slow/late"
rm -rf "${slow:?}/home"
expect progress-on-a-terminal-only 1 '' bash -c "PATH='$slow/bin':\$PATH SYSTEMTAP_DIR='$slow/home' '$STAP' --runtime=user -p4 -e '$begin' 2>&1 | grep compiling"
rm -rf "${slow:?}/home"
expect progress-quiet 0 '' bash -c "! PATH='$slow/bin':\$PATH SYSTEMTAP_DIR='$slow/home' '$TESTS/options/progress.py' '$slow/seen' 'compiling the runtime' '$STAP' -q --runtime=user -p4 -e '$begin' | grep shown"
unset QUICKTAP_USER_CFLAGS
