// SPDX-License-Identifier: GPL-2.0-or-later
// Links the generated object, the embedded C, the runtime and the metadata into a .ko of the module's own name.
#include "module/module.h"
#include "util/diag.h"

// Reports symbols that neither the runtime nor the kernel provides: the kernel would refuse the module. Those of
// embedded C were checked before.
static void check_symbols(const struct session *s, const struct toolchain *t, const char *path)
{
	struct map undefined = { 0 }, known = { 0 };

	if (s->units.n)
		return;
	object_undefined(path, &undefined);
	for (int i = 0; i < t->parts.n; i++)
		object_undefined(t->parts.at[i], &known);
	for map_each(&undefined, e)
		if (!map_get(&t->symbols, e->key) && !map_get(&known, e->key))
			die("the generated C uses \"%s\", which the runtime does not have; this is a bug of the "
			    "translator: please report it with the script (-k keeps the files)", e->key);
}

// Links *objects into one.
static void join_objects(struct session *s, const struct toolchain *t, arguments *objects, const char *whole)
{
	object_link(t, objects, whole, false);
	objects->n = 0;
	vec_push(objects, whole);
}

static int add_versions(struct session *s, const struct toolchain *t, arguments *objects)
{
	struct map undefined = { 0 };
	const char *versions;
	int errors;

	object_undefined(objects->at[0], &undefined);
	errors = embedded_versions(s, t, &undefined, &versions);
	if (versions)
		vec_push(objects, versions);
	return errors;
}

char *link_module(struct session *s, const struct toolchain *t, const char *object,
		  const char *name)
{
	char *output = str_printf("%s/%s.ko", s->tmp_dir, name);
	arguments objects = { 0 };

	vec_push(&objects, object);
	vec_push(&objects, t->runtime);
	for (int i = 0; i < t->parts.n; i++)
		vec_push(&objects, t->parts.at[i]);
	for vec_each(&s->units, u)
		vec_push(&objects, (*u)->object);
	if (s->units.n)        // one object of everything except the metadata
		join_objects(s, t, &objects, str_printf("%s/%s.o", s->tmp_dir, name));
	if (s->units.n && add_versions(s, t, &objects))
		return NULL;
	vec_push(&objects, t->metadata);
	object_link(t, &objects, output, true);
	check_symbols(s, t, output);
	object_name_module(output, name);
	return output;
}
