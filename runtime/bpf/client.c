/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client of BPF programs: loads the object that is part of this program, shares memory with it, and gives
 * handlers of begin, end and timers the values that the programs have collected. Everything that it creates is a
 * file descriptor, so that nothing remains attached after this process ends.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"
#include "bpf_shared.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

extern const char stp_bpf_object[], stp_bpf_object_end[];

u64 stp_hash_factor;
static struct bpf_object *object;
static struct stp_control *control;
static char *slots;
static u32 nslots;
static char *globals;              /* the section .bss.globals; NULL: no program uses it */
static bool published;             /* the shared globals have been initialised */
static char **copies;              /* copies of the tables, in memory of this process */
static char **tables;              /* the mapped tables of stp_bpf_layout.maps; NULL: programs do not use the table */
/* the mapped cell of each element of stp_bpf_layout.shared; NULL: programs do not use it */
static char **shared_cells;

/* ------------------------------------------------------------------ loading */

/* The verifier's log and libbpf's messages, printed if loading fails. */
static char *log_text;
static size_t log_size;

static int keep_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	static FILE *f;

	if (level > LIBBPF_WARN)
		return 0;
	if (!f)
		f = open_memstream(&log_text, &log_size);
	if (f) {
		vfprintf(f, fmt, ap);
		fflush(f);
	}
	return 0;
}

static const char *running_release(void)
{
	static struct utsname u;

	return uname(&u) ? "RELEASE" : u.release;
}

extern const struct stp_member __start_stp_members[] __attribute__((__weak__, __visibility__("hidden")));
extern const struct stp_member __stop_stp_members[] __attribute__((__weak__, __visibility__("hidden")));

/* Finds the member that libbpf did not find: its type in the log ends in "___" and the member's number. */
static bool report_missing_member(void)
{
	const char *at = log_text ? strstr(log_text, "failed to resolve CO-RE relocation") : NULL;
	const struct stp_member *m;
	int64_t number;

	at = at ? strstr(at, "___") : NULL;
	at = at ? at + strlen("___") : NULL;
	if (!at || !number_at(&at, 10, 0, UINT32_MAX, &number))
		return false;
	for (m = __start_stp_members; m < __stop_stp_members; m++) {
		if (m->number != number)
			continue;
		if (m->path)
			stp_complain("%s: %s has no member \"%s\", or one of another kind, in the running kernel (%s)", m->where, m->type,
				     m->path, running_release());
		else
			stp_complain("%s: the running kernel (%s) has no %s", m->where, running_release(), m->type);
		return true;
	}
	return false;
}

/* Writes the whole log to a file, and returns its path; NULL: there is no log, or no space for it. */
static const char *log_file(void)
{
	static char path[PATH_MAX];
	const char *directory = secure_getenv("TMPDIR");
	bool kept;
	int fd;

	snprintf(path, sizeof(path), "%s/stap-bpf-XXXXXX", directory && *directory == '/' ? directory : "/tmp");
	fd = log_text ? mkstemp(path) : -1;
	kept = fd >= 0 && write(fd, log_text, log_size) == (ssize_t)log_size;

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !kept)
		unlink(path);
	return kept ? path : NULL;
}

/* The verifier rejects a program only because of a bug in the translator. The message names the file with the log. */
static void report_refusal(int err)
{
	const char *path;

	if (report_missing_member())
		return;
	if (lockdown_is_confidential()) {
		stp_complain("%s", LOCKDOWN_TEXT);
		return;
	}
	if (err == -EPERM) {
		stp_complain("BPF programs cannot be loaded: permission denied; run stap as root, or with the capabilities "
			     "CAP_BPF and CAP_PERFMON%s", client_family(&stp_lsm_family) ?
			     "; a security policy of this system may refuse programs at hooks of security modules" :
			     client_family(&stp_netfilter_family) ? "; probes of netfilter also require CAP_NET_ADMIN" : "");
		return;
	}
	path = log_file();
	if (!path || !refusal_report(log_text, path))
		stp_complain("the kernel refused a BPF program: %s%s%s", strerror(-err), path ? "; its log is in " : "",
			     path ? path : "");
}

static void *map_shared(const struct bpf_map *m, u64 size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(m), 0);

	return p == MAP_FAILED ? NULL : p;
}

