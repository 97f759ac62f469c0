// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 3: the typed AST of the session to the text of one C file, session.c_text.
//
// It is written out of order, because handlers and functions determine what else is needed: handlers first, then
// the functions that they reach, then globals. The parts are then joined in the order that a C compiler requires.
// runtime/include/generated.h is all that the text includes.
#include "elab/elab.h"
#include "elab/module_data.h"
#include "emit/emitter.h"
#include "session/passes.h"
#include "resolve/family.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

int64_t emit_string_len(struct emitter *e)
{
	return session_limit(e->s, LIMIT_MAXSTRINGLEN);
}

const char *emit_unique(struct emitter *e, const char *prefix, const char *name)
{
	char *text = str_printf("%s%s", prefix, name), *base = text;

	for (char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	for (int again = 2; map_get(&e->names, text); again++)
		text = str_printf("%s_%d", base, again);
	map_put(&e->names, text, text);
	return text;
}

const char *emit_location_text(struct loc loc)
{
	if (!loc.source)
		return "generated code";
	return str_printf("%s:%d:%d", loc.source->name, loc.line, loc.column);
}

const char *emit_comment_text(const char *text)
{
	char *safe = str_dup(text);

	for (char *p = safe; *p; p++)
		if ((p[0] == '*' && p[1] == '/') || (p[0] == '/' && p[1] == '*'))
			p[1] = '.';
		else if (*p == '\n')
			*p = ' ';
	return safe;
}

// Returns the literal without "??", which would be a trigraph to some compilers.
const char *emit_c_string(const char *text)
{
	const char *escaped = str_escape(text, strlen(text)), *trigraph;
	struct buf b = { 0 };

	buf_putc(&b, '"');
	for (; (trigraph = strstr(escaped, "??")); escaped = trigraph + 1) {
		buf_add(&b, escaped, (size_t)(trigraph + 1 - escaped));
		buf_putc(&b, '\\');
	}
	buf_puts(&b, escaped);
	buf_putc(&b, '"');
	return buf_text(&b);
}

static const char *const operators[] = {       // the words include keywords
#define TOK(name, text) text,
#include "ast/tokens.def"
};

static bool is_word(int c)
{
	return isalnum(c) || c == '_' || c == '$' || c == '@';
}

// Returns the token at loc, from the script's own text.
static const char *token_at(struct loc loc, const char **kind)
{
	const char *p = diag_line(loc.source, loc.line) + loc.column - 1, *start, *word;
	const char *end = loc.source->text + loc.source->len;
	int longest = 0;

	*kind = "operator";
	if (p >= end)
		return "";
	start = p;
	if (is_word((unsigned char)*p)) {
		*kind = isdigit((unsigned char)*p) ? "number" : *p == '@' ? "operator" : "identifier";
		while (p < end && is_word((unsigned char)*p))
			p++;
		word = str_ndup(start, p - start);
		for (int i = 0; i < (int)ARRAY_SIZE(operators); i++)
			if (strcmp(word, operators[i]) == 0)
				*kind = "keyword";
		return word;
	}
	if (*p == '"') {
		*kind = "string";
		return "\"";
	}
	for (int i = 0; i < (int)ARRAY_SIZE(operators); i++) {
		int len = (int)strlen(operators[i]);

		if (len > longest && end - p >= len && strncmp(p, operators[i], len) == 0)
			longest = len;
	}
	return str_ndup(start, longest ? longest : 1);
}

const char *emit_operator_text(struct loc loc)
{
	const char *kind, *token;

	if (!loc.source)
		return emit_c_string("generated code");
	token = token_at(loc, &kind);
	return emit_c_string(str_printf("%s '%s' at %s", kind, token, emit_location_text(loc)));
}

const char *emit_operator_at(struct emitter *e, struct loc loc)
{
	return operand(e, OPERAND_TEXT, emit_operator_text(loc));
}

const char *emit_probe_ref(const struct probe *p)
{
	return str_printf("&stp_probes[%d]", p->index);
}

bool emit_keeps_matches(const struct session *s)
{
	return s->emitter->keeps_matches;
}

const char *emit_c_constant(struct session *s, struct cwriter *w, const char *headers, const char *text, struct loc loc)
{
	const char *name = emit_unit_constant(s->emitter, headers, text, loc);

	cw_line(w, "extern const s64 %s;", name);
	return name;
}

void emit_family_table(struct session *s, const char *family, const char *table, int n)
{
	emit_family_runs(s, family, table, n, NULL);
}

void emit_family_runs(struct session *s, const char *family, const char *table, int n, const char *runs)
{
	struct family_table t = { str_printf("stp_%s_family", family), table, n, runs };

	assert(s->emitter);
	vec_push(&s->emitter->families, t);
	vec_push(&s->runtime_families, family);
}

static int family_number(const struct probe_family *family)
{
	int i = 0;

	while (probe_families[i] != family)
		i++;
	return i;
}

// Calls fn for each family in order, with its probes.
static void each_family(struct emitter *e, void (*fn)(struct emitter *e, const struct probe_family *f,
						      struct probe **of, int n, struct cwriter *w), struct cwriter *w)
{
	typedef VEC(struct probe *) probe_list;
	int families = family_number(NULL), number = 0;
	probe_list *of = NEW_ARRAY(probe_list, families);

	for vec_each(&e->s->script.probes, p) {
		if (probe_families[number] != (*p)->family)
			number = family_number((*p)->family);
		vec_push(&of[number], *p);
	}
	for (int i = 0; i < families; i++)
		if (of[i].n)
			fn(e, probe_families[i], of[i].at, of[i].n, w);
}

static void share_family(struct emitter *e, const struct probe_family *f, struct probe **of, int n,
			 struct cwriter *w)
{
	if (f->share)
		f->share(e->s, of, n);
}

static void emit_family(struct emitter *e, const struct probe_family *f, struct probe **of, int n,
			struct cwriter *w)
{
	if (!f->emit)
		return;
	f->emit(e->s, w, of, n);
	cw_blank(w);
}

static void emit_families(struct emitter *e, struct cwriter *w)
{
	each_family(e, emit_family, w);
	cw_line(w, "static const struct stp_family stp_families[] = {");
	for vec_each(&e->families, t)
		if (t->runs)
			cw_line(w, "{ &%s, %s, %d, %s, sizeof(%s) / sizeof(*%s) },", t->ops, t->table, t->n, t->runs, t->runs, t->runs);
		else
			cw_line(w, "{ .ops = &%s, .table = %s, .n = %d },", t->ops, t->table, t->n);
	cw_line(w, "};");
}

// The default is ten times MAXACTION.
static int64_t actions_interruptible(const struct session *s, int64_t actions)
{
	int64_t max = limit_max(LIMIT_MAXACTION_INTERRUPTIBLE);

	if (session_limit_given(s, LIMIT_MAXACTION_INTERRUPTIBLE) && !s->opt.suppress_time_limits)
		return session_limit(s, LIMIT_MAXACTION_INTERRUPTIBLE);
	return actions > max / 10 ? max : actions * 10;
}

// Units of work that a hit may do for each statement of MAXACTION: with the default of 1,000 a hit of the longest kind
// ends below 2 million instructions.
#define WORK_EACH 1500

static void write_overload_limits(struct session *s, struct cwriter *w)
{
	bool no_overload = session_limit(s, LIMIT_STP_NO_OVERLOAD) || s->opt.suppress_time_limits ||
		(emit_times_hits(s) && (s->opt.user_runtime || s->opt.bpf_runtime));  // a process counts cycles only
										      // to time hits

	cw_line(w, ".overload_interval = %" PRId64 ",", session_limit(s, LIMIT_STP_OVERLOAD_INTERVAL));
	cw_line(w, ".overload_threshold = %" PRId64 ",", session_limit(s, LIMIT_STP_OVERLOAD_THRESHOLD));
	cw_line(w, ".no_overload = %s,", no_overload ? "true" : "false");
}

static void write_hist_limits(struct session *s, struct cwriter *w)
{
	int64_t elision = session_limit(s, LIMIT_HIST_ELISION);

	cw_line(w, ".hist_elision = %" PRId64 ",", elision < 0 ? -1 : elision);
	cw_line(w, ".hist_width = %" PRId64 ",", session_limit(s, LIMIT_HIST_WIDTH));
	if (session_limit(s, LIMIT_HIST_PERCENTILES))
		cw_line(w, ".hist_percentiles = 1,");
	if (session_limit(s, LIMIT_HIST_TERMINAL))
		cw_line(w, ".hist_terminal = %" PRId64 ",", session_limit(s, LIMIT_HIST_TERMINAL));
}

static void write_limits(struct emitter *e, struct cwriter *w, int nesting)
{
	struct session *s = e->s;
	int64_t actions = s->opt.suppress_time_limits ? INT32_MAX / 10 : session_limit(s, LIMIT_MAXACTION);

	cw_line(w, ".limits = {");
	cw_line(w, ".string_len = STP_STRLEN,");
	cw_line(w, ".actions = %" PRId64 ",", actions);
	cw_line(w, ".actions_interruptible = %" PRId64 ",", actions_interruptible(s, actions));
	cw_line(w, ".work = %" PRId64 ",", session_limit(s, LIMIT_MAXSTRINGLEN) > 512 ?
		WORK_EACH * session_limit(s, LIMIT_MAXSTRINGLEN) / 512 : WORK_EACH);
	if (!s->opt.suppress_time_limits)
		cw_line(w, ".deadline_ms = %" PRId64 ",", session_limit(s, LIMIT_MAXHANDLERTIME));
	cw_line(w, ".nesting = %d,", nesting);
	cw_line(w, ".errors = %" PRId64 ",", session_limit(s, LIMIT_MAXERRORS));
	cw_line(w, ".skipped = %" PRId64 ",",
		s->opt.suppress_errors ? UINT32_MAX : session_limit(s, LIMIT_MAXSKIPPED));
	cw_line(w, ".trylock = %" PRId64 ",",
		s->opt.suppress_time_limits ? INT32_MAX : session_limit(s, LIMIT_MAXTRYLOCK));
	cw_line(w, ".trylock_delay_us = %" PRId64 ",", session_limit(s, LIMIT_TRYLOCKDELAY));
	cw_line(w, ".min_stack = %" PRId64 ",", session_limit(s, LIMIT_MINSTACKSPACE));
	write_overload_limits(s, w);
	cw_line(w, ".interruptible = %s,", session_limit(s, LIMIT_INTERRUPTIBLE) ? "true" : "false");
	if (session_limit(s, LIMIT_STP_MAXMEMORY))
		cw_line(w, ".memory_kb = %" PRId64 ",", session_limit(s, LIMIT_STP_MAXMEMORY));
	if (session_limit_given(s, LIMIT_STP_DEFAULT_BUFFERS) || session_limit_given(s, LIMIT_STP_CTL_BUFFER_SIZE))
		cw_line(w, ".message_bytes = %" PRId64 ",",
			session_limit(s, LIMIT_STP_DEFAULT_BUFFERS) * session_limit(s, LIMIT_STP_CTL_BUFFER_SIZE));
	if (session_limit(s, LIMIT_MAPHASHBIAS))
		cw_line(w, ".hash_bias = %" PRId64 ",", session_limit(s, LIMIT_MAPHASHBIAS));
	if (s->opt.suppress_errors)
		cw_line(w, ".suppress_errors = true,");
	if (emit_times_hits(s))
		cw_line(w, ".timing = true,");
	if (s->opt.timing)
		cw_line(w, ".timing_report = true,");
	if (s->opt.bulk)
		cw_line(w, ".bulk = true,");
	if (s->opt.buffer_mb)
		cw_line(w, ".buffer_kb = %d,", s->opt.buffer_mb * 1024);
	write_hist_limits(s, w);
	cw_line(w, "},");
}

static void write_count(struct cwriter *w, const char *what, int n)
{
	if (n)
		cw_line(w, ".%s = stp_%s, .n%s = %d,", what, what, what, n);
}

static const char *bytes_text(const uint8_t *id, int len)
{
	struct buf b = { 0 };

	for (int i = 0; i < len; i++)
		buf_printf(&b, "%s0x%02x", i ? ", " : "", id[i]);
	return b.text;
}

// Writes the build ID of the kernel to which the addresses in the tables belong. Another kernel is refused or, if
// it has no build ID, checked by names of the functions.
static void write_build_id(const struct module_data *d, struct cwriter *w)
{
	if (d->checks_builds && !d->kernel_id_len)
		diag_warning((struct loc){ 0 }, "cannot check at run time that the kernel is of the build that the script is"
			     " translated for: its image has no build ID");
	if (d->kernel_id_len)
		cw_line(w, ".build_id = (const u8[]){ %s }, .build_id_len = %d,", bytes_text(d->kernel_id, d->kernel_id_len),
			d->kernel_id_len);
}

// Writes a row for a kernel module, under the name that it has when loaded, once for each module. Returns the
// number of rows.
static int write_build(struct cwriter *w, struct map *known, const struct build_data *b)
{
	if (map_get(known, b->name))
		return 0;
	map_put(known, b->name, (void *)b);
	if (b->id)
		cw_line(w, "{ %s, true, { %s } },", emit_c_string(b->name), bytes_text(b->id, 20));
	else
		cw_line(w, "{ %s },", emit_c_string(b->name));
	return 1;
}

// Returns whether the script reads variables or source lines of the module.
static bool is_read(const struct emitter *e, const struct di_module *m)
{
	for vec_each(&e->statics, it)
		if ((*it)->home == m)
			return true;
	return false;
}

// Lists modules that contain probes, or whose variables or lines the script uses.
static int write_builds(struct emitter *e, struct cwriter *w)
{
	const struct module_data *d = e->s->module_data;
	struct cwriter rows = { .depth = 1 };
	struct map known = { 0 };
	int n = 0;

	for vec_each(&d->probed, b)
		n += write_build(&rows, &known, b);
	for vec_each(&d->read, b)
		if (is_read(e, b->module))
			n += write_build(&rows, &known, b);
	if (n) {
		cw_line(w, "static const struct stp_module_build stp_builds[] = {");
		cw_append(w, &rows);
		cw_line(w, "};");
	}
	return n;
}

// Writes one line of the section that staprun (and modinfo) read.
static void write_modinfo(struct cwriter *w, int n, const char *name, const char *value)
{
	cw_line(w, "static const char stp_modinfo_%d[] __attribute__((section(\".modinfo\"), used, aligned(1))) = \"%s=%s\";",
		n, name, value);
}

static const char *hex_text(const uint8_t *id, int len)
{
	struct buf b = { 0 };

	for (int i = 0; i < len; i++)
		buf_printf(&b, "%02x", id[i]);
	return b.text;
}

// Computes the string frames of each CPU's context: the nesting of calls times the frame of each.
static void check_frames(struct emitter *e, int strings, int nesting)
{
	enum { MAX_FRAMES = 64 << 20 };

	if (strings * emit_string_len(e) > MAX_FRAMES)
		die("%d nested calls need %" PRId64 " MB of strings for each CPU, more than %d MB; reduce MAXNESTING or "
		    "MAXSTRINGLEN (-DMAXNESTING=N)", nesting, strings * emit_string_len(e) >> 20, MAX_FRAMES >> 20);
}

static void write_module(struct emitter *e, struct cwriter *w)
{
	int strings, nesting = emit_nesting(e, &strings), builds = write_builds(e, w), n = 0;

	check_frames(e, strings, nesting);
	if (e->s->opt.privilege != PRIVILEGE_STAPDEV)
		write_modinfo(w, n++, "stap_privilege", e->s->opt.privilege == PRIVILEGE_STAPUSR ? "stapusr" : "stapsys");
	if (e->s->module_data->kernel_id_len)
		write_modinfo(w, n++, "stap_kernel_build_id", hex_text(e->s->module_data->kernel_id,
								       e->s->module_data->kernel_id_len));
	for vec_each(&e->s->opt.modinfo, info)
		write_modinfo(w, n++, info->name, info->value);
	cw_line(w, "const struct stp_module stp_module = {");
	cw_line(w, ".abi = STP_GENERATED_ABI,");
	write_build_id(e->s->module_data, w);
	write_count(w, "builds", builds);
	write_limits(e, w, nesting);
	write_count(w, "families", e->families.n);
	write_count(w, "probes", e->probes);
	if (e->probe_runs)
		cw_line(w, ".expanded = stp_probes, .probe_runs = stp_probe_runs, "
			".nprobe_runs = sizeof(stp_probe_runs) / sizeof(*stp_probe_runs),");
	if (e->maps)
		cw_line(w, ".arrays = &stp_array_ops,");
	write_count(w, "maps", e->maps);
	write_count(w, "stats", e->stats);
	write_count(w, "foreachs", e->foreachs);
	write_count(w, "globals", e->settable);
	write_count(w, "statics", e->statics.n);
	if (e->s->opt.records)
		cw_line(w, ".records = &stp_records,");
	if (e->s->module_data->names_addresses)
		cw_line(w, ".names_addresses = true,");
	if (e->percpu)
		cw_line(w, ".percpu_size = sizeof(struct percpu),");
	cw_line(w, ".frame_size = %d * %s,", strings, e->s->opt.bpf_runtime ? "STP_TEXT_SIZE" : "STP_STRLEN");
	cw_line(w, "};");
}

static void write_embedded_macros(struct cwriter *w)
{
	cw_line(w, "/* for embedded C */");
	cw_line(w, "#define CONTEXT c");
	cw_line(w, "#define STAP_RETVALUE ret");
	cw_line(w, "#define STAP_RETURN_POINTER(p) return (p)");
	cw_line(w, "#define STAP_ERROR(...) do { stp_error(c, __VA_ARGS__); goto out; } while (0)");
	cw_line(w, "#define STAP_PRINTF(...) stp_cprintf(c, __VA_ARGS__)");
	cw_line(w, "#define STAP_NEXT do { c->next = true; goto out; } while (0)");
	cw_blank(w);
}

static void number_probes(struct emitter *e)
{
	struct script *script = &e->s->script;

	each_family(e, share_family, NULL);
	for vec_each(&script->probes, p)
		if (!(*p)->shares)
			(*p)->index = e->probes++;
	for vec_each(&script->probes, p)
		if (emit_has_hit(*p))
			(*p)->before = e->probes++;
	for vec_each(&script->probes, p)
		if ((*p)->shares)
			(*p)->index = (*p)->shares->index;
}

// Writes the handlers of these probes (NULL: of all probes), and the functions that they call and that were not
// written yet.
static void emit_probes(struct emitter *e, bool (*wanted)(const struct probe *p))
{
	for vec_each(&e->s->script.probes, p)
		if (!(*p)->shares && (!wanted || wanted(*p)))
			emit_probe(e, *p);
	for (; e->funcs_written < e->funcs.n; e->funcs_written++)
		emit_script_func(e, e->funcs.at[e->funcs_written]);
}

static void emit_bodies(struct emitter *e)
{
	struct script *script = &e->s->script;

	e->handler_of = NEW_ARRAY(struct func_info *, script->probes.n + 1);
	e->entry_of = NEW_ARRAY(struct func_info *, script->probes.n + 1);
	e->hit_of = NEW_ARRAY(struct func_info *, script->probes.n + 1);
	e->locks_of = NEW_ARRAY(access_list, script->probes.n + 1);
	e->entry_locks_of = NEW_ARRAY(access_list, script->probes.n + 1);
	e->locks_late = NEW_ARRAY(bool, script->probes.n + 1);
	for vec_each(&script->funcs, f)
		e->keeps_matches |= (*f)->used && func_has(*f, PRAGMA_TAGGED_DFA);
	emit_find_slices(e);
	emit_check_senders(e->s);
	number_probes(e);
	// The functions that BPF programs call are first: the rest of the text is for the client only.
	if (e->s->opt.bpf_runtime) {
		e->programs = true;
		emit_probes(e, bpf_carries);
		e->programs = false;
		emit_bpf_client_uses(e);
		cw_line(&e->functions, "#ifndef STP_BPF");
		cw_line(&e->handlers, "#ifndef STP_BPF");
		emit_probes(e, bpf_client_runs);
		cw_line(&e->functions, "#endif");
		cw_line(&e->handlers, "#endif");
	} else {
		emit_probes(e, NULL);
	}
	emit_embedded_blocks(e);
}

static void write_head(struct emitter *e, struct cwriter *w)
{
	cw_line(w, "/* Made by stap -p3. Names and locations are those of the script. */");
	cw_line(w, "#define STP_STRLEN %" PRId64, emit_string_len(e));
	if (e->s->opt.records)
		cw_line(w, "#define %s", e->s->opt.bpf_runtime ? "STP_EVENT_TIMES" : "STP_RECORDS");
	if (e->s->opt.bpf_runtime)
		emit_bpf_head(e, w);
	else
		cw_line(w, "#include \"generated.h\"");
	cw_blank(w);
}

// Writes the variables, then the code.
static void write_code(struct emitter *e, struct cwriter *w)
{
	emit_storage(e, w);
	if (e->s->opt.bpf_runtime)
		emit_bpf_locks(e, w);
	emit_statics(e, w);
	emit_mapped_programs(e, w);
	cw_append(w, &e->tables);
	emit_regex_walks(e, w);
	if (e->tables.text.len)
		cw_blank(w);
	if (e->embedded)
		write_embedded_macros(w);
	if (e->prototypes.text.len) {
		cw_append(w, &e->prototypes);
		cw_blank(w);
	}
	cw_append(w, &e->functions);
	cw_append(w, &e->handlers);
	if (e->s->opt.bpf_runtime)
		emit_bpf_programs(e, w);
}

static void put_together(struct emitter *e, struct cwriter *w)
{
	struct cwriter tables = { 0 }, known = { 0 };

	emit_probe_tables(e, &tables);     // written before the storage, which contains the locks
	if (e->s->opt.follow && !e->s->opt.bpf_runtime)
		emit_family_table(e->s, "follow", "NULL", 0);  // the first family, so that it stops after those
							       // that use it
	emit_user_symbols(e, &known);      // written before the families, which use it
	emit_kernel_lines(e, &known);
	write_head(e, w);
	write_code(e, w);
	cw_append(w, &tables);
	cw_append(w, &known);
	emit_families(e, w);
	emit_global_tables(e, w);
	if (e->s->opt.merge == MERGE_HERE)
		emit_merged_globals(e, w);
	if (e->s->opt.merge == MERGE_HOST)
		emit_merged_tables(e, w);
	else if (e->s->opt.records)
		emit_record_tables(e, w);
	cw_blank(w);
	write_module(e, w);
	if (e->s->opt.bpf_runtime)
		cw_line(w, "#endif");
}

int pass_emit(struct session *s)
{
	struct emitter e = { .s = s };
	struct cwriter w = { 0 };
	int before = diag_errors();

	s->emitter = &e;
	emit_bodies(&e);
	if (diag_errors() > before) {
		s->emitter = NULL;
		return diag_errors() - before;
	}
	emit_c_calls(&e);
	put_together(&e, &w);
	s->c_text = cw_end(&w);
	s->c_len = w.text.len;
	s->emitter = NULL;
	return diag_errors() - before;
}
