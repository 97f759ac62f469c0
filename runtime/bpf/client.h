/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interfaces between the files of the client of BPF programs. */
#ifndef BPF_CLIENT_FILES_H
#define BPF_CLIENT_FILES_H

#include "../user/user.h"
#include "../user/event_probes.h"
#include "bpf_layout.h"
#include "bpf_trampoline.h"

#include <bpf/libbpf.h>

/* the factor in hashes of keys, which programs share */
extern u64 stp_hash_factor;
#define STP_HASH_FACTOR stp_hash_factor

/* arrays.c */
void arrays_import(struct stp_ctx *c, const struct stp_shared_map *m, char *table);
/* Copies the table's elements to memory of this process; `from` is in the programs' memory. */
void arrays_copy(const struct stp_shared_map *m, char *to, const char *from);
void arrays_empty(const struct stp_shared_map *m, char *table);
/* Adds the elements that are still in the map to those of the table. */
void arrays_put_back(struct stp_ctx *c, const struct stp_shared_map *m, char *table);
void arrays_export(struct stp_ctx *c, const struct stp_shared_map *m, char *table);

/* rings.c */
struct stp_ring;
/* shared_fd: the ring that all CPUs share; own: rings of the first n CPUs. Returns 0 or a negative error. */
int rings_open(int shared_fd, struct stp_ring *own, u32 n);
int rings_fd(void);                /* readable when records arrive after rings_read() */
void rings_read(void);             /* formats the records that are in the rings */
void rings_read_all(void);         /* context: no program can begin any more */
/* Returns how long to wait for rings_fd(), in ms: up to `ms`, less if records remain. */
int rings_max_wait(int ms);

/* records.c */
void record_read(const u64 *words, u64 n);             /* formats a record */
bool records_are_printed(void);                        /* a program prints */
/* Print text; if the output consists of records, write records. */
void client_printf(struct stp_ctx *c, const struct stp_format *f, u32 pieces, const union stp_val *args);
void client_print_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d);

/* costs.c */
void costs_enable(void);           /* called before privileges are dropped */
void costs_update(bool now);       /* reads the hits of programs; unless `now`, only if that was not done recently */

/* names.c */
/* Returns the name of an address of the kernel, "vfs_read+0x12/0x340 [kernel]"; valid until the next call. */
const char *client_kernel_name(u64 address);

/* process_maps.c */
struct stp_execution;
void process_maps_start(void);     /* called before privileges are dropped */
/* Calls user_names_add() for the mappings of a process, unless it has exited or has executed another program. */
void process_maps_read(u64 space, const struct stp_execution *p);

/* process_events.c */
struct stp_mapping;
struct process_image;
void process_events_start(void);   /* called before privileges are dropped */
/* Wakes a process that waits for the file of epoll(7) when many events have not been read. */
void process_events_wake(int epoll_fd);
void process_events_read(void);    /* called before records are read */
/* Returns what the process executed at the time, for as long as this process runs; NULL: unknown. is_complete: all its
 * mappings are known. */
struct process_image *process_events_image(const struct stp_execution *p, bool *is_complete);
/* Returns the mapping of an address, without the number of its memory; NULL: unknown. */
const struct stp_mapping *process_events_mapping(const struct process_image *i, u64 address, const char **path);

/* vdso.c: the symbols of a mapping of the vDSO, whose path is VDSO_PATH; NULL: unknown. */
#define VDSO_PATH "vdso"
const struct stp_object *vdso_object(const struct stp_mapping *m);

/* names.c */
/* Prints a line of a call stack of the kernel with its source line, if that is known. is_caller: the address is a
 * return address. */
void stp_print_kernel_frame(struct stp_ctx *c, u64 address, const char *name, bool is_caller);
/* Writes the source file and line of an address of the kernel, in a form of STP_MARK_FILE_LINE and the like. */
void stp_kernel_line(struct stp_ctx *c, char *to, u64 address, char form);
int source_text(char *to, u32 size, u64 address, const char *file, u32 line, char form);     /* file NULL: unknown */

/* user_names.c */
void user_names_add(const struct stp_mapping *m, const char *path);
/* The mappings of this process are read, now and when an address is in none that is known. */
void user_names_follow(u64 space, const struct stp_execution *p);
/* Writes the names for an encoded text (STP_MARK) to `to`, which has `size` bytes, at least those of a string, and
 * returns it. Returns s if it is not encoded. */
const char *user_names_complete(const char *s, char *to, u32 size);
/* Prints an address of a process. form: see STP_ITEM_USER_SYMBOL. */
void user_names_print(struct stp_ctx *c, u64 form, u64 space, u64 address);

