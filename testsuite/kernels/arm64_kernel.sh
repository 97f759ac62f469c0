# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after lib.sh. A kernel of arm64 with its userland (fetch.sh), the cross compiler (compiler.sh), and staprun for it.

kernels=${QUICKTAP_KERNELS:-${XDG_CACHE_HOME:-$HOME/.cache}/quicktap/kernels}

# arm64_kernel SUITE SERIES FLAVOUR: sets release, tree, image, userland, target_cc and loader (the directory of staprun and
# stapio). If something is missing, it fails, with the reason in $SCRATCH/err.
arm64_kernel() {
	local facts compiler
	command -v qemu-system-aarch64 >/dev/null || { echo "qemu-system-arm" >"$SCRATCH/err"; return 1; }
	facts=$("$TESTS/kernels/fetch.sh" "$kernels" "$@" 2>"$SCRATCH/err") && compiler=$("$TESTS/kernels/compiler.sh" "$kernels" 2>"$SCRATCH/err") || return
	release=$(sed -n 's/^release=//p' <<<"$facts") tree=$(sed -n 's/^tree=//p' <<<"$facts") image=$(sed -n 's/^image=//p' <<<"$facts")
	userland=$(sed -n 's/^userland=//p' <<<"$facts") loader=$SCRATCH/arm64/staprun
	[ -z "$compiler" ] || PATH=$compiler:$PATH
	target_cc="aarch64-linux-gnu-gcc --sysroot=$userland -mbranch-protection=standard"
	[ -x "$loader/stapio" ] || (mkdir -p "$SCRATCH/arm64" && cd "$SCRATCH/arm64" && "$SOURCE/configure" &&
		make CC="$target_cc" staprun/staprun staprun/stapio staprun/stap-merge) >"$SCRATCH/err" 2>&1
}
