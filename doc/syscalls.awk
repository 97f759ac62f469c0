# SPDX-License-Identifier: GPL-2.0-or-later
# The system calls of translator/probes/syscalls.def with their variables, as paragraphs of a manual page.
# In a row's arguments, NAME:TYPE:VARIABLES and =VARIABLES, "+x" is there at the return too, "-x" there only.
function add(alias, v) {
	if (v == "" || (alias, v) in known) return
	known[alias, v] = 1
	vars[alias] = vars[alias] " " v
}
function row(text,    alias, args, words, n, i, part, k, names, v) {
	alias = text
	sub(/^[A-Z_]+\(/, "", alias)
	sub(/,.*/, "", alias)
	if (!(alias in vars)) { order[++aliases] = alias; vars[alias] = "" }
	args = text
	sub(/^[^"]*"[^"]*"[^"]*"[^"]*",/, "", args)          # alias, name, numbers, form of the result
	gsub(/[")]/, "", args)
	n = split(args, words, " ")
	for (i = 1; i <= n; i++) {
		k = split(words[i], part, ":")
		names = words[i] ~ /^=/ ? substr(words[i], 2) : k > 2 ? part[3] : ""
		k = split(names, v, ",")
		while (k > 0) { names = v[k--]; if (names !~ /^-/) { sub(/^\+/, "", names); list[++listed] = names } }
		while (listed > 0) add(alias, list[listed--])
	}
}
/^(SYSCALL|VARIANT|NAMED|NAMED_FLAGS|SECONDARY)\(/ { text = ""; inside = 1 }
inside { text = text $0 }
inside && /\)$/ { row(text); inside = 0 }
END {
	for (i = 1; i <= aliases; i++)
		printf ".TP\n.B %s\n%s\n", order[i], vars[order[i]] == "" ? "no arguments" : substr(vars[order[i]], 2)
}
