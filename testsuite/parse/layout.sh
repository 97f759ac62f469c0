# SPDX-License-Identifier: GPL-2.0-or-later
# --fmt: the layout of a script with many constructs, of all available scripts, ways to write the output, and
# errors. stap itself verifies that tokens, comments and tree stay the same. Read by run.sh, needs "$STAP".

layout() { "$STAP" --fmt "$@" </dev/null; }

if wanted layout; then
	layout layout/style.stp >"$SCRATCH/out" 2>&1
	golden parse/layout layout/style.out "$SCRATCH/out"
	layout layout/style.out 2>&1 | cmp -s - layout/style.out && ok parse/layout-again || not_ok parse/layout-again
fi

# Empty braces are "{}" in the result, wherever the script has line breaks.
if wanted layout-empty; then
	printf 'probe a = begin, end\n{\n}\nfunction f()\n{\n\n}\nprobe a\n{\n\tif (1)\n\t{\n\t}\n}\n' >"$SCRATCH/a.stp"
	layout "$SCRATCH/a.stp" >"$SCRATCH/once.stp" 2>&1
	layout "$SCRATCH/once.stp" >"$SCRATCH/twice.stp" 2>&1
	report parse/layout-empty "$(printf '%s\n' 'probe a = begin, end {}' 'function f() {}' 'probe a {' '	if (1) {}' '}' | diff - "$SCRATCH/once.stp"
		diff "$SCRATCH/once.stp" "$SCRATCH/twice.stp")"
fi

# Macros and conditionals that end within parentheses or blocks: the result is in the standard layout.
layout_cut_off() {
	local script all=''
	for script in '@define m %( (1 - 1 %)' '@define m %( { println(1) %)' $'@define m %(\nf(1, g[2, %)' $'@define m %(\nif (1) { println(1) %)' \
		'@define m %( foreach (k in a) { if (k) { println(k) %)' 'probe begin { %( 1 == 1 %? f( %: g( %) 3) }'; do
		printf '%s\nprobe begin {\n\tif (1) {\n\t}\n}\n' "$script" >"$SCRATCH/a.stp"
		layout "$SCRATCH/a.stp" >"$SCRATCH/once.stp" 2>&1
		layout "$SCRATCH/once.stp" >"$SCRATCH/twice.stp" 2>&1
		all+=$(diff "$SCRATCH/once.stp" "$SCRATCH/twice.stp"; grep error "$SCRATCH/once.stp")
	done
	report parse/layout-cut-off "$all"
}
! wanted layout-cut-off || layout_cut_off

# Each script that parses has the standard layout after it was changed in place.
layout_all() {
	local file n=0 dir=$SCRATCH/layout files=() wrong
	mkdir -p "$dir"
	for file in "$SOURCE"/tapsets/*.stp* "$SOURCE"/tapsets/arch/*/*.stp "$SOURCE"/examples/*/*.stp "$TESTS"/*/*.stp; do
		n=$((n + 1))
		cp "$file" "$dir/$n-${file##*/}"
		files+=("$dir/$n-${file##*/}")
	done
	layout=$("$STAP" -w --fmt=write "${files[@]}" 2>&1 </dev/null)
	mapfile -t wrong < <("$STAP" -w --fmt=check "${files[@]}" 2>"$SCRATCH/err" </dev/null)
	case $layout in
	*'cannot format'*) not_ok parse/layout-scripts "$layout" ;;
	*) if [ ${#wrong[@]} -gt 0 ] || [ -s "$SCRATCH/err" ]; then
		not_ok parse/layout-scripts "$(printf 'not in the standard layout: %s\n' "${wrong[@]}"; head -n 20 "$SCRATCH/err")"
	else
		ok "parse/layout-scripts: $n scripts"
	fi ;;
	esac
}
! wanted layout-scripts || layout_all

# The examples have the standard layout without a change, since users read them.
! wanted layout-examples || report parse/layout-examples "$("$STAP" --fmt=check "$SOURCE"/examples/*/*.stp 2>&1 </dev/null)"

if wanted layout-files; then
	printf 'probe begin{println( 1 )}\n' >"$SCRATCH/a.stp"
	printf 'probe begin {{ println(1) }\n' >"$SCRATCH/b.stp"
	cp "$SCRATCH/b.stp" "$SCRATCH/b.before"
	got=$(cd "$SCRATCH" && "$STAP" --fmt=check a.stp; echo "$?"; "$STAP" --fmt=write a.stp; echo "$?"; cat a.stp
		"$STAP" --fmt=check a.stp; echo "$?"; "$STAP" --fmt=write b.stp 2>&1 | head -n 1; cmp b.stp b.before
		"$STAP" --fmt -e 'probe begin{}'; printf 'global a ,b' | "$STAP" --fmt -; "$STAP" --fmt=no a.stp 2>&1 | head -n 1)
	[ "$got" = 'a.stp
1
0
probe begin { println(1) }
0
parse error: unterminated "{" ("}" is missing): at b.stp:1:13
probe begin {}
global a, b
stap: --fmt takes write or check, not "no"' ] && ok parse/layout-files || not_ok parse/layout-files "$got"
fi