static u64 value_size(const struct bpf_map *m)
{
	return (bpf_map__value_size(m) + 7ull) / 8 * 8;
}

/* It is in the object's BTF. */
s64 client_variable_offset(const char *section, const char *name)
{
	const struct btf *btf = bpf_object__btf(object);
	s32 id = btf ? btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC) : -1;
	const struct btf_type *all = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	const struct btf_var_secinfo *v = all ? btf_var_secinfos(all) : NULL;
	u32 i;

	for (i = 0; all && i < btf_vlen(all); i++)
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, v[i].type)->name_off), name))
			return v[i].offset;
	return -1;
}

static int find_globals(void)
{
	const struct bpf_map *m = bpf_object__find_map_by_name(object, ".bss.globals");
	const struct stp_shared *g = stp_bpf_layout.shared;
	s64 offset;
	u32 n = 0, i;

	while (g[n].name)
		n++;
	shared_cells = calloc(n + 1, sizeof(*shared_cells));
	globals = m ? map_shared(m, value_size(m)) : NULL;
	if (!shared_cells || (m && !globals))
		return -ENOMEM;
	for (i = 0; i < n && globals; i++) {
		offset = client_variable_offset(".bss.globals", g[i].name);
		shared_cells[i] = offset < 0 ? NULL : globals + offset;
	}
	return 0;
}

static int find_tables(void)
{
	const struct stp_shared_map *const *maps = stp_bpf_layout.maps;
	const struct bpf_map *m;
	u32 n = 0, i;

	while (maps[n])
		n++;
	tables = calloc(n + 1, sizeof(*tables));
	copies = calloc(n + 1, sizeof(*copies));
	for (i = 0; i < n && tables && copies; i++) {
		m = bpf_object__find_map_by_name(object, maps[i]->section);
		tables[i] = m && value_size(m) == maps[i]->table_size ? map_shared(m, value_size(m)) : NULL;
		copies[i] = tables[i] ? malloc(maps[i]->table_size) : NULL;
		if (m && !copies[i])
			return -ENOMEM;
	}
	return tables && copies ? 0 : -ENOMEM;
}

static int share_memory(void)
{
	int err;

	const struct bpf_map *slot_map = bpf_object__find_map_by_name(object, "stp_slots");
	const struct bpf_map *control_map = bpf_object__find_map_by_name(object, ".bss.control");

	if (!slot_map || !control_map || value_size(slot_map) != stp_bpf_layout.slot_size)
		return -EINVAL;
	slots = map_shared(slot_map, value_size(slot_map) * nslots);
	control = map_shared(control_map, value_size(control_map));
	err = slots && control ? find_globals() : -ENOMEM;
	return err ? err : find_tables();
}

/* Returns a power of two of at least a page: the size of -s MB, by default 4 MB. */
static u32 ring_bytes(void)
{
	u64 wanted = stp_module.limits.buffer_kb ? (u64)stp_module.limits.buffer_kb << 10 : 4 << 20, size = 1 << 16;

	while (size < wanted && size < 1u << 30)
		size *= 2;
	return (u32)size;
}

/* Returns the number of CPUs that have a ring of their own: none, if the script prints nothing. */
static u32 own_rings(void)
{
	return records_are_printed() ? nslots / STP_SLOTS_PER_CPU : 0;
}

static int open_rings(void)
{
	const struct bpf_map *m = bpf_object__find_map_by_name(object, "stp_rings");
	void *own = own_rings() ? map_shared(m, value_size(m) * own_rings()) : NULL;

	if (own_rings() && !own)
		return -ENOMEM;
	return rings_open(bpf_map__fd(bpf_object__find_map_by_name(object, "stp_ring")), own, own_rings());
}

void client_set_constants(const char *section, const void *values, u64 size)
{
	struct bpf_map *m = bpf_object__find_map_by_name(object, section);

	if (m)
		bpf_map__set_initial_value(m, values, size);
}

void client_set_constant(const char *section, u32 value)
{
	client_set_constants(section, &value, sizeof(value));
}

/* The verifier accepts offsets below this one: BPF_MAX_VAR_OFF of linux/bpf_verifier.h, on all kernels so far. */
#define TABLE_MAX (1u << 29)

