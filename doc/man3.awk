# man3.awk - manual pages of functions, from the comments of public headers: awk -v version=0.1.0 -v folder=DIR -f man3.awk HEADER...
#
# The functions that follow a comment without a blank line in between share a page, named after the first; the others lead to it.
# The first sentence of the comment is the line of NAME; tables and points become lists; what begins with @param, @return, "Errors:",
# "Cost:" or "Threads:" stands apart.

# plain(TEXT) - what roff would take for its own becomes text.
function plain(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/`/, "\\(ga", text)
	sub(/^[.']/, "\\\\\\&&", text)
	return text
}

function flush_paragraph() {
	if (paragraph != "")
		body = body paragraph "\n"
	paragraph = ""
}

# add(LINE) - a line of the comment, without its star.
function add(line,   name) {
	if (line == "") {
		flush_paragraph()
		is_apart = 1
		return
	}
	if (is_apart)
		body = body ".PP\n"
	is_apart = 0
	if (match(line, /^@param(\[out\])? +[a-z_A-Z0-9]+/)) {
		flush_paragraph()
		name = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
		sub(/^@param(\[out\])? +/, "", name)
		sub(/^ +/, "", line)
		body = body ".TP\n.I " name "\n"
		paragraph = line == "" ? "is given" : plain(line)
		return
	}
	if (match(line, /^(@return|Errors:|Cost:|Threads:)/)) {
		flush_paragraph()
		sub(/^@return/, "Returns", line)
		body = body ".PP\n"
	}
	# Of a table, a row names what the rest of it explains; of a list, a point.
	if (line ~ /^\|/) {
		flush_paragraph()
		if (line ~ /^\|-/ || split(line, cells, / *\| */) != 4)
			return
		body = body ".TP\n.I " plain(cells[2]) "\n" plain(cells[3]) "\n"
		return
	}
	if (sub(/^ *- /, "", line)) {
		flush_paragraph()
		body = body ".IP \\(bu 2\n"
	}
	if (line ~ /^    /) {
		flush_paragraph()
		body = body ".br\n" plain(line) "\n"
		return
	}
	sub(/^ +/, "", line)
	paragraph = paragraph == "" ? plain(line) : paragraph "\n" plain(line)
}

# brief(TEXT) - the first sentence, on one line.
function brief(text,   end) {
	gsub(/\n/, " ", text)
	gsub(/ +/, " ", text)
	sub(/^ /, "", text)
	end = match(text, /[.:;]( |$)/)
	return end ? substr(text, 1, end - 1) : text
}

function write_page(   i, file, names, lines, n_lines) {
	if (!n_functions)
		return
	flush_paragraph()
	for (i = 1; i <= n_functions; i++)
		names = names (i > 1 ? ", " : "") functions[i]
	file = folder "/" functions[1] ".3"
	printf ".\\\" Made by doc/man3.awk from include/%s.\n", header >file
	printf ".TH %s 3 \"\" \"clpac %s\" \"Functions of libclpac\\-memory\"\n", toupper(functions[1]), version >file
	printf ".SH NAME\n%s \\- %s\n", names, plain(summary == "" ? "see " header : brief(summary)) >file
	printf ".SH SYNOPSIS\n.nf\n.B #include <%s>\n.PP\n", header >file
	n_lines = split(declared, lines, "\n")
	for (i = 1; i < n_lines; i++)
		printf ".B %s\n", plain(lines[i]) >file
	printf ".fi\n.PP\nLink with \\fI\\-lclpac\\-memory\\fR; pkg\\-config knows it as clpac\\-memory.\n.SH DESCRIPTION\n%s", body == "" ? "See the header.\n" : body >file
	printf ".SH SEE ALSO\nThe header \\fI%s\\fR, whose beginning holds for all its functions.\n.BR clpac (7)\n", header >file
	close(file)
	for (i = 2; i <= n_functions; i++) {
		printf ".so man3/%s.3\n", functions[1] >(folder "/" functions[i] ".3")
		close(folder "/" functions[i] ".3")
	}
	n_functions = 0
	declared = ""
}

function forget() {
	write_page()
	body = paragraph = summary = declaration = ""
	is_apart = 0
}

FNR == 1 {
	forget()
	header = FILENAME
	sub(/^.*include\//, "", header)
	state = "code"
}

state == "comment" {
	line = $0
	is_end = sub(/ *\*\/.*$/, "", line)
	sub(/^ \* ?/, "", line)
	if (!is_file) {
		add(line)
		summary = summary "\n" line
	}
	if (is_end)
		state = "code"
	next
}

/^\/\*\*/ {
	forget()
	is_file = /@file/
	line = $0
	is_end = sub(/ *\*\/.*$/, "", line)
	sub(/^\/\*\* ?/, "", line)
	if (!is_file && line != "") {
		add(line)
		summary = line
	}
	if (!is_end)
		state = "comment"
	next
}

/^$/ || /^\/\*/ || /^#/ || /^}/ {
	forget()
	next
}

# A declaration of a function, on one line or more; those of types come to nothing.
{
	declaration = declaration == "" ? $0 : declaration "\n" $0
	if (!/;[ \t]*(\/\*.*)?$/)
		next
	if (declaration !~ /^(typedef|enum|struct|static)/ && declaration !~ /[{}]/ && match(declaration, /clpac_[a-z0-9_]+\(/)) {
		functions[++n_functions] = substr(declaration, RSTART, RLENGTH - 1)
		gsub(/\n[ \t]*/, "\n    ", declaration)
		declared = declared declaration "\n"
	} else if (declaration ~ /^(typedef|enum|struct)/ && declaration !~ /{/) {
		forget()
	}
	declaration = ""
}

END {
	forget()
}
