/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that BPF programs and their client share. Both compile the same text, so that offsets agree.
 *
 * A slot holds everything that a hit writes: the context, the counters and statistics of struct percpu. Its owner
 * is the hit (or the client, while it reads and clears the slot) that raised `busy` from 0 to 1: it adds 1; if the
 * word is then 1, it owns the slot, else it adds -1 and tries the next one. There are never two owners, and no
 * atomic operation that returns the old value is needed.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#define STP_JOIN_(a, b) a##b
#define STP_JOIN(a, b) STP_JOIN_(a, b)

#define STP_REGISTERS 21               /* words of struct pt_regs on x86-64 */
#define STP_ALL_REGISTERS ((1u << STP_REGISTERS) - 1)
#define STP_LOCK_WORDS 64
#define STP_SLOTS_PER_CPU 4            /* a hit can interrupt others: task, soft and hard interrupt, NMI */

/* Strings are buffers of whole words; so are literals. */
#define STP_TEXT_SIZE ((STP_STRLEN + 7) / 8 * 8)
struct stp_text { char b[STP_TEXT_SIZE]; };

#ifndef STP_RECORD_WORDS
#define STP_RECORD_WORDS 1024          /* words of a handler's output: a head, then items */
#endif
#define STP_MEMORY_MAX 4096            /* maximum number of bytes of %m and %M, as in core/format.c */
#ifndef STP_RECORD_SLACK
#define STP_RECORD_SLACK 0             /* words after a record, for memory that is shorter than it may be */
#endif
/*
 * The first word of a record: its number, the number of the probe, and its size in words (0: larger, so that it is in
 * the shared ring). The client sorts the records of all rings by their numbers. The program raises the count of
 * records and reads it, so that of two records, the one that is sent after the other was has the greater number;
 * records that are sent at the same time may have equal ones.
 */
#define STP_RECORD_START(number, probe, n)	\
	((u64)(number) << 32 | (u64)(probe) << 9 | ((n) <= STP_RING_RECORD ? (n) : 0))
#define STP_RECORD_NUMBER(start) ((u32)((start) >> 32))
#define STP_RECORD_PROBE(start) ((u32)(start) >> 9)
#define STP_RECORD_SIZE(start) ((u32)(start) & 511)
/* The ring of a slot, which only the owner of the slot writes: words. A record begins at its position modulo the number
 * of words, and may continue after the last one. */
#define STP_RING_WORDS (1u << 14)
#define STP_RING_RECORD 256            /* maximum size of a record in it */
#define STP_RING_STEP 4                /* records are copied in units of so many words */
struct stp_ring { u64 words[STP_RING_WORDS + STP_RING_RECORD + STP_RING_STEP]; };
#define STP_ITEM_ARGUMENTS 64          /* arguments of a printing statement */
/* Kind of item, the upper half of an item's first word; the lower half is the line of the generated C, which
 * determines the format. */
enum { STP_ITEM_PRINT = 1, STP_ITEM_ERROR, STP_ITEM_HIST, STP_ITEM_SYMBOL, STP_ITEM_USER_SYMBOL,
       STP_ITEM_MAPPING, STP_ITEM_LOG, STP_ITEM_WARNING, STP_ITEM_SYSTEM, STP_ITEM_SWITCH,
       STP_ITEM_TIME, STP_ITEM_PROCESS };
/* Forms of STP_ITEM_USER_SYMBOL: a line that begins with the address only if it has a name; a line that always
 * does; only the name. */
enum { STP_USER_LINE, STP_USER_DOUBLED, STP_USER_NAME, STP_USER_SOURCE, STP_USER_CALLER_SOURCE };
/* Lines of an item STP_ITEM_SYMBOL: the source line of the address follows; of the call before it. */
enum { STP_SYMBOL_LINE = 1, STP_SYMBOL_CALLER };
#define STP_TRACER_FRAMES 8            /* maximum number of own frames of a call stack that begins in the program */
/* Errors of programs: records.c has their texts. */
enum stp_bpf_error { STP_BPF_NONE, STP_BPF_TEXT, STP_BPF_DIVISION, STP_BPF_ACTIONS, STP_BPF_NESTING, STP_BPF_OVERFLOW,
		     STP_BPF_SIZE, STP_BPF_FAULT, STP_BPF_USER_FAULT, STP_BPF_CHAIN, STP_BPF_EMPTY, STP_BPF_BUCKET,
		     STP_BPF_POSITION, STP_BPF_LOCATION, STP_BPF_ABSENT, STP_BPF_STATIC, STP_BPF_FUNCTION, STP_BPF_ABORT };
