# SPDX-License-Identifier: GPL-2.0-or-later
# One file of the script library -> a manual page for every public name in it: function::NAME, probe::NAME, macro::NAME,
# and tapset::FILE which lists them. Variables: out (directory), list (file to which "sort name<TAB>file<TAB>summary" is added).
# A comment block "/** names - summary. more @arg text Example: code */" belongs to all definitions up to the next block. A line
# "names - summary" within it describes these names instead. A line "names  text  names  text" is a list of variables.

function escape(text) {
	gsub(/\\/, "\\e", text)
	sub(/^[.']/, "\\\\\\&&", text)
	gsub(/-/, "\\-", text)
	return text
}

# Returns the first line of the text, and the lines after it on which its sentence continues: lists of variables are not such lines.
function first_sentence(text,    lines, n, i, sentence) {
	n = split(text, lines, "\n")
	sentence = lines[1]
	for (i = 2; i <= n && sentence !~ /[.;:] *$/ && lines[i] !~ /^ *([$a-z_A-Z0-9.]+(, [$a-z_A-Z0-9.]+)*(:|  ).*)?$/; i++) {
		sub(/^ +/, "", lines[i])
		sub(/ *$/, " ", sentence)
		sentence = sentence lines[i]
	}
	return sentence
}

# The block as fields: names, summary, description, arguments, example.
function read_block(text,    at, n, parts, i) {
	summary = description = example = ""
	delete argument_name; delete argument_text; arguments = 0
	delete own_text
	while (match(text, /\n +[a-z_0-9]+(, [a-z_0-9]+)* - [^\n]*/) && substr(text, 1, RSTART) ~ / - /) {
		at = substr(text, RSTART, RLENGTH)
		text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
		i = index(at, " - ")
		n = split(substr(at, 1, i - 1), parts, /[ ,\n]+/)
		at = substr(at, i + 3)
		sub(/ +$/, "", at)
		for (i = 1; i <= n; i++)
			own_text[parts[i]] = at
	}
	at = index(text, "Example:")
	if (at) {
		example = substr(text, at + 8)
		text = substr(text, 1, at - 1)
		sub(/^[ \n]+/, "", example); sub(/[ \n]+$/, "", example)
	}
	at = index(text, " - ")
	text = at ? substr(text, at + 3) : text
	n = split(text, parts, /(^|[ \n])@/)
	text = parts[1]
	for (i = 2; i <= n; i++) {
		arguments++
		match(parts[i], /^[A-Za-z_0-9]+/)
		argument_name[arguments] = substr(parts[i], 1, RLENGTH)
		argument_text[arguments] = substr(parts[i], RLENGTH + 1)
		sub(/^[,: \n]+/, "", argument_text[arguments]); sub(/[ \n]+$/, "", argument_text[arguments])
	}
	sub(/^[ \n]+/, "", text); sub(/[ \n]+$/, "", text)
	description = text
	summary = first_sentence(text)
	if (match(summary, /\. |\.$|;  *|  [a-z_]+:|  [a-z_]+  /))
		summary = substr(summary, 1, RSTART - 1)
	sub(/[.;:] *$/, "", summary)
}

# Prints "names  text  names  text" as list entries; returns 0 if the line is not of that form.
function print_terms(line,    fields, n, i) {
	n = split(line, fields, /   *\t*/)
	if (n < 2 || fields[1] !~ /^[$a-z_A-Z0-9.]+(, [$a-z_A-Z0-9.]+)*$/)
		return 0
	for (i = 1; i <= n; i++)
		if (i % 2 && i < n && fields[i] ~ /^[$a-z_A-Z0-9.]+(, [$a-z_A-Z0-9.]+)*$/)
			printf ".TP\n.I %s\n", escape(fields[i]) >page
		else {
			print escape(fields[i]) >page
			if (i % 2)                      # the fields are not pairs: the rest is text
				for (i++; i <= n; i++)
					print escape(fields[i]) >page
		}
	return 1
}

# Prints lines as one paragraph. A line that is indented by more than a blank begins on a line of its own.
function paragraph(text,    lines, n, i, line, in_list, indent) {
	n = split(text, lines, "\n")
	for (i = 1; i <= n; i++) {
		line = lines[i]
		if (line == "")
			continue
		match(line, /^ */)
		indent = RLENGTH
		sub(/^ +/, "", line)
		if (indent && print_terms(line)) {
			in_list = 1
			continue
		}
		if (in_list && (!indent || line ~ /^[A-Z]/)) {
			print ".PP" >page
			in_list = 0
		} else if (!in_list && indent > 1)
			print ".br" >page
		print escape(line) >page
	}
}

# The arguments of .TH: a page's head is NAME(3stap) VOLUME NAME(3stap) and its foot Quicktap DATE NAME(3stap), each in 78
# columns. Names that are too long for that leave out the volume, the kind, and then their end.
function title(name,    shown) {
	shown = length(name) > 25 ? substr(name, index(name, "::") + 2) : toupper(name)
	if (length(shown) > 25)
		shown = substr(shown, 1, 22) "..."
	return sprintf("\"%s\" 3stap %s Quicktap \"%s\"", escape(shown), date, length(shown) > 19 ? "" : "The library of scripts")
}

function begin_page(kind, name) {
	page = out "/" kind "::" name ".3stap"
	print ".TH " title(kind "::" name) >page
	printf ".SH NAME\n%s::%s \\- %s\n.SH SYNOPSIS\n.nf\n", kind, escape(name), escape(summary) >page
}

function finish_page(kind, name, forms, context,    i, n, lines) {
	n = split(forms, lines, "\n")
	for (i = 1; i <= n; i++)
		if (lines[i] != "")
			printf ".B %s\n", escape(lines[i]) >page
	print ".fi" >page
	if (arguments) {
		print ".SH ARGUMENTS" >page
		for (i = 1; i <= arguments; i++) {
			printf ".TP\n.I %s\n", escape(argument_name[i]) >page
			paragraph(argument_text[i] == "" ? "see the description" : argument_text[i])
		}
	}
	print ".SH DESCRIPTION" >page
	paragraph(description)
	if (context != "") {
		print ".SH CONTEXT" >page
		paragraph(context)
	}
	if (example != "") {
		print ".SH EXAMPLE\n.nf" >page
		n = split(example, lines, "\n")
		for (i = 1; i <= n; i++)
			print escape(lines[i]) >page
		print ".fi" >page
	}
	printf ".SH SEE ALSO\n.BR tapset::%s (3stap),\n.BR %s (3stap)\n", escape(file), kind == "probe" ? "stapprobes" : kind == "macro" ? "stapvars" : "stapfuncs" >page
	close(page)
	printf "%s %s\t%s\t%s\n", kind, name, file, summary >>list
}

# Writes the pages of all names; a function with several definitions has one page.
function flush_names(    i) {
	for (i = 1; i <= count; i++) {
		summary = pending_summary[i]; description = pending_description[i]; example = pending_example[i]
		arguments = pending_arguments[i]
		for (j = 1; j <= arguments; j++) {
			argument_name[j] = pending_name[i, j]
			argument_text[j] = pending_text[i, j]
		}
		begin_page(pending_kind[i], pending[i])
		finish_page(pending_kind[i], pending[i], pending_forms[i], pending_context[i])
	}
}

function add_name(kind, name, form, context,    i) {
	if (name ~ /^_/)
		return
	if (!have_block) {
		printf "%s: %s has no comment block\n", FILENAME, name >"/dev/stderr"
		failed = 1
	}
	for (i = 1; i <= count; i++)
		if (pending[i] == name && pending_kind[i] == kind) {
			pending_forms[i] = pending_forms[i] form "\n"
			return
		}
	count++
	pending[count] = name; pending_kind[count] = kind; pending_forms[count] = form "\n"; pending_context[count] = context
	pending_summary[count] = name in own_text ? own_text[name] : summary
	sub(/[.;:] *$/, "", pending_summary[count])
	pending_description[count] = name in own_text ? own_text[name] : description; pending_example[count] = example
	pending_arguments[count] = name in own_text ? 0 : arguments
	for (i = 1; i <= arguments; i++) {
		pending_name[count, i] = argument_name[i]
		pending_text[count, i] = argument_text[i]
	}
}

function alias_names(line,    names, n, parts, i) {
	sub(/^probe +/, "", line)
	names = line
	sub(/ *\+?= *(kernel|module|kprobe|process|never|begin|end|timer|perf|syscall|nd_syscall|netfilter|procfs|socket|tcp|[a-z_]+\.).*/, "", names)
	sub(/ *\+?=.*$/, "", names)
	return names
}

BEGIN { head = 1 }
FNR == 1 { file = FILENAME; sub(/.*\//, "", file); sub(/\.stpm?$/, "", file) }
head && /^\/\/ / && !/SPDX/ { about = about substr($0, 4) "\n"; next }
head && !/^\/\// { head = 0 }
/^\/\*\*/ { inside = 1; text = "" }
inside {
	line = $0
	sub(/^\/\*\* ?/, "", line); sub(/^ \*\/?( |$)/, "", line)
	if (line ~ /\*\/$/) {
		sub(/ *\*\/$/, "", line)
		inside = 0
		text = text line "\n"
		have_block = 1
		read_block(text)
	} else
		text = text line "\n"
	next
}
/^probe [^({]*=/ {
	name = alias_names($0)
	point = $0
	sub(/^probe +/, "", point); sub(/ *\{.*/, "", point)
	definition = point
	sub(/^[^=]*= */, "", definition)
	add_name("probe", name, name, "An alias of " definition (definition ~ /,$/ ? " and others" : "") ".")
}
/^function / {
	form = $0
	sub(/^function +/, "", form)
	guru = index(form, "/* guru */")
	sub(/\).*/, ")", form)
	name = form
	sub(/[:(].*/, "", name)
	add_name("function", name, form, guru ? "Guru mode only." : "")
}
/^@define / {
	form = $0
	sub(/^@define +/, "", form)
	sub(/ *%\(.*/, "", form)
	name = form
	sub(/\(.*/, "", name)
	if (FILENAME ~ /\.stpm$/)
		add_name("macro", name, "@" form, "")
}
END {
	flush_names()
	page = out "/tapset::" file ".3stap"
	print ".TH " title("tapset::" file) >page
	summary = about
	sub(/\n.*/, "", summary)
	sub(/\.$/, "", summary)
	if (match(summary, /[.:;] /))
		summary = substr(summary, 1, RSTART - 1)
	printf ".SH NAME\ntapset::%s \\- %s\n.SH DESCRIPTION\n", escape(file), escape(summary == "" ? "part of the library" : summary) >page
	paragraph(about == "" ? "Part of the library of scripts." : about)
	for (i = 1; i <= count; i++)
		printf ".TP\n.BR %s::%s (3stap)\n%s\n", pending_kind[i], escape(pending[i]), escape(pending_summary[i]) >page
	printf ".SH SEE ALSO\n.BR stap (1),\n.BR stapprobes (3stap),\n.BR stapfuncs (3stap)\n" >page
	exit failed
}
