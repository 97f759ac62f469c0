#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual is generated from the library's comments: every public function, alias and macro has a page, every page to
# which a message refers exists, the hand-written pages have the usual sections, and groff and mandoc report no
# warnings. The examples of the documents run and print the output below them, and links lead to existing files and
# sections (documents.py).
set -u
. "$TESTS/lib.sh"
out=$SCRATCH/man

if ! sh "$SOURCE/doc/make-pages" "$SOURCE" "$STAP" "$out" >"$SCRATCH/made" 2>&1 || [ -s "$SCRATCH/made" ]; then
	not_ok doc/pages-are-made "$(cat "$SCRATCH/made")"
	exit 0
fi
ok doc/pages-are-made

for image in $(printf '%s\n' /usr/lib/debug/boot/vmlinux-6.1.* | sort -V); do
	[ ! -d "/lib/modules/${image##*/vmlinux-}/build" ] || export SYSTEMTAP_RELEASE=${image##*/vmlinux-}
done
python3 "$TESTS/doc/documents.py" "$STAP" "$SOURCE"/*.md "$SOURCE"/doc/*.md "$SOURCE"/doc/howto/*.md "$SOURCE/examples/README.md"
unset SYSTEMTAP_RELEASE
if "$SOURCE/examples/make-index" "$SOURCE/examples" | diff -u "$SOURCE/examples/README.md" - >"$SCRATCH/index"; then
	ok doc/examples-index
else
	not_ok doc/examples-index "$(cat "$SCRATCH/index")"
fi

# The pictures are those of the current scripts, and are valid XML.
report doc/pictures "$(PYTHONDONTWRITEBYTECODE=1 python3 "$TESTS/guide/pictures.py" --check 2>&1
	for picture in "$SOURCE"/doc/pictures/*.svg; do
		python3 "$TESTS/report/check_svg.py" "$picture" >"$SCRATCH/picture" 2>&1 || cat "$SCRATCH/picture"
		grep -E '^(element|a rectangle)' "$SCRATCH/picture"
	done)"

# Each link of the HTML pages leads to one of these pages, and no page loads external files.
if ! command -v pandoc >/dev/null || ! command -v mandoc >/dev/null; then
	skip doc/html "pandoc and mandoc"
elif ! python3 "$SOURCE/doc/make-html" "$SOURCE" "$out" "$SCRATCH/html" >"$SCRATCH/made" 2>&1; then
	not_ok doc/html "$(tail -n 20 "$SCRATCH/made")"
else
	report doc/html "$(cd "$SCRATCH/html" && find . -name '*.html' -exec grep -oHE '(href|src)="[^"#]*' {} + | sort -u |
		awk -F ':(href|src)="' '{ at = $1; sub(/[^\/]*$/, "", at); print ($2 ~ /:\/\// ? $0 : at $2) }' | sort -u |
		while read -r file; do [ -e "$file" ] || echo "$file"; done | grep -v ':href="https\?://' | head -n 20)"
fi

# Each document is a page, and is in the package of documents, except the description of the directory and of the code.
report doc/html-has-each-document "$(cd "$SOURCE" && for file in doc/*.md doc/howto/*.md; do
		[ "$file" = doc/README.md ] || [ ! -d "$SCRATCH/html" ] || [ -s "$SCRATCH/html/${file%.md}.html" ] || echo "no page: $file"
		[[ $file =~ ^doc/(README|internals).md$ || $file == doc/howto/* ]] || grep -qxF "$file" debian/quicktap-doc.docs ||
			echo "not in debian/quicktap-doc.docs: $file"
		[[ $file =~ ^doc/(README|internals).md$ || $file == doc/howto/* ]] || grep -qF " $file" packaging/quicktap.spec ||
			echo "not in packaging/quicktap.spec: $file"
	done)"

# The search finds pages by title, sections and examples by their words. Prints the titles of the first results.
search() { # WORDS
	node - "$SCRATCH/html" "$1" <<-'E2'
	const [dir, words] = process.argv.slice(2), fs = require("fs"), found = [];
	const field = { value: words, dataset: { top: "" }, addEventListener: (event, run) => { field.run = run; } };
	const list = { replaceChildren: (...items) => found.push(...items), append: (item) => found.push(item) };
	globalThis.document = { querySelector: (of) => of === "input" ? field : list,
		createElement: () => { const parts = []; return { parts, append: (...all) => parts.push(...all) }; } };
	(0, eval)(fs.readFileSync(dir + "/index.js", "utf8").replace("const pages", "var pages") + fs.readFileSync(dir + "/search.js", "utf8"));
	field.run();
	console.log(found.slice(0, 3).map((item) => item.textContent || item.parts[0].textContent).join("; "));
	E2
}
if [ ! -d "$SCRATCH/html" ] || ! command -v node >/dev/null; then
	skip doc/search "pandoc, mandoc and node"
else
	report doc/search "$(
		while IFS='|' read -r words title; do
			case "; $(search "$words");" in *"; $title;"*) ;; *) echo "\"$words\" finds $(search "$words"), not $title" ;; esac
		done <<-'E2'
		user_string|function::user_string(3stap)
		vfs.read|probe::vfs.read(3stap)
		secure boot|Load modules under Secure Boot
		slow quer|stap --example queries
		usleep|9 Waiting
		--hosts slurm|Clusters
		zzzz|Nothing found.
		E2
	)"
fi

page_of() { [ -s "$out/man3/$1.3stap" ] || echo "$1"; }
missing=$(
	"$STAP" --dump-functions </dev/null | sed 's/[:( ].*//' | sort -u | while read -r name; do page_of "function::$name"; done
	"$STAP" --dump-probe-aliases </dev/null | sed 's/ .*//' | grep -vE '^(([a-z]+_)?syscall(\.|_any)|lsm\.)' | sort -u | while read -r name; do page_of "probe::$name"; done
	sed -n 's/^@define \([a-z][a-z_0-9]*\).*/\1/p' "$SOURCE"/tapsets/*.stpm | while read -r name; do page_of "macro::$name"; done
	grep -rhoE '\[man [a-z]+::[a-z0-9-]+\]' "$SOURCE/translator" "$SOURCE/staprun" "$SOURCE/runtime" --include='*.[ch]' |
		sed 's/\[man //; s/\]//' | sort -u | while read -r name; do page_of "$name"; done
	grep -rhoE 'diag_refer\("[^"]+"\)' "$SOURCE/translator" --include='*.c' | cut -d '"' -f 2 | sort -u | while read -r name; do page_of "$name"; done
	for n in 1 2 3 4 5; do page_of "error::pass$n"; done
)
report doc/every-name-has-a-page "$(head -n 20 <<<"$missing")"

# The NAME line of a page describes the name, without the pages of other names.
empty=$(grep -lE '^[a-z]+::[^ ]+ \\- *((a|an|the|of|sets)( [a-z]+)?$|$|(such|that|this|its) |the same($|,| (of|in|on|with|where) ))' "$out"/man3/*.3stap)
report doc/every-page-says-what "$(head -n 20 <<<"$empty")"
raw=$(grep -nE '%[a-z]*[duxs]' "$out/man1/stap.1" | grep -vE 'printf|%p|bpftrace')
report doc/no-directives-in-the-manual "$(head -n 20 <<<"$raw")"
# Escapes of groff that doc/options.awk has quoted would be printed as they are.
report doc/no-quoted-escapes "$(grep -nE '\\e(f[BIRP]|\\-|\()' "$out"/man?/* | head -n 20)"

options=$("$STAP" --help | sed -n 's/^  \(-[^ ,=[]*\).*/\1/p' | while read -r option; do
	sed 's/\\-/-/g' "$out/man1/stap.1" | grep -qF -- ".B $option" || echo "$option"
done)
report doc/every-option "$options"

