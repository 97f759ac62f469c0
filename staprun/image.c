// SPDX-License-Identifier: GPL-2.0-or-later
// Parses a .ko that was read into memory, and renames it (-R). Any user may have written the file, so each offset and
// size is checked before it is used. Results: the module's name, its kernel release, the values of .modinfo.
//
// The kernel takes the name from `struct module` in section .gnu.linkonce.this_module; the "name=" of .modinfo is
// only for messages. Both must agree: staprun finds the device, the lock and the loaded module by this name.
#include "staprun.h"

#include "log.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NAME_LENGTH_MIN 4                  // number of characters of the old name that the new name retains

// Returns the section's bytes in the copy; NULL: not found, or the file is damaged. If several sections have the
// name, the kernel uses the first with SHF_ALLOC; compilers and linkers produce only one, so a second one is an
// attack.
static unsigned char *section(const struct module *m, const char *wanted, size_t *len)
{
	unsigned char *found = NULL;
	Elf64_Ehdr ehdr;
	Elf64_Shdr names, s;

	if (m->len < sizeof(ehdr))
		return NULL;
	memcpy(&ehdr, m->image, sizeof(ehdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_shentsize != sizeof(s) || ehdr.e_shstrndx >= ehdr.e_shnum ||
	    ehdr.e_shoff > m->len || (m->len - ehdr.e_shoff) / sizeof(s) < ehdr.e_shnum)
		return NULL;
	memcpy(&names, m->image + ehdr.e_shoff + ehdr.e_shstrndx * sizeof(s), sizeof(s));
	if (names.sh_offset > m->len || names.sh_size > m->len - names.sh_offset)
		return NULL;
	for (int i = 1; i < ehdr.e_shnum; i++) {
		memcpy(&s, m->image + ehdr.e_shoff + i * sizeof(s), sizeof(s));
		if (s.sh_name >= names.sh_size ||
		    strnlen(wanted, names.sh_size - s.sh_name) == names.sh_size - s.sh_name ||
		    strcmp((char *)m->image + names.sh_offset + s.sh_name, wanted))
			continue;
		if (found || s.sh_type == SHT_NOBITS || !(s.sh_flags & SHF_ALLOC) || s.sh_offset > m->len ||
		    s.sh_size > m->len - s.sh_offset)
			return NULL;
		*len = s.sh_size;
		found = m->image + s.sh_offset;
	}
	return found;
}

// Returns the value of "key=value" in .modinfo, or NULL if the key is missing.
char *image_modinfo(const struct module *m, const char *key)
{
	size_t len = 0, key_len = strlen(key);
	char *at = (char *)section(m, ".modinfo", &len), *end;

	if (!at || !len || at[len - 1])
		return NULL;
	for (end = at + len; at < end; at += strlen(at) + 1)
		if (!strncmp(at, key, key_len) && at[key_len] == '=')
			return at + key_len + 1;
	return NULL;
}

// Finds the name in struct module. Its offset differs between kernel releases, but all other bytes of the section are
// zero until the kernel fills them. NULL: not found, or other bytes are not zero.
static char *name_in_struct(const struct module *m, const char *name)
{
	size_t len, at = 0, end;
	unsigned char *start = section(m, ".gnu.linkonce.this_module", &len);

	if (!start)
		return NULL;
	while (at < len && !start[at])
		at++;
	if (len - at < MODULE_NAME_MAX || strncmp((char *)start + at, name, MODULE_NAME_MAX))
		return NULL;
	for (end = at + strlen(name); end < len; end++)
		if (start[end])
			return NULL;
	return (char *)start + at;
}

int image_read(struct module *m, const char *argument)
{
	const char *value = image_modinfo(m, "name");

	if (!value || !module_name_is_valid(value)) {
		log_error("%s is not a kernel module", argument);
		return -ENOEXEC;
	}
	if (!name_in_struct(m, value)) {
		log_error("%s is damaged: \"%s\" in .modinfo is not the module name in .gnu.linkonce.this_module",
			  argument, value);
		return -ENOEXEC;
	}
	strcpy(m->name, value);
	strcpy(m->file_name, value);
	memcpy(&m->machine, m->image + offsetof(Elf64_Ehdr, e_machine), sizeof(m->machine));
	value = image_modinfo(m, "vermagic");
	if (value)
		snprintf(m->release, sizeof(m->release), "%.*s", (int)strcspn(value, " "), value);
	return 0;
}

// The new name is FILENAME_NUMBER, if possible not longer than the old one, since .modinfo has no more space.
int image_rename(struct module *m, unsigned number)
{
	char *in_struct = name_in_struct(m, m->name), *in_modinfo = image_modinfo(m, "name");
	char suffix[16];
	int old_len = strlen(m->file_name), suffix_len = snprintf(suffix, sizeof(suffix), "_%u", number);
	int keep = old_len - suffix_len;

	if (!in_struct || !in_modinfo)
		return -ENOEXEC;           // not reached: image_read() found both
	if (keep < NAME_LENGTH_MIN)
		keep = old_len < NAME_LENGTH_MIN ? old_len : NAME_LENGTH_MIN;
	while (keep > 1 && m->file_name[keep - 1] == '_')
		keep--;
	snprintf(m->name, sizeof(m->name), "%.*s%s", keep, m->file_name, suffix);
	memset(in_modinfo, 0, old_len);
	memcpy(in_modinfo, m->name, strnlen(m->name, old_len));
	memset(in_struct, 0, MODULE_NAME_MAX);
	strcpy(in_struct, m->name);
	m->use_image = true;
	return 0;
}
