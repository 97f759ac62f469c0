// SPDX-License-Identifier: GPL-2.0-or-later
// The loop of the language server: reads messages from the client, starts a child process for each check and
// request, and sends their answers. Standard output is used only for the protocol; all other output goes to
// standard error.
#include "config.h"
#include "server/server.h"
#include "server/feature.h"
#include "util/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601, INTERNAL_ERROR = -32603,
	NOT_INITIALIZED = -32002, REQUEST_CANCELLED = -32800, REQUEST_FAILED = -32803,
	MAX_JOBS = 8,              // maximum number of children; further messages wait
	MAX_SCRIPT = 4 << 20,      // bytes
};

static struct {
	struct session *s;
	void (*choose_target)(struct session *s);
	struct message_input input;
	struct map documents;      // URI -> struct document; its text is NULL when it is closed
	VEC(struct job) jobs;
	int out;
	bool initialized, shut_down, ended, failed;
} server;

// ---------------------------------------------------------------- answers

static void post(struct json_object *message)
{
	json_with(message, "jsonrpc", json_object_new_string("2.0"));
	if (!message_write(server.out, message))
		server.ended = server.failed = true;
}

static void respond(struct json_object *id, struct json_object *result)
{
	post(json_with(json_with(json_object_new_object(), "id", json_object_get(id)), "result", result));
}

static void refuse(struct json_object *id, int code, const char *why)
{
	struct json_object *error = json_with(json_object_new_object(), "code", json_object_new_int(code));

	json_with(error, "message", json_string(why));
	post(json_with(json_with(json_object_new_object(), "id", json_object_get(id)), "error", error));
}

static void publish(const char *uri, int version, struct json_object *list)
{
	struct json_object *params = json_with(json_object_new_object(), "uri", json_string(uri));

	json_with(params, "version", json_object_new_int(version));
	json_with(params, "diagnostics", list);
	params = json_with(json_object_new_object(), "params", params);
	post(json_with(params, "method", json_object_new_string("textDocument/publishDiagnostics")));
}

// Reports a problem of the whole text.
static void publish_problem(const char *uri, int version, const char *text)
{
	struct json_object *o = json_with(json_object_new_object(), "range", text_range("", 0, 0, 0));
	struct json_object *list = json_object_new_array();

	json_with(o, "severity", json_object_new_int(2));
	json_with(o, "source", json_object_new_string("stap"));
	json_object_array_add(list, json_with(o, "message", json_string(text)));
	publish(uri, version, list);
}

// ---------------------------------------------------------------- jobs

static void remove_job(int i)
{
	job_end(&server.jobs.at[i]);
	if (server.jobs.at[i].id)
		json_object_put(server.jobs.at[i].id);
	server.jobs.at[i] = server.jobs.at[--server.jobs.n];
}

// Called when a child has ended: sends its answer.
static void finish(int i)
{
	struct job *job = &server.jobs.at[i];
	struct json_object *answer = json_tokener_parse(buf_text(&job->answer)), *result = json_member(answer, "result");
	const char *failure = json_text(answer, "error");
	bool complete = answer && !*failure, failed = *failure;

	if (!*failure)
		failure = "the work on this text crashed or took too long; please report this with the script";
	if (!job->id && complete)
		publish(job->uri, job->version, json_object_get(result));
	else if (!job->id)
		publish_problem(job->uri, job->version, failure);
	else if (complete)
		respond(job->id, json_object_get(result));
	else
		refuse(job->id, failed ? REQUEST_FAILED : INTERNAL_ERROR, failure);
	json_object_put(answer);
	remove_job(i);
}

static void read_job(int i)
{
	char bytes[65536];
	ssize_t n = read(server.jobs.at[i].fd, bytes, sizeof(bytes));

	if (n > 0)
		buf_add(&server.jobs.at[i].answer, bytes, n);
	else if (n == 0 || errno != EINTR)
		finish(i);
}

// Ends the check of a text that has changed.
static void end_check(const char *uri)
{
	for (int i = server.jobs.n - 1; i >= 0; i--)
		if (!server.jobs.at[i].id && !strcmp(server.jobs.at[i].uri, uri))
			remove_job(i);
}