static bool tables_fit(void)
{
	const struct stp_shared_map *const *m = stp_bpf_layout.maps;

	for (; *m; m++) {
		if ((*m)->table_size <= TABLE_MAX)
			continue;
		stp_complain("the array %s, of %u elements, takes %lu MB, but BPF programs can use up to %u MB of an array: "
			     "give it a smaller size (global %s[N], -DMAXMAPENTRIES=N), or run the script as a module",
			     (*m)->map->name, (*m)->capacity,
			     (unsigned long)(((*m)->table_size + (1 << 20) - 1) >> 20), TABLE_MAX >> 20, (*m)->map->name);
		return false;
	}
	return true;
}

/* Returns true if n more descriptors can be open at once. */
static bool can_open(u32 n)
{
	int *fds = calloc(n, sizeof(fds[0]));
	u32 opened = 0;

	while (fds && opened < n) {
		fds[opened] = opened ? fcntl(fds[0], F_DUPFD_CLOEXEC, 0) : epoll_create1(EPOLL_CLOEXEC);
		if (fds[opened] < 0)
			break;
		opened++;
	}
	for (u32 i = 0; i < opened; i++)
		close(fds[i]);
	free(fds);
	return opened == n;
}

#define FEW_DESCRIPTORS 8              /* more than libbpf needs while it loads, including those of the ring */

/* With too few descriptors, libbpf concludes that the kernel lacks features, and the verifier refuses programs for
 * other reasons. */
static int check_descriptors(void)
{
	struct bpf_program *p;
	struct bpf_map *m;
	u32 n = FEW_DESCRIPTORS;

	user_raise_descriptors();      /* a program and its link are two, and a probe may have a link for each CPU */
	bpf_object__for_each_program(p, object)
		n++;
	bpf_object__for_each_map(m, object)
		n++;
	if (can_open(n))
		return 0;
	stp_complain("too many open files: the script needs %u more; raise the limit (ulimit -n)", n);
	return -ECANCELED;
}

/* Returns whether a parameter of the function is a pointer. */
static bool takes_pointer(const struct btf *btf, const struct btf_type *func)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	const struct btf_param *p = btf_params(proto);
	u16 i;

	for (i = 0; i < btf_vlen(proto); i++) {
		const struct btf_type *t = btf__type_by_id(btf, p[i].type);

		while (btf_is_mod(t) || btf_is_typedef(t))
			t = btf__type_by_id(btf, t->type);
		if (btf_is_ptr(t))
			return true;
	}
	return false;
}

/* bpf_cgrp_storage_get(), which is of the same version as bpf_rdonly_cast() */
#define HELPER_OF_6_2 210

static bool has_helper(int helper)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, (enum bpf_func_id)helper, NULL) > 0;
}

/*
 * Before Linux 5.12, the verifier rejects functions with pointers unless it follows them at each call, as static ones.
 * Those kernels lack this helper, too, which is of 5.13.
 */
static void prepare_functions(void)
{
	const struct btf *btf = bpf_object__btf(object);
	u32 i, n = btf ? btf__type_cnt(btf) : 0;

	if (has_helper(BPF_FUNC_for_each_map_elem))
		return;
	for (i = 1; i < n; i++) {
		struct btf_type *t = (struct btf_type *)btf__type_by_id(btf, i);

		if (btf_is_func(t) && btf_vlen(t) == BTF_FUNC_GLOBAL && takes_pointer(btf, t))
			t->info = BTF_KIND_FUNC << 24 | BTF_FUNC_STATIC;
	}
}

/* Loads programs that disable preemption, if possible: kernels before 6.10, and some later ones, do not load them. */
static int load(u32 preempt_off)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "stap");
	u64 size = (u64)(stp_bpf_object_end - stp_bpf_object);
	int err;

	object = bpf_object__open_mem(stp_bpf_object, size, &options);
	if (!object)
		return -errno;
	err = check_descriptors();
	if (err)
		return err;
	nslots = (u32)libbpf_num_possible_cpus() * STP_SLOTS_PER_CPU;
	err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "stp_slots"), nslots);
	if (!err)
		err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "stp_ring"), ring_bytes());
	if (!err)
		err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "stp_rings"), own_rings() ?: 1);
	client_set_constant(".rodata.options", preempt_off);
	client_set_constant(".rodata.reads_task", has_helper(BPF_FUNC_get_current_task_btf));
	client_set_constant(".rodata.casts", preempt_off && has_helper(HELPER_OF_6_2));
	if (!err)
		err = functions_prepare();
	if (!err)
		err = lsm_prepare();
	if (!err)
		err = netfilter_prepare();
	watchpoints_prepare();
	kernel_memory_prepare();
	prepare_functions();
	if (!err)
		err = bpf_object__load(object);
	if (!err)
		err = share_memory();
	return err ? err : open_rings();
}

