# SPDX-License-Identifier: GPL-2.0-or-later
# --complete and the completion of shells. Read by run.sh.

# answers LINE WANTED...: the answers contain each wanted word; with !WORD, they do not contain WORD.
answers() {
	local line=$1 got word
	got=$("$STAP" --complete "$line" 2>&1 </dev/null)
	for word in "${@:2}"; do
		if [[ $word == !* ]]; then
			! grep -qxF -- "${word#!}" <<<"$got" || wrong+="$line: has ${word#!}"$'\n'
		else
			grep -qxF -- "$word" <<<"$got" || wrong+="$line: lacks $word: $(head -n 5 <<<"$got")"$'\n'
		fi
	done
}

if wanted complete-words; then
	wrong=
	answers 'stap --v' --verbose --version --vm '!--complete' '!-v'
	answers 'stap -' -l --modinfo= --lint --sysroot=
	answers 'stap --runtime=' --runtime=kernel --runtime=user
	answers 'stap --runtime=u' --runtime=user '!--runtime=kernel'
	answers 'stap --privilege st' stapusr
	answers 'stap --privilege=st' --privilege=stapusr
	answers 'stap -D MAXS' MAXSTRINGLEN=
	answers 'stap -l ti' timer
	answers 'stap -L timer.m' 'timer.ms('
	answers 'stap -l ker' kernel
	answers 'stap -l kernel.' 'kernel.function("' 'kernel.function(' 'kernel.trace("'
	answers "stap -l 'kernel.function(\"x\").r" 'kernel.function("x").return'
	answers 'stap -l vfs.r' vfs.read '!vfs.read.return'
	answers 'stap -l vfs.read' vfs.read.return
	answers 'stap -l syscall.open.' syscall.open.return
	answers "stap -e 'probe vfs.re" 'probe vfs.read'
	answers "stap -e 'probe begin, ti" 'probe begin, timer'
	answers "stap -e 'probe begin { execn" 'probe begin { execname('
	answers "stap -e 'probe vfs.read { @choose" 'probe vfs.read { @choose_defined'
	answers 'stap --example bios' biosnoop
	answers "stap -l 'process(\"$TESTS/options/ru" "process(\"$TESTS/options/run.sh\")"
	answers 'stap file' '!file'
	answers 'stap -f s' speedscope svg '!json'
	answers 'stap --output=p' --output=pprof: '!--output=svg:'
	answers 'stap --export=' --export=prometheus: --export=otlp:
	answers 'stap report --' --sysroot= --output= --percentiles '!--vm' '!-f'
	answers 'stap report -f s' speedscope svg '!json'
	answers 'stap report --output=p' --output=pprof:
	answers '/usr/bin/staprun -' -x --strict '!--vm'
	answers 'staprun -C a' auto always '!never'
	answers 'stap-merge -' -v -o '!-x'
	answers 'stap-prep --' --root= --help
	[ -z "$wrong" ] && ok options/complete-words || not_ok options/complete-words "$wrong"
fi

# Completes functions of a program from its symbols.
if wanted complete-names; then
	printf 'void zebra_one(void) {} void zebra_two(void) {} int main(void) { zebra_one(); zebra_two(); return 0; }' >"$SCRATCH/z.c"
	gcc -g -o "$SCRATCH/z" "$SCRATCH/z.c"
	wrong=
	answers "stap -l 'process(\"$SCRATCH/z\").function(\"zeb" "process(\"$SCRATCH/z\").function(\"zebra_one\")" "process(\"$SCRATCH/z\").function(\"zebra_two\")"
	for image in /boot/vmlinuz-6.1.*; do
		[ -e "/lib/modules/${image#/boot/vmlinuz-}/build" ] || continue
		answers "stap -r ${image#/boot/vmlinuz-} -l 'kernel.trace(\"sched:sched_sw" 'kernel.trace("sched:sched_switch")'
		answers "stap -r ${image#/boot/vmlinuz-} -l 'kernel.trace(\"sched_sw" 'kernel.trace("sched_switch")' '!kernel.trace("sched:sched_switch")'
		answers "stap --vm=${image#/boot/vmlinuz-} -e 'probe kernel.function(\"vfs_rea" 'probe kernel.function("vfs_read")'
		answers 'stap --vm=' "--vm=${image#/boot/vmlinuz-}"
		break
	done
	[ -z "$wrong" ] && ok options/complete-names || not_ok options/complete-names "$wrong"
fi

# bash_replies WORDS... -- LINE: what bash would insert.
bash_replies() {
	bash -c 'stap() { :; }; . "$1"; shift; COMP_LINE=$1; COMP_POINT=${#COMP_LINE}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		compopt() { :; }; _stap; printf "%s\n" "${COMPREPLY[@]}"' bash "$SOURCE/completions/stap.bash" "$@" 2>&1
}

if wanted complete-bash; then
	got=$(bash_replies "$STAP --runtime=us" "$STAP" --runtime = us; bash_replies "$STAP --runtime=" "$STAP" --runtime =
		bash_replies "$STAP -l vfs.readv" "$STAP" -l vfs.readv; bash_replies "$STAP -l 'kernel.function(\"x\").ret" "$STAP" -l "'kernel.function(\"x\").ret"
		bash_replies "$STAP -l 'kernel.tracep" "$STAP" -l "'kernel.tracep"
		bash_replies "$STAP report --sys" "$STAP" report --sys; bash -c '. "$1"; complete -p stap' bash "$SOURCE/completions/stap.bash")
	want='user
bpf
kernel
user
vfs.readv.return
kernel.function("x").return
kernel.tracepoint("
kernel.tracepoint(" 
--sysroot=
complete -o default -F _stap stap'
	[ "$got" = "$want" ] && ok options/complete-bash || not_ok options/complete-bash "$got"
fi

# Runs the shells themselves on a terminal, and compares the line after a tab character.
if wanted complete-shells; then
	mkdir -p "$SCRATCH/bin" && ln -sf "$STAP" "$SCRATCH/bin/stap"
	for shell in bash zsh fish; do
		if [ -z "$(command -v "$shell")" ]; then
			skip "options/complete-shells: $shell" "$shell"
		elif python3 "$TESTS/options/complete.py" "$shell" "$SCRATCH/bin" "$SOURCE/completions" >"$SCRATCH/out" 2>&1; then
			ok "options/complete-shells: $shell"
		else
			not_ok "options/complete-shells: $shell" "$(tail -n 20 "$SCRATCH/out")"
		fi
	done
fi
