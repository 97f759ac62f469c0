/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of records that a script writes instead of text with -f, --output and --record. stap-report reads
 * it.
 *
 * The stream is a sequence of frames. A frame of kind STP_FRAME_RECORD has the output of one handler, or a part of it,
 * as items one after the other; every such frame begins with an item HEAD. Frames are in the order of `seq`; the first
 * ones describe the session: SESSION, SCRIPT, then FORMAT, PROBE and GLOBAL for each of them. The last ones contain
 * the values of the globals at the end.
 *
 * An item is a byte of enum stp_item and its fields:
 *   number   LEB128: 7 bits a byte, the least significant first, the highest bit set in all but the last byte
 *   signed   a number n as (n << 1) ^ (n >> 63)
 *   text     a number, the length, and as many bytes; they may be any
 */
#ifndef STP_RECORDS_H
#define STP_RECORDS_H

#define STP_STREAM_MAGIC 0x72716174u
#define STP_STREAM_VERSION 10
/* oldest version that readers accept; version 2 has no ARMED frames, 2 and 3 have no OPTION frames, 2 to 4 have no
 * lists of addresses, 2 to 5 no HOST items, 2 to 6 one flag per conversion, as its character,
 * 2 to 7 no FILE frames, 8 none of the kernel, of modules and of hosts, 2 to 9 no BUCKETS items */
#define STP_STREAM_OLDEST 2

enum stp_frame_kind {
	/* the first frame: struct stp_stream_start; text: release of the kernel; text: name of the host */
	STP_FRAME_START = 1,
	STP_FRAME_RECORD,          /* items */
	STP_FRAME_WARNING,         /* text */
	STP_FRAME_ERROR,           /* text */
	STP_FRAME_LOSS,            /* at the end: struct stp_frame_loss, then text: the reason */
	STP_FRAME_END,             /* struct stp_frame_end: the last frame of a complete stream */
	/* struct stp_frame_gap, then text: the losses since the last such frame, before the next record was written; losses
	 * of the whole session are frames of kind LOSS, too */
	STP_FRAME_GAP,
	STP_FRAME_ARMED,           /* no payload; a module sends it when all its probes are armed */
	/* a file that lines of call stacks in later records name: text: its path as in the lines, the name of a kernel module,
	 * or "kernel"; number: END of the lines "ADDRESS [PATH+OFFSET/END]", 0: lines "NAME+OFFSET/SIZE [PATH]"; text: the
	 * bytes of its build ID; signed: the difference between the addresses of its symbols and OFFSET; in the stream of
	 * --merge, text: the name of the host that has the file */
	STP_FRAME_FILE,
	/* text: how many hosts of --merge are connected, and the names of the others; only with --monitor, whose screen shows
	 * the last one */
	STP_FRAME_HOSTS,
};

struct stp_frame {                 /* native byte order; the payload follows without padding */
	unsigned int len;          /* length of the payload; at most STP_FRAME_MAX */
	unsigned int kind;
	unsigned long long seq;    /* sequence number of a record; 0 for other kinds */
};
#define STP_FRAME_MAX (1u << 20)

struct stp_stream_start {
	unsigned int magic, version;
};

struct stp_frame_loss {
	unsigned long long count;
};

struct stp_frame_gap {
	unsigned long long count;
	unsigned long long time_ns;     /* time at which the loss was noticed, since 1970 */
};

struct stp_frame_end {
	int status;                /* exit status of staprun or the user runtime */
	unsigned int errors;
};

/* The types of keys and values are those of enum stp_type and this one: a call stack as a list of addresses. */
#define STP_LIST_TYPE 4

enum stp_item {
	/* number: nanoseconds since 1970; number: CPU; number: 1 + index of the probe, 0: not a probe of the
	 * script */
	STP_ITEM_HEAD = 1,
	/* signed: the format's identifier; for each conversion, a width or precision of -2 (signed), then its argument:
	 * text for %s, else signed */
	STP_ITEM_PRINT,
	/* 4 bytes in native order: length; bytes: output without a format */
	STP_ITEM_TEXT,
	/* statistic: a printed histogram */
	STP_ITEM_HIST,
	/* number: nanoseconds since 1970; number: MAXSTRINGLEN; signed: HIST_ELISION; number: width of histograms;
	 * signed: target process */
	STP_ITEM_SESSION,
	/* signed: identifier; number: pieces; for each: byte conversion (0: none), byte flags, signed width,
	 * signed precision, text */
	STP_ITEM_FORMAT,
	/* number: 1 + index; text: resolved point; text: point as written; text: location in the script,
	 * FILE:LINE:COLUMN */
	STP_ITEM_PROBE,
	/* number: index; text: name; text: readable name or empty; byte: type of the value; number: keys; for
	 * each: byte type, also STP_LIST_TYPE */
	STP_ITEM_GLOBAL,
	/* text: the script, or a part of it; the parts are in order */
	STP_ITEM_SCRIPT,
	/* number: index of a global; its keys; its value: signed, text or statistic, by the types of GLOBAL;
	 * of STP_LIST_TYPE: two texts, addresses separated by spaces, and the names of the frames, each on a line */
	STP_ITEM_VALUE,
	/* number: 1 + index of a probe; number: its hits; numbers: nanoseconds of the shortest hit, of all hits,
	 * of the longest hit */
	STP_ITEM_COST,
	/* Only in the stream of a host of --merge. number: index of a global; its keys; the amount that the host
	 * has added to it since the last such item: signed; for statistics: number of 8-byte words in total,
	 * number of those that are not zero; for each of these: number, its index; signed; then number: identifier of
	 * the WORDS that it has in addition, 0: none */
	STP_ITEM_ADDED,
	/* as ADDED, with the value that replaces the element's, signed or text, instead of the amount */
	STP_ITEM_ASSIGNED,
	/* number: index; text: an option of the translation, or a part of it; the parts are in order */
	STP_ITEM_OPTION,
	/* Only in the stream of --merge. text: name of the host that has printed the text after it, up to the next such
	 * item or the end of the frame */
	STP_ITEM_HOST,
	/* number: identifier of a histogram; number of nonempty buckets in this item; for each: number, signed count. The
	 * statistic that names the identifier is in a later item of the same handler, maybe in another record; records of
	 * other handlers may be between them. */
	STP_ITEM_BUCKETS,
	/* Only in the stream of a host of --merge. number: identifier of a statistic; number of its words in this item; for
	 * each: number, its index; signed. The ADDED that names the identifier is in a later item, as for BUCKETS. */
	STP_ITEM_WORDS,
};

/*
 * A statistic: number ops (STP_COUNT and so on of generated.h); signed low, high, step; number of buckets; signed
 * count, sum, min, max; number of nonempty buckets; for each: number, signed count; text: readable name or empty;
 * text: unit of the values or empty; number: identifier of the items BUCKETS with the buckets, 0: they are here;
 * only if it is not 0: number: nonempty buckets in these items.
 */

#endif