const struct stp_family *client_family(const struct stp_family_ops *ops)
{
	const struct stp_family *f = stp_module.families, *end = f + stp_module.nfamilies;

	for (; f < end; f++)
		if (f->ops == ops)
			return f;
	return NULL;
}

/* For tests: appends how many instructions the verifier has followed (since Linux 5.16). */
static void write_counts(void)
{
	const char *path = secure_getenv("STP_BPF_COUNTS");
	FILE *f = path ? fopen(path, "a") : NULL;
	struct bpf_program *p;
	u64 all = 0, most = 0;

	if (!f)
		return;
	bpf_object__for_each_program(p, object) {
		struct bpf_prog_info info = { 0 };
		u32 size = sizeof(info);

		if (bpf_program__fd(p) < 0 || bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size))
			continue;
		all += info.verified_insns;
		most = info.verified_insns > most ? info.verified_insns : most;
	}
	fprintf(f, "%llu %llu\n", most, all);
	fclose(f);
}

int event_probes_open(void)
{
	int err;

	if (stp_bpf_layout.bound_at && stp_module.build_id_len && !functions_same_kernel()) {
		stp_complain("%s: this probe uses addresses of another build of the kernel (its build ID differs "
			     "from the running kernel's): translate the script with -r %s", stp_bpf_layout.bound_at,
			     running_release());
		return -1;
	}
	libbpf_set_print(keep_log);
	err = tables_fit() ? load(true) : -ECANCELED;
	if (err && err != -EPERM && err != -ECANCELED) {
		bpf_object__close(object);
		err = load(false);
	}
	if (err) {
		if (err != -ECANCELED)     /* in that case the error has been reported */
			report_refusal(err);
		return -1;
	}
	costs_enable();
	write_counts();
	stp_losses = control->losses;
	control->hash_factor = stp_hash_factor = plat_random() | 1;
	control->errors_allowed = stp_module.limits.suppress_errors ? ~0u : stp_module.limits.errors;
	return 0;
}

bool client_in_initial_namespace(void)
{
	enum { INITIAL = (int)0xeffffffc };        /* inode of the initial PID namespace: PROC_PID_INIT_INO */
	struct stat ns;

	return stat("/proc/self/ns/pid", &ns) || ns.st_ino == (u32)INITIAL;
}

/* Programs have the IDs of the initial PID namespace; that of a process in another one cannot be determined here. */
static void check_target(void)
{
	if (!stp_session.target || client_in_initial_namespace())
		return;
	stp_session.target_unknown = true;
	plat_message(STP_MSG_WARNING, "process IDs of BPF programs are those of the host, but this is another PID namespace: "
		     "target() is -1, so that no process is the target; run stap in the PID namespace of the host "
		     "(docker run --pid=host)");
}

/* Returns false if programs look up the namespaces of a process whose ID they cannot know. */
static bool check_namespaces(void)
{
	const struct btf *btf = bpf_object__btf(object);

	if (!btf || btf__find_by_name_kind(btf, "bpf_find_namespaces", BTF_KIND_FUNC) < 0 || client_in_initial_namespace())
		return true;
	stp_complain("ns_*() functions require a process in the PID namespace of the host, but this is another PID namespace: "
		     "run stap in that of the host (docker run --pid=host)");
	return false;
}

int event_probes_drop_capabilities(void)
{
	check_target();
	if (!check_namespaces())
		return -1;
	if (bpf_object__find_map_by_name(object, "stp_mappings")) {    /* programs list call stacks of processes */
		process_maps_start();
		process_events_start();
	}
	if (privileges_for_attaching(client_family(&stp_uprobe_family) != NULL))
		return 0;
	stp_complain("cannot drop capabilities: %s", strerror(errno));
	return -1;
}