static bool start(struct document *d, struct json_object *params, struct json_object *id, feature *run)
{
	struct session s = *server.s;
	struct request r = { .s = &s, .choose_target = server.choose_target, .doc = d, .params = params };
	struct job job = { .uri = d->uri, .version = d->version };

	r.offset = document_offset(d, json_member(params, "position"));
	if (!job_start(&job, &r, run))
		return false;
	job.id = json_object_get(id);
	vec_push(&server.jobs, job);
	return true;
}

static void start_check(struct document *d)
{
	end_check(d->uri);
	if (d->len > MAX_SCRIPT)
		publish_problem(d->uri, d->version, str_printf("the script is larger than %d MB", MAX_SCRIPT >> 20));
	else if (!start(d, NULL, NULL, check_run))
		publish_problem(d->uri, d->version, str_printf("cannot start a process for the check: %s", strerror(errno)));
}

// ---------------------------------------------------------------- notifications

static struct document *find_document(struct json_object *params)
{
	const char *uri = json_text(json_member(params, "textDocument"), "uri");
	struct document *d = map_get(&server.documents, uri);

	return d && d->text ? d : NULL;
}

static void did_open(struct json_object *params)
{
	struct json_object *item = json_member(params, "textDocument");
	struct document *d = map_get(&server.documents, json_text(item, "uri"));

	if (!d) {
		d = NEW(struct document);
		d->uri = str_dup(json_text(item, "uri"));
		d->path = uri_path(d->uri);
		map_put(&server.documents, d->uri, d);
	}
	d->text = str_dup(json_text(item, "text"));
	d->len = strlen(d->text);
	d->version = json_number(item, "version", 0);
	start_check(d);
}

static void did_change(struct json_object *params)
{
	struct document *d = find_document(params);

	if (!d)
		return;
	document_change(d, json_member(params, "contentChanges"));
	d->version += d->version < INT_MAX;
	d->version = json_number(json_member(params, "textDocument"), "version", d->version);
	start_check(d);
}

static void did_close(struct json_object *params)
{
	struct document *d = find_document(params);

	if (!d)
		return;
	end_check(d->uri);
	d->text = NULL;
	d->len = 0;
	publish(d->uri, d->version, json_object_new_array());
}

static void cancel(struct json_object *params)
{
	struct json_object *id = json_member(params, "id");

	for (int i = server.jobs.n - 1; id && i >= 0; i--)
		if (server.jobs.at[i].id && json_object_equal(server.jobs.at[i].id, id)) {
			refuse(id, REQUEST_CANCELLED, "the request was cancelled");
			remove_job(i);
		}
}

static void leave(struct json_object *params)
{
	server.ended = true;
}

static const struct notification {
	const char *method;
	void (*run)(struct json_object *params);
} notifications[] = {
	{ "textDocument/didOpen", did_open }, { "textDocument/didChange", did_change },
	{ "textDocument/didClose", did_close }, { "$/cancelRequest", cancel }, { "exit", leave },
};

// ---------------------------------------------------------------- requests

static const struct request_row {
	const char *method;
	feature *run;
} requests[] = {
	{ "textDocument/completion", completion_run }, { "textDocument/hover", hover_run },
	{ "textDocument/definition", definition_run }, { "textDocument/formatting", formatting_run },
	{ "textDocument/rename", rename_run }, { "textDocument/prepareRename", prepare_rename_run },
	{ "textDocument/semanticTokens/full", semantic_tokens_run }, { "textDocument/documentSymbol", symbols_run },
};

static struct json_object *completion_options(void)
{
	struct json_object *characters = json_object_new_array();

	for (const char *const *c = (const char *const []){ "$", ".", ">", "\"", "@", NULL }; *c; c++)
		json_object_array_add(characters, json_object_new_string(*c));
	return json_with(json_object_new_object(), "triggerCharacters", characters);
}

static struct json_object *capabilities(void)
{
	static const char *const providers[] = {
		"hoverProvider", "definitionProvider", "documentFormattingProvider", "documentSymbolProvider",
	};
	struct json_object *sync = json_object_new_object(), *o = json_object_new_object();
	struct json_object *rename = json_object_new_object(), *tokens = json_object_new_object();

	json_with(sync, "openClose", json_object_new_boolean(true));
	json_with(o, "textDocumentSync", json_with(sync, "change", json_object_new_int(2)));     // incremental
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		json_with(o, providers[i], json_object_new_boolean(true));
	json_with(o, "completionProvider", completion_options());
	json_with(o, "renameProvider", json_with(rename, "prepareProvider", json_object_new_boolean(true)));
	json_with(tokens, "legend", semantic_legend());
	json_with(o, "semanticTokensProvider", json_with(tokens, "full", json_object_new_boolean(true)));
	return o;
}

