// SPDX-License-Identifier: GPL-2.0-or-later
// The privileged loader: what its files offer each other. Functions return 0 or -errno, and have
// said why when they fail, unless stated otherwise.
#ifndef STAPRUN_H
#define STAPRUN_H

#include "number.h"

#include <stddef.h>

#define MODULE_NAME_MAX 56                 // with its terminator: MODULE_NAME_LEN of 64-bit kernels
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define STAPIO_DETACHED 2                  // stapio's exit status: leave the module running
#define STAPIO_UNREPORTED 4                // it ended before the session did

// --- caps.c: who may do what ---

enum rights {
	RIGHTS_NONE,
	RIGHTS_USER,                       // group stapusr: modules of /lib/modules/REL/systemtap, or
	                                   // signed ones that were made with --privilege=stapusr
	RIGHTS_SYSTEM,                     // group stapsys: also those made with --privilege=stapsys
	RIGHTS_ALL,                        // root, CAP_SYS_MODULE, group stapdev
};
enum rights caps_rights(void);
void caps_explain(void);                   // says what the user could do instead
int caps_lower(void);                      // what loading needs stays within reach, no more is in force
int caps_raise(void);                      // what loading and the device need is in force
int caps_keep_unloading(void);             // CAP_SYS_MODULE alone, as the real user
int caps_drop(void);                       // for good, as the real user

// --- module.c: the .ko, in the file and in the kernel ---

struct module {
	char name[MODULE_NAME_MAX];        // as it is or will be loaded
	char file_name[MODULE_NAME_MAX];   // as the file has it
	char release[65];                  // kernel it was built for
	uint16_t machine;                  // EM_...
	const char *path;                  // as it was asked for
	int fd;                            // opened once
	unsigned char *image;              // private copy of the file
	size_t len;
	bool use_image;                    // the copy is what gets loaded: it was renamed or checked
};
// argument: a path with '/', NAME.ko, or NAME in /lib/modules/RELEASE/systemtap.
int module_open(struct module *m, const char *argument, enum rights rights);
// Of the whole image, before it is renamed. -ENOENT: there are no certificates, nothing said. (sign.c)
bool is_roots(int fd);                     // a file or directory that nobody but root could have changed
int module_check_signature(const struct module *m, int sgn_fd, const char *argument);
int module_lock_name(const char *name, short type);    // the first time with root's rights
// A staprun holds the session of its module (F_RDLCK) until it ends. -EAGAIN: another one holds it.
int module_lock_session(const char *name, short type); // says nothing, doesn't wait
// Reads a file of /sys, FORMAT with NAME in it; false and "": it cannot be read.
bool module_text(const char *format, const char *name, char *to, size_t room);
int module_load(struct module *m, const char *parameters);     // says nothing
void module_close(struct module *m);
// Tries for two seconds while it is in use. Who has not all rights: the user's own modules only.
int module_unload(const char *name, enum rights rights);
// -d: NAME if it is a module of ours, "*" all of ours that nobody uses.
int module_remove(const char *name, enum rights rights);
bool module_name_is_valid(const char *name);
bool module_is_ours(const char *name);     // loaded, and has a device below systemtap/
int module_open_device(const char *name);  // descriptor or -errno

// --- image.c: the .ko in memory ---

int image_read(struct module *m, const char *argument);        // sets name, file_name, release, machine
char *image_modinfo(const struct module *m, const char *key);  // NULL: it has none. Says nothing
int image_rename(struct module *m, unsigned number);   // -R: file_name with the number; again for another one

// --- leftovers.c: modules whose session was killed ---

void leftovers_remove(void);               // those of the real user; says so
bool module_has_ended(const char *name);   // its session was closed, and can't be attached to
bool module_is_detached(const char *name); // its session runs without a relay
bool module_is_own(const char *name);      // its session is the real user's
void module_hold_session(const char *name);     // once its device is open: nobody takes it for a leftover then
void module_wait_closed(const char *name);      // what a killed relay had started may have it open for a moment

// --- beside.c: the other program (stapio has it, too) ---

// The wish of an environment variable, else NAME in our directory, else the path from there to where it is installed.
void beside_find(char *path, size_t room, const char *variable, const char *name, const char *installed);

// --- kallsyms.c: where the running kernel's symbols are ---

struct symbol {
	const char *module;                // "" the kernel itself
	const char *name;
	uint64_t address;                  // out; 0 not found or hidden
	struct symbol *next;               // private
};
int kallsyms_base(uint64_t *base);         // _stext; 0: it is hidden. Says nothing
// One pass over /proc/kallsyms for all of them.
int kallsyms_find(struct symbol *symbols, int n);
// GNU build-id of the running kernel: its length, 0 when not known.
int kernel_build_id(unsigned char *id, int room);

#endif
