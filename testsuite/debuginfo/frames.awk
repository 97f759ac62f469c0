# SPDX-License-Identifier: GPL-2.0-or-later
# Call frame information as `readelf -wF` prints it (second file) against the rows of the driver (first
# file): tells every place where they differ, and in the end how many were compared.
function base(n) { return n == 0 ? "rsp" : n == 1 ? "rbp" : "other" }
function ours(text,    p) { # "register,0,+16" -> "rsp+16"
	split(text, p, ",")
	if (p[1] == "register") return base(p[2]) == "other" ? "other" : base(p[2]) p[3]
	if (p[1] == "cfa") return "c" p[3]
	if (p[1] == "none") return "u"
	return p[1] == "unknown" ? "unknown" : "exp"
}
function theirs(text) {
	if (text == "s" || text == "") return "u"
	if (text ~ /^(v)?exp/) return "exp"
	if (text ~ /^(r[a-ds][xi]|rdi|r[0-9]+)/) return "other"
	return text
}
function number(hex,    i, n) { # strtonum is not everywhere
	n = 0
	for (i = 1; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}
FNR == NR {
	for (i = 2; i <= 4; i++) { split($i, kv, "="); value[i] = ours(kv[2]) }
	at[rows] = number($1); row[rows++] = value[2] " " value[3] " " value[4]
	next
}
/ FDE / { sub(/.*pc=/, ""); split($0, range, /\.\./); end = number(range[2]); columns = 0; next }
/^ *LOC/ { for (i = 1; i <= NF; i++) column[$i] = i; columns = NF; fp = 0; ra = 0
	for (i = 1; i <= NF; i++) { if ($i == "rbp") fp = i; if ($i == "ra") ra = i }
	next }
/ CIE / { end = 0 }
/ CIE / || NF < 3 { columns = 0; next }
columns {
	gsub(/ \(r[a-z0-9]+\)/, "")
	place = number($1)
	if (place >= end) next
	low = 0; high = rows
	while (low < high) { middle = int((low + high) / 2); if (at[middle] <= place) low = middle + 1; else high = middle }
	want = theirs($2) " " theirs($ra) " " (fp ? theirs($fp) : "u")
	compared++
	if (want ~ /other|unknown/) { if (row[low - 1] !~ /other|unknown/) print $1, "is", row[low - 1], "not", want; next }
	if (row[low - 1] != want) print $1, "is", row[low - 1], "not", want
}
END { print compared + 0 > "/dev/stderr" }
