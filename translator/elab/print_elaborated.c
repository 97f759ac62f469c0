// SPDX-License-Identifier: GPL-2.0-or-later
// -p2: prints the elaborated script as text; bodies with -v.
//
//   # globals
//   calls:long [string, long]
//   # functions
//   f:string (a:long)
//   # probes
//   timer.ms(100) /* <- timer.ms(100) */
//   kernel.function("vfs_read@...") /* pc=_stext+0x1200 */ /* <- kernel.function("vfs_read") */
//     # locals
//     x:long
#include "elab/elab.h"
#include "resolve/family.h"
#include "session/passes.h"
#include "util/str.h"

static bool with_bodies(const struct session *s)
{
	return s->opt.verbose[2] > 0;
}

static void dump_global(struct buf *b, const struct var *v)
{
	buf_printf(b, "%s%s", v->name, v->wrap ? "%" : "");
	if (v->max_size)
		buf_printf(b, "[%lld]", (long long)v->max_size);
	buf_printf(b, ":%s", type_name(v->type));
	for (int i = 0; i < v->arity; i++)
		buf_printf(b, "%s%s", i ? ", " : " [", type_name(v->key_types[i]));
	if (v->arity)
		buf_puts(b, "]");
	if (v->init) {
		buf_puts(b, " = ");
		ast_print_expr(b, v->init);
	}
	buf_putc(b, '\n');
}

static void dump_func(struct session *s, struct buf *b, const struct func *f)
{
	buf_printf(b, "%s:%s (", f->name, type_name(f->type));
	for (int i = 0; i < f->params.n; i++)
		buf_printf(b, "%s%s:%s", i ? ", " : "", f->params.at[i]->name, type_name(f->params.at[i]->type));
	buf_puts(b, ")\n");
	if (f->locals.n)
		buf_puts(b, "  # locals\n");
	for vec_each(&f->locals, v)
		buf_printf(b, "  %s:%s\n", (*v)->name, type_name((*v)->type));
	if (!with_bodies(s) || !f->body)
		return;
	ast_print_stmt(b, f->body, 0);
	buf_putc(b, '\n');
}

static void dump_address(struct buf *b, const struct probe *p)
{
	const char *from = NULL;
	uint64_t offset;

	if (p->family->address && p->family->address(p, &from, &offset))
		buf_printf(b, " /* pc=%s%s%#llx */", from ? from : "", from ? "+" : "", (unsigned long long)offset);
}

// Prints "kernel.function("vfs_read@...") /* pc=_stext+0x1200 */ /* <- vfs.read <- vfs.* */".
static void dump_probe(struct session *s, struct buf *b, const struct probe *p)
{
	buf_puts(b, p->point);
	dump_address(b, p);
	buf_puts(b, " /*");
	for (int i = p->chain.n - 1; i >= 0; i--)
		buf_printf(b, " <- %s", point_text(p->chain.at[i]));
	buf_puts(b, " */\n");
	if (p->condition) {
		buf_puts(b, "  # if ");
		ast_print_expr(b, p->condition);
		buf_putc(b, '\n');
	}
	if (p->same_body)
		buf_printf(b, "  # handler of %s\n", p->same_body->point);
	for (int i = 0; i < p->entries.n; i++) {
		buf_printf(b, "  # entry %d: ", i);
		ast_print_expr(b, p->entries.at[i]);
		buf_putc(b, '\n');
	}
	if (p->locals.n)
		buf_puts(b, "  # locals\n");
	for vec_each(&p->locals, v)
		buf_printf(b, "  %s:%s\n", (*v)->name, type_name((*v)->type));
	if (!with_bodies(s))
		return;
	if (!p->same_body)
		ast_print_stmt(b, p->body, 0);
	buf_putc(b, '\n');
}

void print_elaborated(struct session *s, struct buf *b)
{
	if (s->script.globals.n)
		buf_puts(b, "# globals\n");
	for vec_each(&s->script.globals, g)
		dump_global(b, *g);
	if (s->script.funcs.n)
		buf_puts(b, "# functions\n");
	for vec_each(&s->script.funcs, f)
		dump_func(s, b, *f);
	if (s->script.probes.n)
		buf_puts(b, "# probes\n");
	for vec_each(&s->script.probes, p)
		dump_probe(s, b, *p);
}
