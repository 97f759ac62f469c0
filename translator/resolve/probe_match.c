// SPDX-License-Identifier: GPL-2.0-or-later
// Points -> probes. In: script.probe_decls, script.aliases. Out: script.probes.
//
// A point is looked up among the aliases (the library's included) and the patterns of the probe
// families. An alias leads to its own points, and so on: the chain. A family's resolve() ends it
// with probe_add(). Exact matches go before those where an alias name is followed by more parts,
// which are then appended to each of the alias's points.
#include "resolve/resolve.h"
#include "parse/parse.h"
#include "session/passes.h"
#include "util/foreign_words.h"
#include "util/str.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum { MAX_ALIASES = 50000 }; // limit for one declaration

typedef VEC(const struct probe_point *) chain_vec;

// The path from a declaration through aliases to the current point.
struct path {
	struct session *s;
	struct probe_decl *decl;
	chain_vec chain;
	VEC(struct probe_decl *) aliases;
	int entered;               // number of aliases so far
};

static void resolve_points(struct path *path, struct probe_decl *of, const struct probe_point *suffix_from,
			   int suffix_at);

const struct point_part *point_find(const struct probe_point *p, const char *name)
{
	for vec_each(&p->parts, part)
		if (!strcmp(part->name, name))
			return part;
	return NULL;
}

// --exclude-self: the handler runs only in tasks of other programs.
static struct stmt *exclude_self(struct stmt *body)
{
	struct expr *call = expr_new(E_CALL, body->loc);
	struct stmt *condition = stmt_new(S_IF, body->loc);

	call->u.call.name = "__is_another_program";
	condition->u.if_.c = call;
	condition->u.if_.then = body;
	return condition;
}

struct probe *probe_add(struct session *s, const struct probe_family *f, const struct probe_match *m,
			const char *point, void *data)
{
	struct probe *p = NEW(struct probe);

	p->family = f;
	p->decl = m->decl;
	p->loc = m->chain[0]->loc;
	p->written = point_text(m->chain[0]);
	p->point = point;
	p->data = data;
	vec_push(&s->script.probes, p);
	for (int i = 0; i < m->chain_len; i++)
		vec_push(&p->chain, (struct probe_point *)m->chain[i]);
	p->condition = alias_condition(m);
	p->body = alias_compose(m);
	if (s->opt.exclude_self && !f->not_of_task)
		p->body = exclude_self(p->body);
	return p;
}

// Returns the number of probes and points found so far.
static int count_found(const struct session *s)
{
	return s->script.probes.n + s->script.listed.n;
}

struct probe *probe_add_copy(struct session *s, struct probe *first, const char *point, void *data)
{
	struct probe *p = NEW(struct probe);

	if (!first->pristine)
		first->pristine = stmt_copy(first->body);
	p->family = first->family;
	p->decl = first->decl;
	p->loc = first->loc;
	p->written = first->written;
	p->chain = first->chain;
	p->point = point;
	p->data = data;
	vec_push(&first->copies, p);
	return p;
}

// ---------------------------------------------------------------- matching

static bool name_matches(const char *name, const char *pattern)
{
	return str_is_glob(pattern) ? fnmatch(pattern, name, 0) == 0 : !strcmp(pattern, name);
}

static bool part_matches(const struct point_part *alias, const struct point_part *wanted)
{
	return wanted->arg_kind == ARG_NONE && name_matches(alias->name, wanted->name);
}

// Returns the next part from *at on that has an argument, and advances *at past it; NULL: no more arguments.
static const struct point_part *next_argument(const struct probe_point *p, int *at)
{
	while (*at < p->parts.n)
		if (p->parts.at[(*at)++].arg_kind != ARG_NONE)
			return &p->parts.at[*at - 1];
	return NULL;
}

static bool has_double_star(const struct probe_point *p)
{
	for vec_each(&p->parts, part)
		if (strstr(part->name, "**"))
			return true;
	return false;
}

static bool has_glob(const struct probe_point *p)
{
	for vec_each(&p->parts, part)
		if (str_is_glob(part->name))
			return true;
	return false;
}

