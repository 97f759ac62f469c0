// SPDX-License-Identifier: GPL-2.0-or-later
// Work on a text, in a child process: an error that ends the translator, a crash or an endless loop ends only the
// child. Each child begins with the state of the server, so that no state remains from earlier work.
#ifndef JOB_H
#define JOB_H

#include "server/document.h"
#include "session/session.h"

#include <sys/types.h>

struct request {
	struct session *s;         // session of this child
	void (*choose_target)(struct session *s);
	struct document *doc;
	struct json_object *params;
	size_t offset;             // offset of params.position in the text
};

// Returns the result of a request, or NULL for JSON's null. Runs in the child.
typedef struct json_object *feature(struct request *r);

struct job {
	pid_t pid;
	int fd;                    // descriptor from which the child's answer is read
	struct buf answer;
	struct json_object *id;    // ID of the request; NULL: a check
	const char *uri;
	int version;               // version of the text
	const char *tmp_dir;
};

// Starts the work. Returns false if the system cannot create a process.
bool job_start(struct job *job, struct request *r, feature *run);
// Ends the child and closes the descriptor.
void job_end(struct job *job);
// Called by a child: writes the result and ends.
void job_answer(struct json_object *result) __attribute__((noreturn));

#endif
