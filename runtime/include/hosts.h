/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --merge: the protocol between stap, which is connected to the hosts, and the program with the probes that run
 * once (runtime/merge). The program reads a struct stp_hosts from descriptor STP_HOSTS_IN, then chunks of the
 * hosts' streams of records.h, each in order; the end of the file means that all hosts have ended. It writes
 * struct stp_hosts_notice to STP_HOSTS_OUT.
 */
#ifndef STP_HOSTS_H
#define STP_HOSTS_H

enum { STP_HOSTS_IN = 3, STP_HOSTS_OUT = 4 };

#define STP_HOSTS_STATUS 0xfffffffdu   /* number of a chunk whose bytes are an int: the exit status of stap */
#define STP_HOSTS_WARNING 0xfffffffeu  /* number of a chunk whose bytes are the text of a frame WARNING */
#define STP_HOSTS_STATE 0xffffffffu    /* number of a chunk whose bytes are the text of a frame HOSTS (records.h) */

struct stp_hosts {
	unsigned int n;
	unsigned int prefix;       /* lines that hosts print begin with the number of the host */
	unsigned int all;          /* the session ends when all hosts have ended; otherwise when the first has */
};

struct stp_hosts_chunk {           /* native byte order; the bytes follow */
	unsigned int host;         /* from 0, or STP_HOSTS_STATE, STP_HOSTS_WARNING, STP_HOSTS_STATUS */
	unsigned int len;          /* at most STP_HOSTS_CHUNK_MAX; 0: this host has ended */
};
enum stp_hosts_notice_kind {
	STP_HOSTS_ARMED = 1,       /* the probes of a host are armed */
	STP_HOSTS_STOP,            /* the hosts should end */
};

struct stp_hosts_notice {          /* native byte order; smaller than PIPE_BUF, so that write() writes all of it */
	unsigned int kind;
	unsigned int host;         /* number of the host, from 0; STOP: 0 */
};

#define STP_HOSTS_CHUNK_MAX (1u << 16)

#endif
