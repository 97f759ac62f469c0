# SPDX-License-Identifier: GPL-2.0-or-later
# Lists of each installed kernel that has debuginfo: of all functions and of functions of all modules, the same from an
# empty cache and from a filled one, and of variables; and a script that probes functions of all modules. Their peak
# memory (KB resident) is limited, since files of debuginfo need not stay in memory. The limits are about a fifth
# above the memory for kernel 6.12. (Read by run.sh.)

# peak KB COMMAND...: output in $SCRATCH/out; fails with a message if the command fails or takes more memory.
peak() {
	python3 - "$SCRATCH/out" "$@" <<-'E2'
		import resource, subprocess, sys
		out, bound, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
		with open(out, "wb") as f:
		    status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=f, stderr=f).returncode
		used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
		if status or used > bound:
		    sys.exit(f"status {status}, {used} KB; expected 0, at most {bound} KB: {' '.join(command)}")
	E2
}

memory_test() { # RELEASE
	local wrong="" all='kernel.function("*")' modules='module("*").function("*init*")'
	local SYSTEMTAP_DIR=$SCRATCH/memory-$1
	export SYSTEMTAP_DIR

	wrong+=$(peak 200000 "$STAP" -r "$1" -l "$all" 2>&1)
	mv "$SCRATCH/out" "$SCRATCH/cold"
	wrong+=$(peak 51200 "$STAP" -r "$1" -l "$all" 2>&1)
	[ "$(wc -l <"$SCRATCH/out")" -gt 30000 ] || wrong+="few functions: $(head -n 3 "$SCRATCH/out")"
	wrong+=$(diff "$SCRATCH/cold" "$SCRATCH/out" | head -n 5)
	wrong+=$(peak 200000 "$STAP" -r "$1" -L 'kernel.function("[a-e]*")' 2>&1)
	grep -q '^kernel.function("do_filp_open@[^ ]* \$return' "$SCRATCH/out" && wrong+="a return value at an entry"
	grep -q '^kernel.function("do_filp_open@[^ ]* \$dfd:int ' "$SCRATCH/out" || wrong+="no variables of do_filp_open"
	wrong+=$(peak 300000 "$STAP" -r "$1" -l "$modules" 2>&1)
	mv "$SCRATCH/out" "$SCRATCH/cold"
	wrong+=$(peak 300000 "$STAP" -r "$1" -l "$modules" 2>&1)
	[ "$(wc -l <"$SCRATCH/out")" -gt 1000 ] || wrong+="few functions of modules: $(head -n 3 "$SCRATCH/out")"
	wrong+=$(diff "$SCRATCH/cold" "$SCRATCH/out" | head -n 5)
	rm -rf "$SYSTEMTAP_DIR"
	wrong+=$(peak 370000 "$STAP" -r "$1" -p2 -e "probe $modules { next }" 2>&1)
	rm -rf "$SYSTEMTAP_DIR"
	report "list/memory-${1%%-*}" "$wrong"
}

for image in /usr/lib/debug/boot/vmlinux-*; do
	name=${image#*/vmlinux-}
	if [ -d "/lib/modules/$name/build" ] && wanted "memory-${name%%-*}"; then memory_test "$name"; fi
done