// Returns the first n parts as "kernel.function(string)", the form of family patterns, so that spellings compare.
static char *first_shapes(const struct probe_point *p, int n)
{
	static const char *const args[] = { "", "(string)", "(number)" };
	struct buf b = { 0 };

	for (int i = 0; i < n; i++)
		buf_printf(&b, "%s%s%s", i ? "." : "", p->parts.at[i].name, args[p->parts.at[i].arg_kind]);
	return buf_text(&b);
}

static char *point_shape(const struct probe_point *p)
{
	return first_shapes(p, p->parts.n);
}

// Returns whether a wildcard matches the character. "*" and "?" stop at dots, "**" does not. None of them matches an
// argument.
static bool in_wildcard(char c, bool dots)
{
	return c != '(' && (dots || c != '.');
}

// Tracks which prefixes of the text (at_end[i]: of i bytes) match the pattern so far, so that the time is
// proportional to the product of both lengths.
static bool dotted_glob(const char *pattern, const char *text)
{
	size_t len = strlen(text);
	bool *at_end = mem_alloc_atomic((len + 1) * sizeof(*at_end));

	at_end[0] = true;
	for (; *pattern; pattern++) {
		bool star = *pattern == '*', dots = star && pattern[1] == '*';

		if (star) {
			for (size_t i = 0; i < len; i++)
				at_end[i + 1] |= at_end[i] && in_wildcard(text[i], dots);
			pattern += dots;
			continue;
		}
		for (size_t i = len; i > 0; i--)
			at_end[i] = at_end[i - 1] &&
				(*pattern == text[i - 1] || (*pattern == '?' && in_wildcard(text[i - 1], false)));
		at_end[0] = false;
	}
	return at_end[len];
}

// Returns the number of parts of the point that the alias name matches: all of them, or fewer if the rest is a
// suffix; 0: no match.
static int alias_matches(const struct probe_point *name, const struct probe_point *point)
{
	if (has_double_star(point))
		for (int n = point->parts.n; n > 0; n--)
			if (dotted_glob(first_shapes(point, n), point_text(name)))
				return n;
	if (name->parts.n > point->parts.n)
		return 0;
	for (int i = 0; i < name->parts.n; i++)
		if (!part_matches(&name->parts.at[i], &point->parts.at[i]))
			return 0;
	return name->parts.n;
}

// Parses "kernel.function(string)" into parts without arguments.
static struct probe_point *pattern_parse(const char *pattern)
{
	struct probe_point *p = NEW(struct probe_point);

	while (*pattern) {
		struct point_part part = { 0 };
		size_t len = strcspn(pattern, "(.");

		part.name = str_ndup(pattern, len);
		pattern += len;
		if (str_starts(pattern, "(string)"))
			part.arg_kind = ARG_STRING;
		else if (str_starts(pattern, "(number)"))
			part.arg_kind = ARG_NUMBER;
		pattern += part.arg_kind == ARG_NONE ? 0 : 8;
		vec_push(&p->parts, part);
		pattern += *pattern == '.';
	}
	return p;
}

static int count_parts(const char *pattern)
{
	int n = 1;

	for (; *pattern; pattern++)
		n += *pattern == '.';
	return n;
}

static bool pattern_matches(const struct probe_point *pattern, const struct probe_point *point)
{
	if (pattern->parts.n != point->parts.n)
		return false;
	for (int i = 0; i < point->parts.n; i++) {
		const struct point_part *a = &pattern->parts.at[i], *b = &point->parts.at[i];

		if (a->arg_kind != b->arg_kind || !name_matches(a->name, b->name))
			return false;
	}
	return true;
}

