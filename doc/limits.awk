# SPDX-License-Identifier: GPL-2.0-or-later
# runtime/include/limits.def as a list for stap(1); with -v table=1 as lines "NAME LEAST MOST DEFAULT" for tests,
# switches included.
function quote(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
function strip(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
/^(LIMIT|SWITCH)\(/ { row = "" ; open = 1 }
open { row = row $0; if (!/\)$/) next
	open = 0
	n = split(row, strings, "\"")
	text = ""
	for (i = row ~ /^LIMIT/ ? 4 : 2; i < n; i += 2)    # adjacent strings are one
		text = text strings[i]
	head = strings[1]; sub(/^[A-Z]*\(/, "", head)
	split(head, part, ",")
	for (i in part) part[i] = strip(part[i])
	if (row ~ /^SWITCH/) { part[2] = 0; part[3] = 1; part[4] = 0 }
	if (table) { print part[1], part[2], part[3], part[4]; next }
	print ".TP"; print ".B " part[1]
	print quote(text)
	if (row ~ /^LIMIT/)
		print quote("From " part[2] " to " part[3] (part[4] == "STP_DERIVED" ? "." : "; default: " part[4] ".")) }