/* Results of the body of a loop: another pass; break; the handler or function ends; an error. */
enum { STP_LOOP_NEXT, STP_LOOP_BREAK, STP_LOOP_LEAVE, STP_LOOP_FAIL };
#define STP_BPF_CALLERS 4
enum { STP_MODE_USER = 1, STP_MODE_32BIT = 2, STP_MODE_CALL = 4, STP_MODE_REGISTERS = 8 };
#define STP_ERROR_TEXT 512             /* equals STP_ERROR_SIZE of the module */

/* Texts of the probe that was hit. */
enum { STP_POINT_RESOLVED, STP_POINT_WRITTEN, STP_POINT_NAME, STP_POINT_FUNCTION, STP_POINT_TEXTS };

/*
 * A placeholder for symbol names of a process, which a program cannot look up: STP_MARK, the form, 8 digits of a
 * random number (so that no text of the script is mistaken for one), 16 digits of the number of the process's
 * memory, a blank, and a list of addresses. The client replaces it by the names.
 */
#define STP_MARK 1
#define STP_MARK_LINES 'L'             /* a line for each address */
#define STP_MARK_DATA 'D'              /* one address */
#define STP_MARK_NAME 'N'
#define STP_MARK_PATH 'P'              /* the path of the file in which the address is */
/* The source file and line of an address of a process; of the kernel, if STP_MARK_KERNEL is added. */
#define STP_MARK_FILE_LINE 'S'
#define STP_MARK_FILE 'F'
#define STP_MARK_LINE 'I'
#define STP_MARK_KERNEL 32
#define STP_MARK_ADDRESSES 'A'         /* the addresses themselves: a stack value (elab/stack_values.c) */
#define STP_MARK_HEAD 27

/*
 * argstr: a program copies the arguments of the system call, and the memory that their text shows
 * (include/syscall_captures.def), to the record, and the client formats them as the module does. In the place of a
 * string a record then has STP_MARK and STP_MARK_CALL in one word, the random number, and one capture, or two with
 * STP_CALL_SAVED: the first was made at the entry of the call. A capture is the words of enum stp_capture_word, then
 * ranges of memory: the address, the size, and the bytes, in whole words.
 */
#define STP_MARK_CALL ('C' << 8)
#define STP_CALL_RETURN (1 << 16)      /* the hit is at the return of the call */
#define STP_CALL_SAVED (1 << 17)
/* The text: argstr, one argument, a part of it, the meaning of the result, after which is a text that replaces an empty
 * one; at a return, an argument, or a part of it, of the entry. */
enum { STP_CALL_ALL, STP_CALL_ARGUMENT, STP_CALL_PART, STP_CALL_RESULT, STP_CALL_ENTRY_ARGUMENT, STP_CALL_ENTRY_PART };
#define STP_CALL_OF(text, argument, part) ((u64)(text) << 20 | (u64)(argument) << 24 | (u64)(part) << 32)
enum stp_capture_word { STP_CAPTURE_WORDS_USED, STP_CAPTURE_FLAGS, STP_CAPTURE_NUMBER, STP_CAPTURE_ARGUMENTS,
			STP_CAPTURE_RANGES = STP_CAPTURE_ARGUMENTS + 8 };
/* flags: the capture had no space for all memory; some memory could not be read */
enum { STP_CAPTURE_FULL = 1, STP_CAPTURE_UNREAD = 2 };
/* In the size of a range: the memory is words other than 0, whose number is the lower half; they are not copied. After
 * them is a 0, or memory that cannot be read. */
#define STP_RANGE_ENDS (1ull << 32)
#define STP_RANGE_FAILS (1ull << 33)
#define STP_CALL_COMPAT 0x10000        /* added to the numbers of calls of 32-bit processes */

/* Kinds of include/syscall_captures.def. The translator writes a plan, one word for each argument. */
enum stp_capture_kind { STP_CAPTURE_NONE, STP_CAPTURE_FIXED, STP_CAPTURE_SIZED, STP_CAPTURE_COUNTED, STP_CAPTURE_BITS,
			STP_CAPTURE_PAGES, STP_CAPTURE_BUFFER, STP_CAPTURE_ENDED, STP_CAPTURE_STRING,
			STP_CAPTURE_STRINGS, STP_CAPTURE_COUNT, STP_CAPTURE_SET, STP_CAPTURE_LENGTH,
			STP_CAPTURE_IOVEC, STP_CAPTURE_MESSAGE, STP_CAPTURE_MESSAGES, STP_CAPTURE_IOCBS,
			STP_CAPTURE_ATTRIBUTES, STP_CAPTURE_CLONE };