bool match_left_open(const struct probe_point *point, const char *text)
{
	const struct probe_point *pattern = pattern_parse(text);
	struct buf names = { 0 };
	bool open = false;

	if (has_double_star(point)) {
		for vec_each(&pattern->parts, part)
			buf_printf(&names, "%s%s", names.len ? "." : "", part->name);
		return dotted_glob(point_text(point), names.text);
	}
	if (!has_glob(point) || pattern->parts.n != point->parts.n)
		return false;
	for (int i = 0; i < point->parts.n; i++) {
		const struct point_part *a = &pattern->parts.at[i], *b = &point->parts.at[i];

		if (!name_matches(a->name, b->name) || (b->arg_kind != ARG_NONE && b->arg_kind != a->arg_kind))
			return false;
		open |= a->arg_kind != b->arg_kind;
	}
	return open;
}

// Returns the point with the first n names of `names` instead of wildcards. "**" may stand for several names: arguments
// are assigned in their order.
static struct probe_point *with_names(const struct probe_point *point, const struct probe_point *names,
				      int n)
{
	struct probe_point *copy = NEW(struct probe_point);

	*copy = *point;
	copy->parts.at = NULL;
	copy->parts.n = copy->parts.capacity = 0;
	for (int i = 0, k = 0; i < n; i++) {
		const struct point_part *name = &names->parts.at[i];
		struct point_part part = name->arg_kind == ARG_NONE ? *name : *next_argument(point, &k);

		part.name = name->name;
		vec_push(&copy->parts, part);
	}
	for (int i = n; i < point->parts.n; i++)
		vec_push(&copy->parts, point->parts.at[i]);
	return copy;
}

// ---------------------------------------------------------------- families

static void resolve_family(struct path *path, const struct probe_family *f, const char *pattern,
			   const struct probe_point *names)
{
	const struct probe_point *point = path->chain.at[path->chain.n - 1];
	struct probe_match m = { .decl = path->decl, .pattern = pattern };
	chain_vec chain = { 0 };

	if (path->s->opt.user_runtime && !f->on_user_runtime) {
		diag_error(point->loc, "%s requires the kernel: it is not available with --runtime=user",
			   point_text(point));
		return;
	}
	if (path->s->opt.bpf_runtime && !f->on_user_runtime && !f->bpf_program) {
		diag_error(point->loc, "%s is not supported with --runtime=bpf; run the script as a module, or with --vm",
			   point_text(point));
		return;
	}
	for vec_each(&path->chain, p)
		vec_push(&chain, *p);
	if (has_glob(point)) {
		point = with_names(point, names, names->parts.n);
		chain.at[chain.n - 1] = point;
	}
	m.point = point;
	m.chain = chain.at;
	m.chain_len = chain.n;
	m.aliases = path->aliases.at;
	m.user_runtime = path->s->opt.user_runtime;
	m.wildcard = point != path->chain.at[path->chain.n - 1];
	f->resolve(path->s, &m);
}

// Returns the names of a family's pattern for the point, or NULL if it does not match. stars: the point's shape, if it
// has "**", which stands for components without arguments.
static struct probe_point *family_names(const char *pattern, const struct probe_point *point, const char *stars)
{
	struct probe_point *names;

	if (stars)
		return dotted_glob(stars, pattern) ? pattern_parse(pattern) : NULL;
	if (count_parts(pattern) != point->parts.n)
		return NULL;
	names = pattern_parse(pattern);
	return pattern_matches(names, point) ? names : NULL;
}

// Returns the point without .maxactive(N) if the family ignores it.
static const struct probe_point *without_maxactive(const struct probe_point *point)
{
	const struct point_part *last = &point->parts.at[point->parts.n - 1];
	struct probe_point *p;

	if (point->parts.n < 2 || !name_matches("maxactive", last->name) || last->arg_kind != ARG_NUMBER ||
	    last->number < 0 || !name_matches("return", last[-1].name))
		return point;
	p = with_names(point, point, point->parts.n);
	p->parts.n--;
	return p;
}

