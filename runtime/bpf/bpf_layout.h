/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes and offsets that depend on the script: the generated C defines them, and the client's files use them. */
#ifndef BPF_LAYOUT_H
#define BPF_LAYOUT_H

/* A global that is not an array or statistic: this process has a copy of it. */
struct stp_shared {
	const char *name;              /* name of the variable in .bss.globals; NULL: end of the table */
	void *cell;
	u32 size;
	const struct stp_lock *lock;   /* lock of the copy; NULL: the global is only set before hits or after them */
	u32 lock_word;
};

/* An array: this process has a copy of it. Offsets are in bytes, in the table and in its elements. */
struct stp_shared_map {
	struct stp_map *map;
	const char *section;
	const struct stp_lock *lock;   /* NULL: see struct stp_shared */
	u32 lock_word;
	u32 capacity, buckets, pool, elem_size, numbers, strings, value, value_size;
	u64 table_size;
};

/* A scalar statistic that programs read or delete. Others are only moved from the slots to this process. */
struct stp_shared_stat {
	struct stp_scalar_stat *stat;  /* NULL: end of the table */
	const struct stp_lock *lock;   /* NULL: see struct stp_shared */
	u32 lock_word;
};

/* A line of the generated C to which programs refer: a printing statement, or the location of an error. */
struct stp_statement {
	u32 line;
	u32 pieces;                    /* number of pieces of the format; without a format, size of `text` */
	const struct stp_format *format;
	const char *text;
	const char *where;             /* location of the error; NULL: a printing statement */
	const struct stp_stat_desc *hist;      /* the histogram that the statement prints, or NULL */
};

/* A member of a kernel type whose offset programs read, or a kernel type whose size they read. */
struct stp_member {
	const char *where;             /* location in the script at which it is read */
	const char *type, *path;       /* "struct file", "f_path.dentry"; path NULL: the type itself */
	u32 number;
};

/* A handler of this process that reads an array and then deletes all of it. */
struct stp_taken { const struct stp_probe *probe; const struct stp_shared_map *map; };

/* hooks of security modules: stp_lsm_family */
extern const struct stp_family_ops stp_lsm_family;
struct stp_lsm {
	const struct stp_probe *probe;
	const char *hook;
	bool optional;                 /* "?": a missing hook is not an error */
};

struct stp_bpf_layout {
	const struct stp_taken *taken; /* `probe` NULL ends the list */
	u32 text_size;                 /* size of a string in bytes */
	const struct stp_shared_map *const *maps;      /* NULL ends the list */
	const struct stp_shared *shared;
	const struct stp_shared_stat *stats;
	u32 slot_size;
	u32 percpu_offset;             /* offset of struct percpu in a slot */
	const u32 *adders;             /* offsets of counters in struct percpu */
	u32 nadders;
	/* first location in the script that requires the kernel of stp_module.build_id; NULL: none */
	const char *bound_at;
};
extern const struct stp_bpf_layout stp_bpf_layout;

#endif