struct bpf_program *client_program(const struct stp_probe *p)
{
	return client_numbered_program(stp_probe_number(p) - 1);
}

static struct bpf_program *program_of(const char *kind, u32 probe)
{
	char name[32];

	snprintf(name, sizeof(name), "stp_%s_%u", kind, probe);
	return bpf_object__find_program_by_name(object, name);
}

struct bpf_program *client_numbered_program(u32 probe)
{
	return program_of("program", probe);
}

struct bpf_program *client_entry_program(u32 probe)
{
	return program_of("entry", probe);
}

struct bpf_program *client_named_program(const char *name)
{
	return bpf_object__find_program_by_name(object, name);
}

void *client_map_section(const char *section)
{
	const struct bpf_map *m = bpf_object__find_map_by_name(object, section);

	return m ? map_shared(m, value_size(m)) : NULL;
}

void client_count_missed(void)
{
	static u64 counted;
	struct bpf_program *p;
	u64 missed = 0;

	bpf_object__for_each_program(p, object) {
		struct bpf_prog_info info = { 0 };
		u32 size = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size))
			missed += info.recursion_misses;
	}
	if (missed > counted)
		__atomic_add_fetch(&control->losses[STP_LOSS_REENTRANT], missed - counted, __ATOMIC_RELAXED);
	counted = missed;
}

/* ------------------------------------------------------------------ slots */

static struct stp_slot *slot(u32 i)
{
	return (struct stp_slot *)(slots + (u64)i * stp_bpf_layout.slot_size);
}

struct stp_slot *client_slot(u32 i)
{
	return i < nslots ? slot(i) : NULL;
}

struct stp_control *client_control(void)
{
	return control;
}

/*
 * A hit owns a slot for microseconds; but a hit that reads user memory may be preempted, and owns it until it
 * continues.
 */
static void claim(u32 *word)
{
	while (__atomic_add_fetch(word, 1, __ATOMIC_ACQUIRE) != 1) {   /* bounded: hits release slots and locks */
		__atomic_sub_fetch(word, 1, __ATOMIC_RELAXED);
		sched_yield();
	}
}

static void release(u32 *word)
{
	__atomic_sub_fetch(word, 1, __ATOMIC_RELEASE);
}

static bool is_shared(const struct stp_scalar_stat *g)
{
	const struct stp_shared_stat *s = stp_bpf_layout.stats;

	while (s->stat && s->stat != g)
		s++;
	return s->stat != NULL;
}

/* Moves the counters of a slot, and the statistics that only this process reads, to the memory of this process. */
static void collect(struct stp_slot *s)
{
	char *from = (char *)s + stp_bpf_layout.percpu_offset, *to = (char *)stp_session.percpu[0];
	u32 i;

	for (i = 0; i < stp_bpf_layout.nadders; i++) {
		*(u64 *)(to + stp_bpf_layout.adders[i]) += *(u64 *)(from + stp_bpf_layout.adders[i]);
		*(u64 *)(from + stp_bpf_layout.adders[i]) = 0;
	}
	for (i = 0; i < stp_module.nstats; i++) {
		const struct stp_scalar_stat *g = stp_module.stats[i];

		if (is_shared(g))
			continue;
		stp_stat_merge((struct stp_stat *)(to + g->offset), (struct stp_stat *)(from + g->offset), &g->desc);
		stp_stat_clear((struct stp_stat *)(from + g->offset), &g->desc);
	}
}

static void collect_slots(void)
{
	u32 i;

	if (!stp_bpf_layout.nadders && !stp_module.nstats)
		return;
	for (i = 0; i < nslots; i++) {
		claim(&slot(i)->busy);
		collect(slot(i));
		release(&slot(i)->busy);
	}
}

/* ------------------------------------------------------------------ statistics that programs read */

static struct stp_stat *in_slot(u32 i, const struct stp_scalar_stat *g)
{
	return (struct stp_stat *)((char *)slot(i) + stp_bpf_layout.percpu_offset + g->offset);
}

/* Copies the sum over all slots. Context: holds the lock of the statistic, which hits that add to it also take. */
static void stat_import(const struct stp_scalar_stat *g)
{
	u32 i;

	stp_stat_clear((struct stp_stat *)(stp_session.percpu[0] + g->offset), &g->desc);
	stp_stat_clear(g->merged, &g->desc);
	for (i = 0; i < nslots; i++)
		stp_stat_merge(g->merged, in_slot(i, g), &g->desc);
}