static bool resolve_families(struct path *path, const struct probe_point *written)
{
	const struct probe_point *point = written;
	const char *first = point->parts.at[0].name;
	size_t len = str_is_glob(first) ? 0 : strlen(first);
	bool found = false;

	for (const struct probe_family *const *f = probe_families; *f; f++) {
		const char *stars;

		point = (*f)->returns_all ? without_maxactive(written) : written;
		path->chain.at[path->chain.n - 1] = point;
		stars = has_double_star(point) ? point_shape(point) : NULL;
		for (const char *const *pattern = (*f)->patterns; *pattern; pattern++) {
			struct probe_point *names;

			// Most of the thousands of patterns are excluded by their first component, without parsing.
			if (len && (strncmp(*pattern, first, len) || isalnum((unsigned char)(*pattern)[len]) ||
				    (*pattern)[len] == '_'))
				continue;
			names = family_names(*pattern, point, stars);
			if (!names)
				continue;
			resolve_family(path, *f, *pattern, names);
			found = true;
		}
	}
	path->chain.at[path->chain.n - 1] = written;
	return found;
}

// ---------------------------------------------------------------- aliases

static void enter_alias(struct path *path, struct probe_decl *alias, const struct probe_point *name, int taken)
{
	const struct probe_point *point = path->chain.at[path->chain.n - 1];

	if (++path->entered > MAX_ALIASES) {
		if (path->entered == MAX_ALIASES + 1)
			diag_error(point->loc, "this probe expands to more than %d aliases", MAX_ALIASES);
		return;
	}
	if (alias->is_entered) {
		diag_error(point->loc, "probe alias %s refers to itself", point_text(name));
		diag_note(alias->loc, "%s is defined here", point_text(name));
		return;
	}
	alias->used = true;
	if (has_double_star(point))
		taken = name->parts.n;
	if (has_glob(point)) {
		point = with_names(point, name, name->parts.n);
		path->chain.at[path->chain.n - 1] = point;
	}
	vec_push(&path->aliases, alias);
	alias->is_entered = true;
	resolve_points(path, alias, point, taken);
	alias->is_entered = false;
	path->aliases.n--;
}

// One name of an alias. The map also has the names of all aliases, in the order of their definitions, under the key
// "", for wildcards.
struct alias_name { struct probe_decl *alias; const struct probe_point *name; };
typedef VEC(struct alias_name) alias_name_vec;

static const char *first_names(const struct probe_point *point, int n)
{
	struct buf names = { 0 };

	for (int i = 0; i < n; i++)
		buf_printf(&names, "%s%s", i ? "." : "", point->parts.at[i].name);
	return buf_text(&names);
}

static void add_name(struct map *to, const char *key, struct alias_name name)
{
	alias_name_vec *names = map_get(to, key);

	if (!names) {
		names = NEW(alias_name_vec);
		map_put(to, key, names);
	}
	vec_push(names, name);
}

static const struct map *alias_names(struct script *s)
{
	for (; s->aliases_named < s->aliases.n; s->aliases_named++) {
		struct probe_decl *alias = s->aliases.at[s->aliases_named];

		for vec_each(&alias->alias_names, name) {
			add_name(&s->alias_names, "", (struct alias_name){ alias, *name });
			add_name(&s->alias_names, first_names(*name, (*name)->parts.n), (struct alias_name){ alias, *name });
		}
	}
	return &s->alias_names;
}

// Resolves aliases whose names match exactly the first n parts of the point.
static bool resolve_aliases(struct path *path, const struct probe_point *point, int exactly)
{
	const char *key = has_glob(point) ? "" : first_names(point, exactly);
	const alias_name_vec *names = map_get(alias_names(&path->s->script), key);
	int last = path->chain.n - 1, n = names ? names->n : 0;
	bool found = false;

	for (int i = 0; i < n; i++) {
		struct alias_name it = names->at[i];

		if (alias_matches(it.name, point) != exactly)
			continue;
		path->chain.at[last] = point;
		enter_alias(path, it.alias, it.name, exactly);
		found = true;
	}
	path->chain.at[last] = point;
	return found;
}

static bool resolve_suffixed(struct path *path, const struct probe_point *point)
{
	for (int taken = point->parts.n - 1; taken > 0; taken--)
		if (resolve_aliases(path, point, taken))
			return session_since(path->s, point->loc, "2.0", "a suffix of an alias");
	return false;
}

// ---------------------------------------------------------------- points