enum { STP_AT_ENTRY = 1, STP_AT_RETURN = 2 };
/* Forms of the value of `other`: absent, or how it is extended from its register. */
enum { STP_WITH_NONE, STP_WITH_U32, STP_WITH_S32, STP_WITH_U64 };
/* when: STP_AT_ bits. at, with, limit: registers of the argument, of `other`, and of the upper bound of `other`. */
#define STP_PLAN(kind, size, when, at, with, with_form, limit, limit_form)	\
	((u64)(kind) | (u64)(size) << 8 | (u64)(when) << 24 | (u64)(at) << 28 | (u64)(with) << 32 |	\
	 (u64)(with_form) << 36 | (u64)(limit) << 40 | (u64)(limit_form) << 44)
#define STP_PLAN_KIND(plan) ((u32)(plan) & 0xff)
#define STP_PLAN_SIZE(plan) ((u32)((plan) >> 8) & 0xffff)
#define STP_PLAN_WHEN(plan) ((u32)((plan) >> 24) & 15)
#define STP_PLAN_AT(plan) ((u32)((plan) >> 28) & 15)
#define STP_PLAN_WITH(plan) ((u32)((plan) >> 32))      /* with and with_form, then limit and limit_form */
#define STP_PLAN_ARGUMENTS 8
struct stp_call_plan { u64 args[STP_PLAN_ARGUMENTS]; };
struct stp_capture { u64 words[STP_CAPTURE_SIZE]; };

/* A mapping of a file in a process. */
struct stp_mapping { u64 space, start, end, offset, inode, device; };
#define STP_VDSO_DEVICE (~0ull)        /* inode 0: the mapping is the vDSO */
/* A process and the program that it executes: its ID, its start since boot, the address of its initial stack, and a
 * time of the monotonic clock at which it executes the program. */
struct stp_execution { u64 pid, start_ns, stack, time_ns; };

/* State of bpf_hist.h. */
struct stp_hist_text {
	s64 low, high;                 /* these and the next three are copied from the descriptor */
	u64 step;
	u32 buckets, is_log;
	u32 first, last, row;          /* the rows, and the current row or bucket */
	u32 run_end;                   /* the end of the run of empty buckets that was found last */
	u32 omit_from, omit_to;        /* rows of it that are omitted */
	u32 label_width, count_width;
	u32 at;                        /* position in the text */
	u64 max, sum;                  /* the largest count, and their sum */
	u64 rank, before;              /* a percentile, and the number of values in the buckets before it */
};