# Each option of the usage text of staprun is in its manual page.
options=$("$BUILD/staprun/staprun" -h | grep -oE '^  -.|  -[A-Za-z] ' | tr -d ' ' | while read -r option; do
	sed 's/\\-/-/g' "$SOURCE/doc/staprun.8" | grep -qE "^\.B[IR]* .*$option" || echo "$option"
done)
report doc/every-option-of-staprun "$options"

# The titles in a page's header, and the title and the date in its footer, fit into 78 columns.
report doc/short-titles "$(awk '/^\.TH/ { split($0, part, "\""); title = part[2]; gsub(/\\-/, "-", title)
	if (length(title) > 25) print FILENAME ": " title }' "$out"/man3/*::* | head -n 20)"

# A line "NAMES  TEXT  NAMES  TEXT" in a comment becomes a list of variables with their descriptions.
report doc/lists-of-variables "$(grep -lE '^[a-z_]+(, [a-z_]+)*   ?[a-z]' "$out"/man3/probe::* | head -n 20)"

report doc/unsupported-options-last "$("$STAP" --help | awk '/^Options of SystemTap/ { last = 1 } !last && / (refused|accepted for)/')"

sections() { # PAGE SECTION...
	local page=$1
	shift
	for section; do grep -qE "^\.SH \"?$section\"?\$" "$out/$page" || echo "$page: $section"; done
}
missing=$(sections man1/stap.1 DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS" ENVIRONMENT FILES "SEE ALSO"
	sections man8/staprun.8 DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS" ENVIRONMENT FILES "SEE ALSO"
	for page in man8/stap-prep.8 man8/stap-sign-module.8 man1/stap-merge.1 man1/dtrace.1; do
		sections $page DESCRIPTION EXAMPLES "EXIT STATUS" ENVIRONMENT FILES "SEE ALSO"
	done
	for page in stapprobes stapfuncs stapvars; do sections man3/$page.3stap DESCRIPTION EXAMPLES "SEE ALSO"; done)
report doc/sections "$missing"

if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$out"/man?/* >"$SCRATCH/mandoc" 2>&1
	if [ -s "$SCRATCH/mandoc" ]; then not_ok doc/mandoc "$(head -n 20 "$SCRATCH/mandoc")"; else ok doc/mandoc; fi
else
	skip doc/mandoc mandoc
fi

# Checks examples/fleet by the programs that use these files.
fleet() { # NAME PROGRAM ARGUMENTS...
	local name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "doc/$name" "$1"
	elif "$@" >"$SCRATCH/fleet" 2>&1; then
		ok "doc/$name"
	else
		not_ok "doc/$name" "$(head -n 20 "$SCRATCH/fleet")"
	fi
}
fleet fleet-yaml yamllint -s -d '{extends: default, rules: {line-length: {max: 120}, braces: {max-spaces-inside: 0}}}' "$SOURCE/examples/fleet"
fleet fleet-playbook ansible-playbook --syntax-check -i localhost, "$SOURCE/examples/fleet/bundle.yml"

if ! command -v groff >/dev/null; then
	skip doc/groff "groff"
	exit 0
fi
groff -man -Tutf8 -ww -z "$out"/man?/* >"$SCRATCH/groff" 2>&1
if [ -s "$SCRATCH/groff" ]; then not_ok doc/groff "$(head -n 20 "$SCRATCH/groff")"; else ok doc/groff; fi