// Returns why a point of older scripts, or of other backends, is not available; NULL: unknown point. The table has
// the first name of the point, another name in it, and the alternative.
#define NO_RETURN "hooks are lsm.HOOK and kernel.lsm(\"HOOK\"); for their results, use " \
		  "kernel.function(\"security_HOOK\").return"
static const char *reason_of_absence(const struct probe_point *point)
{
	static const struct { const char *first, *other, *reason; } absent[] = {
		{ "java", NULL, "probes in Java require an agent in the virtual machine, which is not provided" },
		{ "kernel", "mark", "kernel markers were removed from kernels and from the language; use "
		"kernel.trace" },
		{ "debuginfod", NULL, "name the program with process(\"PATH\") or process(\"BUILD-ID\"); its "
		"debuginfo comes from debuginfod if DEBUGINFOD_URLS is set" },
		{ "process", "absolute", "absolute addresses of a process are not supported; use "
		"process(\"PATH\").statement(ADDRESS) with the address in the file" },
		{ "lsm", "return", NO_RETURN }, { "kernel", "lsm", NO_RETURN },
	};
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		if (!strcmp(point->parts.at[0].name, absent[i].first) &&
		    (!absent[i].other || point_find(point, absent[i].other)))
			return absent[i].reason;
	return NULL;
}

static void add_points(const void *session, name_list *out)
{
	struct session *s = (struct session *)session;

	library_alias_names(s, out);
	for vec_each(&s->script.aliases, alias)
		if (!(*alias)->source || !(*alias)->source->library)
			for vec_each(&(*alias)->alias_names, name)
				vec_push(out, point_shape(*name));
	for (const struct probe_family *const *f = probe_families; *f; f++)
		for (const char *const *pattern = (*f)->patterns; *pattern; pattern++)
			vec_push(out, *pattern);
}

// Returns false if neither an alias nor a family has such a point.
static bool resolve_known(struct path *path, const struct probe_point *point)
{
	bool found;

	library_use_alias(path->s, point);
	found = resolve_aliases(path, point, point->parts.n);
	found |= resolve_families(path, point);
	return found || resolve_suffixed(path, point);
}

static void mismatch(struct path *path, const struct probe_point *point);

static void resolve_found(struct path *path, const struct probe_point *point)
{
	if (!resolve_known(path, point))
		mismatch(path, point);
}

// Resolves a wildcard to those of its matches that can be probed.
static void resolve_wildcard(struct path *path, const struct probe_point *point)
{
	int before = count_found(path->s), errors;
	bool known;

	diag_quiet_push();
	known = resolve_known(path, point);
	errors = diag_quiet_pop();
	if (!known)
		mismatch(path, point);
	else if (errors && count_found(path->s) == before)
		diag_error_quiet(point->loc);
}

// System calls whose functions sys_NAME have other names than the library's points.
static const char *const other_syscalls[][2] = {
	{ "newstat", "stat" }, { "newlstat", "lstat" }, { "newfstat", "fstat" }, { "newfstatat", "fstatat" },
	{ "newuname", "uname" }, { "pread64", "pread" }, { "pwrite64", "pwrite" }, { "sendfile64", "sendfile" },
};

// Returns the library's name of the system call sys_NAME.
static const char *syscall_alias(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_syscalls); i++)
		if (!strcmp(name, other_syscalls[i][0]))
			return other_syscalls[i][1];
	return name;
}

// Returns the NAME of kernel.function("sys_NAME@file"), or NULL for any other point.
static const char *syscall_function(const struct probe_point *point)
{
	const struct point_part *parts = point->parts.at;
	const char *text;

	if (point->parts.n < 2 || strcmp(parts[0].name, "kernel") || strcmp(parts[1].name, "function") ||
	    parts[1].arg_kind != ARG_STRING || !(str_starts(parts[1].text, "sys_") || str_starts(parts[1].text, "SyS_")))
		return NULL;
	text = parts[1].text + 4;
	return str_ndup(text, strcspn(text, "@"));
}