struct stp_slot {
	u32 busy;
	u32 mode;                      /* STP_MODE_ bits of the interrupted code */
	u32 probe;                     /* index in the table of probes */
	u32 sends;                     /* begun and ended transmissions of records: odd during one */
	u32 ring;                      /* number of its ring; ~0: none */
	u32 ring_head, ring_tail;      /* positions, in words: of the next record, and of the first that is not read */
	struct stp_ctx c;
	u64 held;                      /* lock words that the hit holds, as bits */
	/* an error: line numbers in the generated C, and a number that its text contains */
	u32 where, ncallers, callers[STP_BPF_CALLERS];
	u64 error_argument;
	u64 hash;                      /* hash of the keys */
	u32 walk_at, walk_any;         /* walk over an array: the next element; keys that are "*", as bits */
	u32 walk_found;
	/* a match that is split into its groups: see bpf_match.h */
	u32 match_len, match_part, match_from, match_to, match_waiting, match_star, match_at;
	s64 key_n[STP_MAX_KEYS];
	u64 registers[STP_REGISTERS];
	u64 bias;                      /* probed program: load bias, runtime address - link address */
	u64 address;                   /* the address that was read from a list */
	u64 user_address;              /* address at which the process made the system call of the probe */
	u32 user_frames;               /* number of frames in `user_stack` */
	u32 note_len;                  /* words */
	u64 path_at, path_mount;       /* addresses of the dentry and the mount of the path in `note` */
	u32 stack_frames, stack_from;  /* number of frames in `stack`; STP_FROM_REGISTERS or STP_FROM_PROGRAM */
	u32 record_len;                /* number of words after the head */
	u32 frame_at;                  /* offset of the next free byte in `frames` */
	u64 percpu[STP_PERCPU_WORDS];
	u64 merged[STP_MERGED_WORDS];  /* sum of a statistic over all slots, at the offsets of struct percpu */
	struct stp_text comm, error_text, quoted, call_name, call_kernel_name, symbol;
	struct stp_text point[STP_POINT_TEXTS];
	struct stp_text key_s[STP_KEY_STRINGS];
	struct stp_hist_text hist_text;
	u64 hist[STP_HIST_WORDS];      /* the buckets of a histogram whose text is written */
	u64 entry[STP_ENTRY_WORDS];    /* values of @entry() */
	u64 record[STP_RECORD_WORDS + STP_RECORD_SLACK];
	u64 stack[STP_STACK_FRAMES];   /* frames of the kernel; the tracer's own frames come first, if the stack
				        * begins in the program */
	u64 user_stack[STP_USER_FRAMES];
	u64 note[STP_NOTE_WORDS];      /* an announcement: see bpf_user_stack.h */
	/* the system call, for argstr: bpf_call_text.h */
	u32 call_number;               /* with STP_CALL_COMPAT */
	u32 call_when;                 /* STP_AT_ENTRY or STP_AT_RETURN */
	u32 call_saved;                /* at a return: the capture of the entry can be read */
	u32 capture_len;               /* number of words of `capture` that are used */
	u32 capture_flags;             /* STP_CAPTURE_FULL, STP_CAPTURE_UNREAD */
	struct stp_call_plan plan;
	struct stp_capture capture;
	char frames[STP_FRAMES_SIZE];
};

/* State that all programs share, in the section .bss.control. */
struct stp_control {
	u32 open;                      /* 0: the session has not begun or has ended, so hits are ignored */
	u32 exited;                    /* exit() was called */
	u32 errors;                    /* number of errors so far */
	u32 errors_allowed;            /* MAXERRORS */
	u64 hash_factor;               /* odd and random, so that nobody can choose keys that share a bucket */
	u64 opened_ns;                 /* time of the monotonic clock at which the session began */
	s64 clock_offset;              /* offset from the monotonic clock to the time of day, in ns */
	u64 skipped;                   /* number of skipped hits, for MAXSKIPPED */
	s64 target;                    /* process ID of the command of -c, or of -x */
	s64 client;                    /* process ID of the client */
	s64 timezone;                  /* seconds east of UTC */
	s64 namespaces;                /* ID of the process whose namespaces ns_*() functions use */
	u64 pid_namespace, user_namespace;     /* addresses of these namespaces; 0: not yet read */
	u64 losses[STP_LOSSES_MAX];
	/* locks of globals, taken like a slot; a global uses the word of its number */
	u32 locks[STP_LOCK_WORDS];
	/* apart from `open`, which every hit reads */
	u32 records __attribute__((__aligned__(64)));  /* number of the newest record */
	u32 waiting;                   /* the client waits for records: the next program that sends one wakes it */
};

/* The head of an array's table, followed by its buckets. Links are 1 + the index of an element; 0: none. */
struct stp_table_head { u32 first, last, used, count, free, unused; };
/*
 * Maximum number of elements of a bucket that are compared. Since hashes have a random factor, buckets do not grow
 * so long by chance; a longer one is an error, because its other elements would not be found.
 */
#define STP_TABLE_CHAIN 256

/* Returns the lowest bit of the first zero byte of a word, times 128; or 0 if no byte is zero. */
static inline u64 stp_text_end(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* Buckets are chosen by bits in the middle of a product. Carries of a multiplication only go upwards, so the
 * high bits of a key are first added to its low bits. */
static inline u64 stp_table_mix_by(u64 h, u64 factor)
{
	h = (h ^ h >> 32) * factor;
	return h ^ h >> 32;
}
#define stp_table_mix(h) stp_table_mix_by(h, STP_HASH_FACTOR)

/*
 * Finishes a hash. Keys at equal distances (stack pointers of nested calls, addresses of an array's elements) have
 * products at equal distances, which for one factor in some hundreds are multiples of few buckets. A second product, of
 * the sum of both halves, has no such distances.
 */
static inline u64 stp_table_hash(u64 h)
{
	h *= 0xff51afd7ed558ccdull;
	return h ^ h >> 32;
}

#endif
