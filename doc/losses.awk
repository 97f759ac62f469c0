# SPDX-License-Identifier: GPL-2.0-or-later
# The manual's table of losses, from runtime/include/losses.def: LOSS(NAME, KIND, "text", "what changes it").
function quote(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); sub(/^'/, "\\(aq", text); return text }
/^LOSS\(/ { entry = "" }
/^LOSS\(/ || /^\t"/ {
	entry = entry $0
	if (!/\)$/)
		next
	split(entry, part, "\"")
	split(part[1], head, /[(, ]+/)
	sub(/%llu/, "N", part[2])
	if (head[3] == "OUTSIDE")
		next
	print ".TP\n.B " quote(part[2])
	print toupper(substr(head[3], 1, 1)) tolower(substr(head[3], 2)) (part[4] == "" ? "." : ": " quote(part[4]) ".")
}