static void stat_export(const struct stp_scalar_stat *g)
{
	u32 i;

	for (i = 0; i < nslots; i++)
		stp_stat_clear(in_slot(i, g), &g->desc);
	stp_stat_merge(in_slot(0, g), g->merged, &g->desc);
	stp_stat_merge(in_slot(0, g), (struct stp_stat *)(stp_session.percpu[0] + g->offset), &g->desc);
}

/* ------------------------------------------------------------------ globals */

/*
 * A handler works on copies. Globals that it only reads are copied under their locks before it runs. The locks of
 * those that it sets are held until the new values are copied back, so that hits neither see old values nor lose
 * their own. Handlers of begin, end and error (p NULL) run before or after all hits. No system call is made between
 * claiming and releasing: a probe of it would wait for the lock until it times out.
 */
static const struct stp_lock_use *use_of(const struct stp_probe *p, const struct stp_lock *lock)
{
	const struct stp_lock_use *use = p->locks, *end = use + p->nlocks + p->nlate;

	for (; use < end; use++)
		if (use->lock == lock)
			return use;
	return NULL;
}

/* Calls fn once for each lock word, in the order in which programs take them. */
static void each_word(u64 words, void (*fn)(u32 *word))
{
	u32 i;

	for (i = 0; i < STP_LOCK_WORDS; i++)
		if (words >> i & 1)
			fn(&control->locks[i]);
}

static u64 word_of(const struct stp_probe *p, const struct stp_lock *lock, u32 word, u32 mode)
{
	const struct stp_lock_use *use = p && lock ? use_of(p, lock) : NULL;

	return use && use->mode & mode ? 1ull << word : 0;
}

/* Returns the lock words of the globals that a handler uses in these modes, as bits. */
static u64 words_of(const struct stp_probe *p, u32 mode)
{
	const struct stp_shared_map *const *m = stp_bpf_layout.maps;
	const struct stp_shared *g = stp_bpf_layout.shared;
	const struct stp_shared_stat *s = stp_bpf_layout.stats;
	u64 words = 0;

	for (; g->name; g++)
		words |= word_of(p, g->lock, g->lock_word, mode);
	for (; s->stat; s++)
		words |= word_of(p, s->lock, s->lock_word, mode);
	for (; *m; m++)
		words |= word_of(p, (*m)->lock, (*m)->lock_word, mode);
	return words;
}

/* Returns whether a handler uses a global in this mode. */
static bool uses(const struct stp_probe *p, const struct stp_lock *lock, u32 mode)
{
	return !p || word_of(p, lock, 0, mode);
}

static bool is_taken(const struct stp_probe *p, const struct stp_shared_map *m)
{
	const struct stp_taken *t = stp_bpf_layout.taken;

	for (; t->probe; t++)
		if (t->probe == p && t->map == m)
			return true;
	return false;
}

static u64 words_of_taken(const struct stp_probe *p)
{
	const struct stp_shared_map *const *m = stp_bpf_layout.maps;
	u64 words = 0;

	for (; *m; m++)
		words |= is_taken(p, *m) ? 1ull << (*m)->lock_word : 0;
	return words;
}

void event_probes_enter(const struct stp_probe *p)
{
	const struct stp_shared *g = stp_bpf_layout.shared;
	const struct stp_shared_map *const *m = stp_bpf_layout.maps;
	const struct stp_shared_stat *s = stp_bpf_layout.stats;
	struct stp_ctx *c = p ? user_ctx : &stp_session.exclusive->c;
	u64 all = words_of(p, STP_READ | STP_WRITE), kept = words_of(p, STP_WRITE) & ~words_of_taken(p);
	u32 i;

	costs_update(!p);
	collect_slots();
	each_word(all, claim);
	for (i = 0; g[i].name && published; i++)
		if (shared_cells[i])
			memcpy(g[i].cell, shared_cells[i], g[i].size);
	for (; s->stat && published; s++)
		if (uses(p, s->lock, STP_READ | STP_WRITE))
			stat_import(s->stat);
	for (i = 0; m[i] && published; i++)
		if (tables[i] && uses(p, m[i]->lock, STP_READ | STP_WRITE)) {
			arrays_copy(m[i], copies[i], tables[i]);
			if (is_taken(p, m[i]))
				arrays_empty(m[i], tables[i]);
		}
	each_word(all & ~kept, release);
	for (i = 0; m[i] && published; i++)
		if (tables[i] && uses(p, m[i]->lock, STP_READ | STP_WRITE))
			arrays_import(c, m[i], copies[i]);
}