/* client.c */
struct stp_slot *client_slot(u32 i);                   /* NULL: after the last one */
struct stp_control *client_control(void);
/* Returns whether process IDs of this process are those that programs have. */
bool client_in_initial_namespace(void);
/* Returns the program of a probe of the script; NULL: it has none. */
struct bpf_program *client_program(const struct stp_probe *p);
struct bpf_program *client_named_program(const char *name);
/* Returns the program that saves, at the entry, the values that the return probe with this number reads. */
struct bpf_program *client_entry_program(u32 probe);
/* Maps a section of variables of the programs; NULL: no program has it. */
void *client_map_section(const char *section);
/* Returns the offset of a variable in its section, or -1. */
s64 client_variable_offset(const char *section, const char *name);
/* Returns the rows of a family of the script; NULL: the script does not use it. */
const struct stp_family *client_family(const struct stp_family_ops *ops);
/* Counts hits that the kernel did not deliver, since a program was running. */
void client_count_missed(void);
struct bpf_program *client_numbered_program(u32 probe);
/* Converts a time of the monotonic clock to the time of day, in ns. */
u64 client_time_of_day(u64 monotonic_ns);
/* Before loading: set the constants of the programs in a section, or one of 32 bits, if they use it. */
void client_set_constants(const char *section, const void *values, u64 size);
void client_set_constant(const char *section, u32 value);

/* attach.c */
/* Stores a new link. Returns 0; if the link is NULL, returns the error in errno, after a message that names the
 * probe. */
int client_attached(struct bpf_link *link, const struct stp_probe *p, const char *advice);
/* Reports that the probe cannot be attached, and returns err. */
int client_refused(const struct stp_probe *p, int err, const char *advice);
void client_detach(void *table, u32 n);
/* Returns whether the file is the one that the translator read: offsets in another one would be wrong. */
bool client_same_file(const struct stp_program *program);

/* kernel_files.c: opens a file of a file system of this type, which need not be mounted. Returns -1 on failure. */
int kernel_file_open(const char *type, const char *mounted_at, const char *name);

/* attach_trampolines.c: before loading, returns whether the function's programs can use its trampoline; else it is
 * probed by kprobes. */
bool trampolines_choose(const struct stp_function *f);
void trampolines_set(const struct stp_function *f);    /* sets the types of its programs */
int trampolines_attach(const struct stp_function *f);
void trampolines_finish(void);     /* frees memory, after all programs were attached */

/* privileges.c: drop capabilities permanently. Return false if the kernel does not allow that. */
bool privileges_for_attaching(bool programs);      /* programs: the script has probes of programs */
/* Makes the permitted capabilities effective. */
bool privileges_raise(void);
bool privileges_to_read_maps(void);
bool privileges_none(void);
/* Opens an event on this CPU or in this process. Returns its descriptor; or -1, and errno is set. */
struct perf_event_attr;
int privileges_perf_event(struct perf_event_attr *a, int pid, int cpu);
/* Returns whether the kernel's lockdown mode prevents BPF programs from reading kernel memory. */
bool lockdown_is_confidential(void);
#define LOCKDOWN_TEXT "this kernel is in lockdown mode \"confidentiality\", in which BPF programs cannot read its " \
		      "memory: boot it with lockdown=integrity"

/*
 * refusal.c: reports the location in the script from which the rejected program was made, and the verifier's
 * reason. path: the path of the log. Returns false if the log does not contain these.
 */
bool refusal_report(const char *log, const char *path);

/* attach_functions.c */
/* Between opening and loading the object: finds the addresses of functions. Returns 0 or a negative error. */
int functions_prepare(void);
/* Sets the addresses of these sites, or 0 for those that are not found. Returns 0 or -ENOMEM. */
int functions_find_sites(struct stp_site *const *sites, u32 n);
/* Returns whether the running kernel has the build ID of the kernel for which the script was translated. */
bool functions_same_kernel(void);
/* Returns whether several functions of this kernel have the name of the one that was looked up. Not determined on the
 * kernel for which the script was translated. */
bool functions_is_repeated(const struct stp_site *s);

/* attach_events.c: run the program of a probe at each hit of an event, on all CPUs or in the target. Return 0 or
 * a negative error, which is not reported. */
int client_event_on_cpus(const struct stp_probe *p, struct perf_event_attr *a);
int client_event_in_target(const struct stp_probe *p, struct perf_event_attr *a);

/* Returns the description of a system call, by the number in calls of 64-bit or 32-bit processes; NULL: the probe has
 * no such call. */
const struct stp_syscall *client_syscall(const struct stp_probe *p, s32 number, bool is_compat);

/* records.c: a record, from which items are read */
struct reader { const u64 *at, *end; };
const char *record_text(struct reader *r);

/* call_text.c: reads a captured system call and writes its text to `to`, a string of MAXSTRINGLEN. Returns false if
 * the record does not continue with one. */
bool call_text(struct stp_ctx *c, struct reader *r, char *to);

/* attach_watchpoints.c */
/* Before privileges are dropped: finds the addresses of symbols, and of the target's code. */
void watchpoints_prepare(void);

/* kernel_memory.c */
/* Before privileges are dropped: finds the addresses of kernel variables that the client reads. */
void kernel_memory_prepare(void);

/* attach_lsm.c */
/* Between opening and loading the object: excludes programs of hooks that may be missing. Returns 0; or
 * -ECANCELED, after a message, if a hook is missing or the kernel runs no programs at hooks. */
int lsm_prepare(void);

/* attach_netfilter.c */
/* Between opening and loading the object: sets the type of the programs. Returns 0; or -ECANCELED, after a message, if
 * the kernel does not have programs of this type. */
int netfilter_prepare(void);

#endif