// Since 4.17 the functions of system calls have other names and arguments: kernel.function("sys_open@file").x is
// resolved as syscall.open.x, which has the same $variables. `alias` is the name after "syscall", `from` the index
// of the part after the function.
static const struct probe_point *as_syscall(const struct probe_point *point, int from, const char *alias)
{
	struct probe_point *name = NEW(struct probe_point);

	name->loc = point->loc;
	vec_push(&name->parts, (struct point_part){ .name = "syscall" });
	vec_push(&name->parts, (struct point_part){ .name = alias });
	for (int i = from; i < point->parts.n; i++)
		if (strcmp(point->parts.at[i].name, "call"))
			vec_push(&name->parts, point->parts.at[i]);
	return name;
}

// The library has an alias for each name that kernels have changed: kernel.trace("old").x is resolved as
// __renamed.kernel.trace.old.x. Returns NULL if there is no such alias.
static const struct probe_point *renamed(struct session *s, const struct probe_point *point)
{
	struct probe_point *name = NEW(struct probe_point);
	const char *syscall = syscall_function(point);
	bool known = false;

	name->loc = point->loc;
	vec_push(&name->parts, (struct point_part){ .name = "__renamed" });
	for vec_each(&point->parts, part) {
		struct point_part bare = *part;

		bare.arg_kind = ARG_NONE;
		vec_push(&name->parts, bare);
		if (part->arg_kind == ARG_STRING)
			vec_push(&name->parts, (struct point_part){ .name = part->text });
		known |= library_has_alias(s, point_text(name));
	}
	return known ? name : syscall ? as_syscall(point, 2, syscall_alias(syscall)) : NULL;
}

// Since glibc 2.34 these libraries are empty, and their code is in libc.so.6. Returns NULL for any other library.
static const struct probe_point *joined_library(const struct probe_point *point)
{
	static const char *const empty[] = { "libpthread", "libdl", "librt", "libutil" };
	const char *path = point->parts.at[0].text, *name = path ? strrchr(path, '/') : NULL;
	struct probe_point *other;

	if (strcmp(point->parts.at[0].name, "process") || !name)
		return NULL;
	name++;
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		if (!str_starts(name, empty[i]) || !strchr(".-*", name[strlen(empty[i])]))
			continue;
		other = with_names(point, point, point->parts.n);
		other->parts.at[0].text = str_printf("%.*slibc.so.6", (int)(name - path), path);
		return other;
	}
	return NULL;
}

static bool resolve_quietly(struct path *path, const struct probe_point *point)
{
	int before = count_found(path->s);

	diag_quiet_push();
	resolve_found(path, point);
	diag_quiet_pop();
	return count_found(path->s) > before;
}

static bool resolve_instead(struct path *path, const struct probe_point *name)
{
	const struct probe_point *point = path->chain.at[path->chain.n - 1];
	bool found;

	path->chain.at[path->chain.n - 1] = name;
	found = resolve_quietly(path, name);
	path->chain.at[path->chain.n - 1] = point;
	return found;
}

// Returns whether the point resolves, without making a probe.
static bool exists(struct path *path, const struct probe_point *point)
{
	int probes = path->s->script.probes.n, listed = path->s->script.listed.n;
	bool found = resolve_instead(path, point);

	path->s->script.probes.n = probes;
	path->s->script.listed.n = listed;
	return found;
}

// Returns object.member("name") and the parts of the point after its first one.
static struct probe_point *argument_point(const struct probe_point *point, const char *object, const char *member,
					  const char *name)
{
	struct probe_point *p = NEW(struct probe_point);

	p->loc = point->loc;
	vec_push(&p->parts, ((struct point_part){ .name = object, .loc = point->loc }));
	vec_push(&p->parts, ((struct point_part){ .name = member, .loc = point->loc, .arg_kind = ARG_STRING, .text = name }));
	for (int i = 1; i < point->parts.n; i++)
		vec_push(&p->parts, point->parts.at[i]);
	return p;
}

