# SPDX-License-Identifier: GPL-2.0-or-later
# The files of editors/ in the editors themselves, if they are installed. Read by run.sh.

if wanted vim; then
	printf 'probe kernel.function("f")\n{ if ($count) print(@1, "%%d") // note\n\treturn\n\texit() }\n' >"$SCRATCH/vim.stp"
	want='filetype stap
probe stapDeclaration
kernel stapPoint
if stapConditional
$count stapTarget
print stapPrint
@1 stapArgument
%d stapFormat
// note stapComment
return stapStatement
exit stapFunction
comments // %s
2:21 missing script argument @1 (0 given)'
	if ! vim --version 2>/dev/null | grep -q '+syntax'; then
		skip server/vim "vim with syntax"
	else
		RESULT=$SCRATCH/vim.out STAP=$STAP timeout 300 vim -es -u NONE -i NONE -n --cmd "set nocompatible runtimepath^=$SOURCE/editors/vim" \
			-c 'filetype plugin on' -c 'syntax on' -c "edit $SCRATCH/vim.stp" -S "$TESTS/server/vim.vim" >"$SCRATCH/out" 2>&1 </dev/null
		got=$(cat "$SCRATCH/vim.out" 2>/dev/null)
		[ "$got" = "$want" ] && ok server/vim || not_ok server/vim "$got$(cat "$SCRATCH/out")"
	fi
fi

if wanted neovim; then
	printf 'probe begin {\n\tprintn("x")\n}\n' >"$SCRATCH/neovim.stp"
	want='filetype stap
2:2: unresolved function "printn" (similar: print, println, printd, printf, printk)
1 diagnostics
0 diagnostics
completion execname(
function execname:string()
probe begin {
    println("é𝒳" . execname())
    exit()
}'
	if [ -z "$(command -v nvim)" ]; then
		skip server/neovim nvim
	else
		got=$(SCRIPT=$SCRATCH/neovim.stp STAP=$STAP XDG_STATE_HOME=$SCRATCH XDG_DATA_HOME=$SCRATCH timeout 300 nvim --headless -n -i NONE -u NONE \
			--cmd "set runtimepath^=$SOURCE/editors/vim" -c 'filetype plugin on' -S "$TESTS/server/neovim.lua" 2>&1 </dev/null | tr -d '\r')
		[ "$got" = "$want" ] && ok server/neovim || not_ok server/neovim "$got"
	fi
fi

if wanted vscode; then
	if [ -z "$(command -v node)" ]; then
		skip server/vscode node
	else
		got=$(timeout 300 node "$TESTS/server/vscode.js" "$SOURCE/editors/vscode" "$STAP" 2>&1 </dev/null) && ok server/vscode || not_ok server/vscode "$got"
	fi
fi

if wanted emacs; then
	printf 'probe begin {\nif (1) {\n# note {\nprintln("{")\n}\n}\n' >"$SCRATCH/emacs.stp"
	want=$(printf 'probe begin {\n\tif (1) {\n\t\t# note {\n\t\tprintln("{")\n\t}\n}\nstap-mode font-lock-keyword-face font-lock-comment-face')
	if [ -z "$(command -v emacs)" ]; then
		skip server/emacs emacs
	else
		got=$(cd "$SCRATCH" && timeout 300 emacs -Q --batch --eval '(setq byte-compile-error-on-warn t)' -L "$SOURCE/editors/emacs" -l stap-mode \
			emacs.stp --eval '(progn (indent-region (point-min) (point-max)) (font-lock-ensure) (princ (buffer-string))
			(princ (format "%s %s %s" major-mode (get-text-property 1 (quote face))
			(progn (search-forward "note") (get-text-property (1- (point)) (quote face))))))' 2>/dev/null </dev/null)
		[ "$got" = "$want" ] && ok server/emacs || not_ok server/emacs "$got"
	fi
fi
