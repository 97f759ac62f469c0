// SPDX-License-Identifier: GPL-2.0-or-later
// A module with invalid metadata: section headers, names, sizes, .modinfo, struct module. All bytes that staprun
// reads or changes must be in the image; a module that it accepts must have one valid name, which is the same in
// both sections.
#include "../../staprun/staprun.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// --- of staprun ---

void log_error(const char *fmt, ...)
{
}

bool module_name_is_valid(const char *name)
{
	size_t len = strspn(name, NAME_CHARACTERS);

	return len > 0 && len < MODULE_NAME_MAX && !name[len];
}

// Parses the image again, as the kernel would: the name is the one that staprun uses.
static void check(const struct module *m)
{
	struct module again = { .image = malloc(m->len + !m->len), .len = m->len };

	memcpy(again.image, m->image, m->len);
	assert(module_name_is_valid(m->name));
	if (!image_read(&again, "again"))
		assert(!strcmp(again.name, m->name));
	free(again.image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct module m = { .image = malloc(size + !size), .len = size };

	memcpy(m.image, data, size);
	if (!image_read(&m, "module")) {
		check(&m);
		assert(strnlen(m.release, sizeof(m.release)) < sizeof(m.release));
		image_modinfo(&m, "stap_privilege");
		for (unsigned number = 1; number < 4000000000u && number; number = number * 37 + 5) {
			if (image_rename(&m, number))
				break;
			assert(module_name_is_valid(m.name));
			if (number > 1000000)
				break;
		}
	}
	free(m.image);
	return 0;
}