// Returns the name of the system call that a function executes: sys_open, SyS_open, __x64_sys_open, do_sys_open;
// NULL for other functions.
static const char *call_of_function(const char *name)
{
	static const char *const prefixes[] = { "sys_", "SyS_", "__x64_sys_", "__arm64_sys_", "do_sys_", "ksys_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(name, prefixes[i]) && name[strlen(prefixes[i])])
			return syscall_alias(name + strlen(prefixes[i]));
	return NULL;
}

// perf probe and ftrace accept the names "vfs_read" and "sched_switch" alone: returns advice with the points that
// exist.
static const char *bare_name_advice(struct path *path, const struct probe_point *point)
{
	const struct point_part *first = point->parts.at;
	const char *call = call_of_function(first->name);
	const struct probe_point *candidates[] = {
		call ? as_syscall(point, 1, call) : NULL,
		argument_point(point, "kernel", "function", first->name),
		argument_point(point, "kernel", "trace", first->name),
	};
	bool is_function_suffix = point->parts.n == 1 || !strcmp(first[1].name, "return") || !strcmp(first[1].name, "call");
	struct buf advice = { 0 };

	if (first->arg_kind != ARG_NONE || !is_function_suffix || !diag_prints())
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(candidates); i++)
		if (candidates[i] && exists(path, candidates[i]))
			buf_printf(&advice, "%s%s", advice.len ? " or " : "write ", point_text(candidates[i]));
	return advice.len ? buf_text(&advice) : NULL;
}

// Returns the advice for a point that begins or ends with a word of another tool, NULL if it does not.
static const char *foreign_point(const struct probe_point *point)
{
	size_t last = point->parts.n - 1;
	const char *advice = foreign_word_point(point->parts.at[0].name);

	return advice || !last ? advice : foreign_word_point(str_printf(".%s", point->parts.at[last].name));
}

// Returns advice for process("PATH") or module("NAME") without an event.
static const char *lacks_event(const struct probe_point *point)
{
	const struct point_part *first = point->parts.at;

	if (point->parts.n != 1 || first->arg_kind != ARG_STRING)
		return NULL;
	if (!strcmp(first->name, "process"))
		return "add an event: .function(\"NAME\"), .mark(\"NAME\"), .begin or .end";
	return strcmp(first->name, "module") ? NULL : "add an event: .function(\"NAME\") or .trace(\"NAME\")";
}

static void mismatch(struct path *path, const struct probe_point *point)
{
	struct session *s = path->s;
	const char *reason = reason_of_absence(point);
	const char *what = has_glob(point) ? "did not find any wildcard matches" : "mismatch";
	struct probe_point inner = *point;         // without "kernel."
	const char *name = point->parts.at[0].name, *foreign = foreign_point(point), *advice, *similar = "";

	if (!foreign)
		foreign = lacks_event(point);
	advice = foreign;
	if (!strcmp(name, "kernel") && point->parts.at[0].arg_kind == ARG_NONE && point->parts.n > 1) {
		inner.parts.at++;
		inner.parts.n--;
	}
	if (!advice && !reason)
		advice = bare_name_advice(path, &inner);
	if (!foreign && !reason)
		similar = diag_similar(point_shape(point), add_points, s);
	if (!advice && !reason && !*similar && point->parts.n == 1 && point->parts.at[0].arg_kind == ARG_NONE)
		similar = str_printf("; functions are written kernel.function(\"%s\") or process(\"PATH\").function(\"%s\"), "
				     "tracepoints kernel.trace(\"%s\")", name, name, name);
	diag_error(point->loc, "probe point %s: %s%s%s", what, point_text(point), advice ? str_printf(": %s", advice) : "",
		   similar);
	diag_refer("error::pass2");
	if (reason)
		diag_note(point->loc, "%s", reason);
	else if (*point->parts.at[0].name == '_')
		diag_note(point->loc, "points whose names begin with \"_\" are private in SystemTap's library; use public ones "
			  "(stap --dump-probe-aliases lists them)");
}

