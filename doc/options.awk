# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the list of options of stap(1). First file: stap --help, "  -x, --option ARG   text" with continuation lines, from
# which names and arguments come. Second file: options.txt, the description of each option. Refused options, which it
# does not describe, follow at its end, with the text of --help. Another option without description, and a description
# without option, are errors.
function quote(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); sub(/^[.\047]/, "\\\\\\&&", text); return text }
function close_example() { if (example) print ".fi\n.RE"; example = 0 }

FNR == NR && /^  -/ {
	line = substr($0, 3)
	at = match(line, /  +/) ? RSTART : match(line, /[^,] [^ ]/) ? RSTART + 1 : length(line) + 1
	name = substr(line, 1, at - 1)
	key = name
	sub(/[][ ,=].*/, "", key)
	keys[++n] = key
	names[key] = name
	text[key] = substr(line, at)
	sub(/^ +/, "", text[key])
	next
}
FNR == NR { if (/^     / && key) { sub(/^ +/, ""); text[key] = text[key] "\n" $0 }; next }

/^#/ || /^$/ { next }
{ if (!/^ /) close_example() }
/^== / { print ".SS " quote(substr($0, 4)); next }
/^= / {
	key = substr($0, 3)
	if (!(key in names))
		print "options.txt describes " key ", which stap --help does not list" >"/dev/stderr"
	described[key] = 1
	print ".TP\n.B " quote(names[key])
	next
}
/^ / { if (!example) print ".RS\n.nf"; example = 1; print quote(substr($0, 2)); next }
{ print quote($0) }
END {
	close_example()
	for (i = 1; i <= n; i++)
		if (!(keys[i] in described) && text[keys[i]] !~ /^refused/)
			print "options.txt does not describe " keys[i] >"/dev/stderr"
		else if (!(keys[i] in described))
			print ".TP\n.B " quote(names[keys[i]]) "\n" quote(text[keys[i]])
}