static void initialize(struct json_object *id)
{
	struct json_object *info = json_with(json_object_new_object(), "name", json_object_new_string("stap"));
	struct json_object *o = json_with(json_object_new_object(), "capabilities", capabilities());

	json_with(info, "version", json_object_new_string(PACKAGE_VERSION));
	respond(id, json_with(o, "serverInfo", info));
	server.initialized = true;
}

static void answer(const char *method, struct json_object *params, struct json_object *id)
{
	const struct request_row *row = requests;
	struct document *d = find_document(params);

	while (row < END(requests) && strcmp(row->method, method))
		row++;
	if (row == END(requests))
		refuse(id, METHOD_NOT_FOUND, str_printf("unknown method \"%s\"", method));
	else if (!d)
		refuse(id, INVALID_REQUEST, "the request is for a text that is not open");
	else if (d->len > MAX_SCRIPT || !start(d, params, id, row->run))
		refuse(id, INTERNAL_ERROR, "cannot start a process, or the text is too large");
}

static void handle_request(const char *method, struct json_object *params, struct json_object *id)
{
	if (server.shut_down)
		refuse(id, INVALID_REQUEST, "the server was shut down");
	else if (!strcmp(method, "initialize") && !server.initialized)
		initialize(id);
	else if (!server.initialized)
		refuse(id, NOT_INITIALIZED, "the first request is not \"initialize\"");
	else if (!strcmp(method, "initialize"))
		refuse(id, INVALID_REQUEST, "the server is initialized already");
	else if (!strcmp(method, "shutdown"))
		server.shut_down = true, respond(id, NULL);
	else
		answer(method, params, id);
}

static void handle(struct json_object *message)
{
	struct json_object *params = json_member(message, "params"), *id = json_member(message, "id");
	const char *method = json_text(message, "method");
	bool is_answer = json_member(message, "result") || json_member(message, "error");

	if (id && !json_object_is_type(id, json_type_int) && !json_object_is_type(id, json_type_string))
		refuse(NULL, INVALID_REQUEST, "the id of the request is neither a number nor a string");
	else if (id && *method)
		handle_request(method, params, id);
	else if (!*method && !is_answer)
		refuse(id, INVALID_REQUEST, "the message has no method");
	for (const struct notification *n = notifications; !id && n < END(notifications); n++)
		if (!strcmp(n->method, method) && (server.initialized || n->run == leave))
			n->run(params);
}

// ---------------------------------------------------------------- the loop

// Handles complete messages; further messages wait while the maximum number of children runs.
static void handle_messages(void)
{
	while (!server.ended && server.jobs.n < MAX_JOBS) {
		struct json_object *message;
		const char *why;

		switch (message_next(&server.input, &message, &why)) {
		case MESSAGE_NONE: return;
		case MESSAGE_DAMAGED: refuse(NULL, PARSE_ERROR, why); break;
		case MESSAGE_READ:
			handle(message);
			json_object_put(message);
		}
	}
}

static void read_client(void)
{
	char bytes[65536];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (n > 0)
		message_add(&server.input, bytes, n);
	else if (n == 0 || errno != EINTR)
		server.ended = true;
}

// Waits for the client and the children.
static void wait_for_input(void)
{
	struct pollfd fds[MAX_JOBS + 1] = { { STDIN_FILENO, POLLIN, 0 } };
	int n = server.jobs.n;

	for (int i = 0; i < n; i++)
		fds[i + 1] = (struct pollfd){ server.jobs.at[i].fd, POLLIN, 0 };
	if (n == MAX_JOBS)
		fds[0].fd = -1;
	if (poll(fds, n + 1, -1) < 0)
		return;
	for (int i = n - 1; i >= 0; i--)       // backwards, since finish() replaces an entry by the last one
		if (fds[i + 1].revents)
			read_job(i);
	if (fds[0].revents)
		read_client();
}

int server_run(struct session *s, void (*choose_target)(struct session *s))
{
	server.s = s;
	server.choose_target = choose_target;
	server.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (server.out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		die("cannot use standard output: %s", strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	progress_off();
	while (!server.ended) {
		handle_messages();
		if (!server.ended)
			wait_for_input();
	}
	while (server.jobs.n)
		remove_job(0);
	return server.shut_down && !server.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