// Resolves kernel.function("sys_GLOB"), also to system calls whose functions have such names in older kernels.
static void resolve_syscalls(struct path *path, const struct probe_point *point, const char *glob)
{
	bool own = resolve_quietly(path, point), calls;
	int before = path->s->script.probes.n, found = count_found(path->s);

	resolve_instead(path, as_syscall(point, 2, glob));
	for (size_t i = 0; i < ARRAY_SIZE(other_syscalls); i++)
		if (!fnmatch(glob, other_syscalls[i][0], 0) && fnmatch(glob, other_syscalls[i][1], 0))
			resolve_instead(path, as_syscall(point, 2, other_syscalls[i][1]));
	calls = count_found(path->s) > found;
	if (calls && !path->s->opt.list)
		diag_warning(point->loc, "%s: system calls have functions of such names only up to Linux 4.16; "
			     "probing %s and similar points%s",
			     point_text(point), path->s->script.probes.at[before]->point,
			     own ? ", as well as other functions that match" : "");
	else if (!calls && !own)
		resolve_found(path, point);
}

// Resolves a point that must exist. If its function is not found, tries the name that it has in other kernels.
static void resolve_required(struct path *path, const struct probe_point *point)
{
	const struct probe_point *name = joined_library(point);
	const char *syscall = syscall_function(point);
	int before = path->s->script.probes.n;

	if (!name)
		name = renamed(path->s, point);
	if (syscall && str_is_glob(syscall))
		resolve_syscalls(path, point, syscall);
	else if (!name || path->s->opt.list)
		resolve_found(path, point);
	else if (resolve_quietly(path, point))
		return;
	else if (resolve_instead(path, name))
		diag_warning(point->loc, "%s not found, %s is probed instead", point_text(point),
			     path->s->script.probes.at[before]->point);
	else
		resolve_found(path, point);
}

// Returns the number of probes that it added.
static int resolve_point(struct path *path, const struct probe_point *point)
{
	int before = count_found(path->s);
	bool optional = point->optional || point->sufficient;

	if (optional)
		diag_quiet_push();
	vec_push(&path->chain, point);
	if (has_glob(point))
		resolve_wildcard(path, point);
	else if (optional)
		resolve_found(path, point);
	else
		resolve_required(path, point);
	path->chain.n--;
	if (optional)
		diag_quiet_pop();
	return count_found(path->s) - before;
}

static bool says_call(const struct probe_point *point)
{
	const struct point_part *last = &point->parts.at[point->parts.n - 1];

	return point->parts.n > 1 && last->arg_kind == ARG_NONE && !strcmp(last->name, "call");
}

static bool is_call_or_return(const struct point_part *part)
{
	return !strcmp(part->name, "call") || !strcmp(part->name, "return");
}

// Resolves the points of a declaration, in order, with the parts of `suffix_from` from `suffix_at` appended. A suffix
// of an alias of function calls applies to the function: .call.return becomes .return.
static void resolve_points(struct path *path, struct probe_decl *of, const struct probe_point *suffix_from,
			   int suffix_at)
{
	for vec_each(&of->points, point) {
		struct probe_point *p = *point;

		if (suffix_from && suffix_at < suffix_from->parts.n) {
			p = with_names(p, p, p->parts.n);
			if (says_call(p) && is_call_or_return(&suffix_from->parts.at[suffix_at]))
				p->parts.n--;
			for (int i = suffix_at; i < suffix_from->parts.n; i++)
				vec_push(&p->parts, suffix_from->parts.at[i]);
		}
		if (resolve_point(path, p) && p->sufficient)
			return;
	}
}

void match_new_decls(struct session *s)
{
	// Matching may parse library files, which may add declarations.
	for (int i = 0; i < s->script.probe_decls.n; i++) {
		struct path path = { .s = s, .decl = s->script.probe_decls.at[i] };

		if (path.decl->used)
			continue;
		path.decl->used = true;
		resolve_points(&path, path.decl, NULL, 0);
	}
}

int elab_match_probes(struct session *s)
{
	int before = diag_errors();

	match_new_decls(s);
	if (!count_found(s) && diag_errors() == before)
		diag_error((struct loc){ 0 }, "no probes found");
	return diag_errors() - before;
}
