// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files of staprun, the privileged loader. Unless stated otherwise, functions return 0 or
// -errno, and print a message when they fail.
#ifndef STAPRUN_H
#define STAPRUN_H

#include "number.h"

#include <stdbool.h>
#include <stddef.h>

#define MODULE_NAME_MAX 56                 // including the terminator: MODULE_NAME_LEN of 64-bit kernels
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define STAPIO_DETACHED 2                  // stapio's exit status: the module stays loaded
#define STAPIO_UNREPORTED 4                // stapio's exit status: losses were not reported

// --- caps.c: privileges ---

enum rights {
	RIGHTS_NONE,
	RIGHTS_USER,                       // group stapusr: modules in /lib/modules/RELEASE/systemtap, or
	                                   // signed modules built with --privilege=stapusr
	RIGHTS_SYSTEM,                     // group stapsys: also those built with --privilege=stapsys
	RIGHTS_ALL,                        // root, CAP_SYS_MODULE, group stapdev
};
enum rights caps_rights(void);
void caps_explain(void);                   // prints the missing rights
int caps_lower(void);                      // leaves the capabilities for loading permitted, but none effective
int caps_raise(void);                      // makes the capabilities for loading effective
int caps_keep_unloading(void);             // becomes the real user, with only CAP_SYS_MODULE
int caps_drop(void);                       // becomes the real user permanently, without capabilities

// --- module.c: opens, loads and unloads modules ---

struct module {
	char name[MODULE_NAME_MAX];        // name under which it is loaded
	char file_name[MODULE_NAME_MAX];   // name before -R renames it
	char release[65];                  // kernel for which it was built
	uint16_t machine;                  // EM_...
	const char *path;                  // path of the file, the argument
	int fd;                            // descriptor of the file; -1: closed
	unsigned char *image;              // private copy of the file
	size_t len;
	bool use_image;                    // the copy is loaded: it was renamed, or its signature was checked
	bool is_program;                   // a member of a bundle: the copy is a program with BPF programs
};
// argument: a path with '/', NAME.ko, or NAME in /lib/modules/RELEASE/systemtap.
int module_open(struct module *m, const char *argument, enum rights rights);
bool is_root_only(int fd);                 // root owns the file or directory, and only root may write to it
int module_lock_name(const char *name, short type);    // the first call requires root's rights
// A staprun holds the session lock of its module (F_RDLCK) until it exits. Returns -EAGAIN if another staprun holds
// it.
int module_lock_session(const char *name, short type); // prints nothing, does not wait
// Reads the file whose path is `format` with `name` for its %s. Returns false and stores "" if it cannot be read.
bool module_text(const char *format, const char *name, char *to, size_t size);
int module_load(struct module *m, const char *parameters);     // prints nothing
void module_close(struct module *m);
// Unloads the module; while it is in use, tries again for two seconds. Without RIGHTS_ALL, unloads only modules of
// the user.
int module_unload(const char *name, enum rights rights);
// -d: removes `name`, if Quicktap built it; "*": all such modules that are not in use.
int module_remove(const char *name, enum rights rights);
bool module_name_is_valid(const char *name);
bool module_is_ours(const char *name);     // it is loaded, and has a device in /dev/systemtap
int module_open_device(const char *name);  // returns a descriptor or -errno

// --- sign.c: signatures ---

struct signed_bytes { const void *bytes; size_t len; const unsigned char *signature; size_t signature_len; };
// Checks that the key of one of the certificates directory/*.pem made the signature. Returns, without a message,
// -ENOENT if the directory does not exist, -EKEYREJECTED if no key made it.
int signature_check(const char *directory, const struct signed_bytes *s);

// --- bundle.c: a script that was built for several kernels (stap --bundle) ---

bool bundle_is(const struct module *m);    // determined from the first bytes of the file
// Replaces m's image by the member that fits the running kernel, after all checks. Refusals are also logged to
// syslog.
int bundle_open(struct module *m, const char *argument, enum rights rights);

// --- image.c: the .ko in memory ---

int image_read(struct module *m, const char *argument);        // sets name, file_name, release, machine
char *image_modinfo(const struct module *m, const char *key);  // NULL: the key is missing; prints nothing
int image_rename(struct module *m, unsigned number);   // -R: to file_name and number; may be repeated

// --- kernel_match.c: the running kernel, and whether a module was built for it ---

int kernel_match_check(const struct module *m);        // -ENOEXEC: the module was built for another kernel
void kernel_build_id_text(char *to, size_t size);      // writes hexadecimal digits; "" if it cannot be determined
const char *machine_name(void);                        // returns kbuild's name of this machine

// --- leftovers.c: removes modules of killed sessions ---

void leftovers_remove(void);               // removes those of the real user; prints a note for each
bool module_has_ended(const char *name);   // its session has ended, so it cannot be attached
bool module_is_detached(const char *name); // its session runs without a relay
bool module_is_own(const char *name);      // its session belongs to the real user
void module_hold_session(const char *name);     // called after opening the device; prevents its removal
void module_wait_closed(const char *name);      // waits, up to 1 s, for children of a killed relay

// --- sibling_path.c: finds the other program (used by stapio, too) ---

// Stores the value of the environment variable; otherwise the path of `name` in our own directory; otherwise our
// directory and `installed`, the relative path of the installed program.
void sibling_path(char *path, size_t size, const char *variable, const char *name, const char *installed);

// --- kallsyms.c: addresses of kernel symbols ---

struct symbol {
	const char *module;                // "": the kernel itself
	bool anywhere;                     // the symbol may be in the kernel itself or in any module
	const char *name;
	uint64_t address;                  // the result; 0: not found or hidden
	struct symbol *next;               // private
};
int kallsyms_base(uint64_t *base);         // finds the address of _stext; 0: hidden. Prints nothing
// Reads /proc/kallsyms once for all symbols.
int kallsyms_find(struct symbol *symbols, int n);
// Stores the GNU build ID of the running kernel. Returns its length; 0 if it cannot be determined.
int kernel_build_id(unsigned char *id, int size);

// --- program.c: programs with BPF programs, instead of a module ---

bool program_is(const char *path);         // whether the path contains '/' and the file is an ELF program
// Executes the program as the real user, with the options for stapio. Returns 1, only on failure.
int program_execute(const char *path, const char *const *relay, int n, char **settings);
// Does the same for a program in memory, the image of a module.
int program_execute_image(const struct module *m, const char *const *relay, int n, char **settings);

#endif
