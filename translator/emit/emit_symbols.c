// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the tables with which the module resolves addresses of programs: symbols, call frame information and source
// lines, sorted by offset in the file; and those that identify programs. In: session.module_data.
#include "elab/module_data.h"
#include "emit/emitter.h"

static void emit_symbols(struct cwriter *w, const di_symbols *symbols, int number)
{
	cw_line(w, "static const struct stp_usym stp_usyms_%d[] = {", number);
	for vec_each(symbols, it)
		cw_line(w, "{ 0x%llxULL, %llu, %s },", (unsigned long long)it->offset, (unsigned long long)it->size,
			emit_c_string(it->name));
	cw_line(w, "{ 0, 0, NULL },");
	cw_line(w, "};");
}

// Writes numbers, as many per line as fit.
static void emit_numbers(struct cwriter *w, const char *type, const char *name, int object, const uint64_t *v, int n)
{
	cw_line(w, "static const %s %s_%d[] = {", type, name, object);
	for (int i = 0; i < n; i += 16) {
		struct buf row = { 0 };

		for (int k = i; k < n && k < i + 16; k++)
			buf_printf(&row, "%llu,", (unsigned long long)v[k]);
		cw_line(w, "%s", buf_text(&row));
	}
	cw_line(w, "};");
}

static const char *location_text(const struct di_frame_location *p)
{
	static const char *const kinds[] = {
		[DI_FRAME_NONE] = "NONE", [DI_FRAME_UNKNOWN] = "UNKNOWN", [DI_FRAME_REGISTER] = "REGISTER",
		[DI_FRAME_LOAD] = "LOAD", [DI_FRAME_AT_CFA] = "AT_CFA", [DI_FRAME_PLT] = "PLT",
	};

	return str_printf("{ %d, STP_FRAME_%s, %d, %d }", p->offset, kinds[p->kind], p->base, p->plus);
}

static void emit_frames(struct cwriter *w, const struct di_frames *frames, int number)
{
	uint64_t *offsets = NEW_ARRAY(uint64_t, frames->rows.n), *rules = NEW_ARRAY(uint64_t, frames->rows.n);
	int n = 0;

	for vec_each(&frames->rows, row) {
		offsets[n] = row->address;
		rules[n++] = row->rule;
	}
	emit_numbers(w, "u32", "stp_frame_offsets", number, offsets, n);
	emit_numbers(w, "u16", "stp_frame_rule", number, rules, n);
	cw_line(w, "static const struct stp_frame_rule stp_frame_rules_%d[] = {", number);
	for vec_each(&frames->rules, r)
		cw_line(w, "{ %s, %s, %s },", location_text(&r->cfa), location_text(&r->ra), location_text(&r->fp));
	cw_line(w, "};");
}

void emit_program(struct cwriter *w, const char *table, int i, const struct di_identity *id)
{
	struct buf bytes = { 0 };

	for (int k = 0; k < id->len; k++)
		buf_printf(&bytes, "%s%d", k ? ", " : "", id->bytes[k]);
	cw_line(w, "static const u8 %s_id_%d[] = { %s };", table, i, buf_text(&bytes));
	cw_line(w, "static struct stp_program %s_program_%d = { .path = %s, .id = %s_id_%d, .id_offset = 0x%llxULL, "
		".id_len = %d, .summed = %lluULL };", table, i, emit_c_string(id->path), table, i,
		(unsigned long long)id->offset, id->len, (unsigned long long)id->summed);
}

static char *emit_object(struct emitter *e, struct cwriter *w, const struct object_data *o, int i)
{
	struct buf row = { 0 };

	emit_program(w, "stp_object", i, &o->identity);
	buf_printf(&row, "{ .program = &stp_object_program_%d", i);
	if (e->s->module_data->names_objects)
		emit_symbols(w, &o->symbols, i);
	if (o->symbols.n)
		buf_printf(&row, ", .symbols = stp_usyms_%d, .nsymbols = %d", i, o->symbols.n);
	if (o->frames.rules.n)
		emit_frames(w, &o->frames, i);
	if (o->frames.rows.n)
		buf_printf(&row, ", .frame_offsets = stp_frame_offsets_%d, .frame_rule = stp_frame_rule_%d, "
			   ".frame_rules = stp_frame_rules_%d, .nframes = %d", i, i, i, o->frames.rows.n);
	if (o->lines.path)
		buf_printf(&row, ", .lines = &%s", emit_lines(e, w, &o->lines));
	buf_puts(&row, " },");
	return buf_text(&row);
}

void emit_user_symbols(struct emitter *e, struct cwriter *w)
{
	struct module_data *d = e->s->module_data;
	struct buf rows = { 0 };

	if (!d->resolves_user)
		return;
	for (int i = 0; i < d->objects.n; i++)
		buf_puts(&rows, emit_object(e, w, &d->objects.at[i], i));
	cw_line(w, "static struct stp_object stp_objects[] = { %s { NULL } };", buf_text(&rows));
	emit_family_table(e->s, "user_stack", "stp_objects", d->objects.n);
}

void emit_mapped_programs(struct emitter *e, struct cwriter *w)
{
	const struct module_data *d = e->s->module_data;

	if (!d->mapped.n)
		return;
	for (int i = 0; i < d->mapped.n; i++)
		emit_program(w, "stp_mapped", i, &d->mapped.at[i].identity);
	cw_line(w, "static struct stp_mapped stp_mapped[] = {");
	for (int i = 0; i < d->mapped.n; i++)
		cw_line(w, "{ .program = &stp_mapped_program_%d, .address = 0x%llxULL, .offset = 0x%llxULL },", i,
			(unsigned long long)d->mapped.at[i].code_address, (unsigned long long)d->mapped.at[i].code_offset);
	cw_line(w, "};");
	emit_family_table(e->s, "mapped", "stp_mapped", d->mapped.n);
}
