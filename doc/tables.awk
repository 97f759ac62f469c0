# SPDX-License-Identifier: GPL-2.0-or-later
# A table of runtime/include (limits.def, losses.def) as a list for stap(1). A row is NAME(VALUE, ..., "text" "goes on", "text"),
# on one line or more; no line before the last one ends with a parenthesis. With -v plain=1: a line "VALUE ..." for
# each row, for tests.
function quote(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); sub(/^'/, "\\(aq", text); return text }

# Splits the row into kind, value[1..] and text[1..]; adjacent strings are one text.
function parse(row,    part, parts, i, n) {
	kind = row
	sub(/\(.*/, "", kind)
	parts = split(substr(row, length(kind) + 2), part, "\"")
	split(part[1], value, /[), \t]+/)
	split("", text)
	for (i = 2; i < parts; i += 2) {
		n += part[i - 1] ~ /,/
		text[n] = text[n] part[i]
	}
}

/^[A-Z_]+\(/ { row = ""; open = 1 }
!open { next }
{ row = row $0 }
!/\)$/ { next }
{ open = 0; parse(row) }
kind == "SWITCH" { value[2] = 0; value[3] = 1; value[4] = 0 }
kind == "NO_EFFECT" { without = without (without ? ", " : "") value[1]; next }
plain { print value[1], value[2], value[3], value[4]; next }
kind == "LIMIT" {
	print ".TP\n.B " value[1] "\n" quote(text[2])
	print quote("From " value[2] " to " value[3] (value[4] == "STP_DERIVED" ? "." : "; default: " value[4] "."))
}
kind == "SWITCH" { print ".TP\n.B " value[1] "\n" quote(text[1]) }
kind == "LOSS" && value[2] != "OUTSIDE" {
	sub(/%llu/, "N", text[1])
	sub(/ \(now %u[^)]*\)/, "", text[2])       # the limit of the script that runs
	sub(/%u/, "X", text[2])
	print ".TP\n.B " quote(text[1])
	print substr(value[2], 1, 1) tolower(substr(value[2], 2)) (text[2] == "" ? ": no option changes this." : ": " quote(text[2]) ".")
}
END { if (without && !plain) print ".SS Names accepted for compatibility\n.B " without }