/* Copies the globals that a handler may have set (p NULL: all globals) to the programs' memory. */
static void publish(const struct stp_probe *p)
{
	const struct stp_shared_map *const *m = stp_bpf_layout.maps;
	const struct stp_shared *g = stp_bpf_layout.shared;
	const struct stp_shared_stat *s = stp_bpf_layout.stats;
	u32 i;

	for (i = 0; g[i].name; i++)
		if (shared_cells[i] && uses(p, g[i].lock, STP_WRITE))
			memcpy(shared_cells[i], g[i].cell, g[i].size);
	for (; s->stat; s++)
		if (uses(p, s->lock, STP_WRITE))
			stat_export(s->stat);
	for (i = 0; m[i]; i++)
		if (tables[i] && uses(p, m[i]->lock, STP_WRITE) && !is_taken(p, m[i]))
			arrays_export(p ? user_ctx : &stp_session.exclusive->c, m[i], tables[i]);
}

/* Adds the elements of an array back to the programs' table, if the handler ended before it deleted the array. */
static void put_back(const struct stp_probe *p)
{
	const struct stp_shared_map *const *m = stp_bpf_layout.maps;
	u32 i;

	for (i = 0; m[i]; i++) {
		if (!tables[i] || !is_taken(p, m[i]) || !stp_map_count(m[i]->map))
			continue;
		claim(&control->locks[m[i]->lock_word]);
		arrays_put_back(user_ctx, m[i], tables[i]);
		release(&control->locks[m[i]->lock_word]);
	}
}

void event_probes_leave(const struct stp_probe *p)
{
	u64 kept = words_of(p, STP_WRITE) & ~words_of_taken(p);

	publish(p);
	each_word(kept, release);
	if (p)
		put_back(p);
}

/* ------------------------------------------------------------------ the session */

/*
 * Programs cannot read the time of day: they add an offset to the monotonic clock. The offset is not changed if the
 * difference may be due to the time between the two readings.
 */
static void follow_clock(void)
{
	enum { ERROR_NS = 100000 };
	s64 before = stp_ktime_ns(), now = stp_gettimeofday_ns(), after = stp_ktime_ns();
	s64 offset = now - before, change = offset - control->clock_offset;

	if (after - before < ERROR_NS && (change > ERROR_NS || change < -ERROR_NS))
		__atomic_store_n(&control->clock_offset, offset, __ATOMIC_RELAXED);
}

u64 client_time_of_day(u64 monotonic_ns)
{
	return monotonic_ns + (u64)control->clock_offset;
}

void event_probes_enable(bool open)
{
	if (!control)
		return;
	if (open && !published)
		publish(NULL);
	if (open && !privileges_none())
		stp_complain("cannot drop capabilities: %s", strerror(errno));
	published |= open;
	if (open)
		control->opened_ns = user_now_ns();
	control->target = stp_target(NULL);
	control->client = getpid();
	control->timezone = stp_timezone_s(NULL);
	control->namespaces = stp_session.namespaces ? stp_session.namespaces : getpid();
	while (!control->clock_offset) /* bounded: until this process runs some microseconds without interruption */
		follow_clock();
	__atomic_store_n(&control->open, open, __ATOMIC_SEQ_CST);
}

void event_probes_finish(void)
{
}

int event_probes_fd(void)
{
	return rings_fd();
}

void event_probes_read(void)
{
	u64 skipped = __atomic_exchange_n(&control->skipped, 0, __ATOMIC_RELAXED);

	follow_clock();
	rings_read();
	if (__atomic_load_n(&control->exited, __ATOMIC_RELAXED))
		stp_session_exit();
	for (; skipped && stp_session_running(); skipped--)
		stp_session_skipped();
}

int event_probes_max_wait(void)
{
	return rings_max_wait(100);
}
