// SPDX-License-Identifier: GPL-2.0-or-later
// --hosts=FILE -> hosts of --remote. A line of the file is [USER@]HOST[:PORT]; or it is an inventory of Ansible in
// its INI form: [group] lines, "web[01:20]" for several hosts, and variables after a host, of which ansible_host,
// ansible_user and ansible_port are used. The file may be foreign: names have only letters, digits, ".", "_" and "-",
// and begin with a letter or digit, so that none can be an option or a command of ssh; variables that would change how
// a host is reached are refused, since ssh has a configuration for that.
#include "run/remote.h"
#include "util/diag.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { HOSTS_MAX = 10000, FILE_MAX = 4 << 20 };

struct reading { const char *path; int line; name_list *hosts; };

static void PRINTF_LIKE(2, 3) __attribute__((noreturn)) refuse(const struct reading *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	die("--hosts=%s, line %d: %s", r->path, r->line, str_vprintf(fmt, ap));
}

static bool is_name(const char *text)
{
	if (!isalnum((unsigned char)*text))
		return false;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return strlen(text) < 256;
}

static const char *shown(const char *text)
{
	return str_escape(text, strnlen(text, 80));
}

static void check_port(const struct reading *r, const char *port)
{
	int64_t n;

	if (!str_number(port, 1, 65535, &n))
		refuse(r, "\"%s\" is not a port from 1 to 65535", shown(port));
}

static void add_host(const struct reading *r, const char *user, const char *host, const char *port)
{
	if (user && !is_name(user))
		refuse(r, "invalid user name \"%s\"; it may have letters, digits, \".\", \"_\" and \"-\"", shown(user));
	if (!is_name(host))
		refuse(r, "invalid host name \"%s\"; it may have letters, digits, \".\", \"_\" and \"-\", as in [USER@]HOST[:PORT]",
		       shown(host));
	if (port)
		check_port(r, port);
	if (r->hosts->n == HOSTS_MAX)
		refuse(r, "there are more than %d hosts", HOSTS_MAX);
	vec_push(r->hosts, (const char *)str_printf("%s%s%s%s%s", user ? user : "", user ? "@" : "", host, port ? ":" : "",
						    port ? port : ""));
}

// The variables of a line that are used.
struct variables { const char *host, *user, *port; };

static void parse_variable(const struct reading *r, const char *word, struct variables *v)
{
	const char *equals = strchr(word, '='), *name, *value;
	static const char *names[] = { "ansible_python_interpreter", "ansible_become", "ansible_become_user" };
	const name_list ignored = { names, ARRAY_SIZE(names) };

	if (!equals || equals == word)
		refuse(r, "\"%s\" is not a variable NAME=VALUE; a line has one host", shown(word));
	name = str_ndup(word, (size_t)(equals - word));
	value = equals + 1;
	if (!strcmp(name, "ansible_host") || !strcmp(name, "ansible_ssh_host"))
		v->host = value;
	else if (!strcmp(name, "ansible_user") || !strcmp(name, "ansible_ssh_user"))
		v->user = value;
	else if (!strcmp(name, "ansible_port") || !strcmp(name, "ansible_ssh_port"))
		v->port = value;
	else if (str_starts(name, "ansible_") && !str_in_list(&ignored, name))
		refuse(r, "the variable %s is not supported; set how the host is reached in ssh's configuration (~/.ssh/config)",
		       shown(name));
}

// Adds "web01" ... "web20" for "web[01:20]"; the numbers have the width of the first.
static void add_range(const struct reading *r, const struct variables *v, const char *host, const char *open)
{
	const char *colon = strchr(open, ':'), *close = strchr(open, ']'), *from, *to;
	int64_t first, last;

	if (!close || !colon || colon > close || strchr(close, '['))
		refuse(r, "\"%s\" is not a range such as web[01:20]", shown(host));
	from = str_ndup(open + 1, (size_t)(colon - open - 1));
	to = str_ndup(colon + 1, (size_t)(close - colon - 1));
	if (strlen(from) > 9 || !str_number(from, 0, 999999999, &first) || !str_number(to, first, first + HOSTS_MAX, &last))
		refuse(r, "\"%s\" is not a range of at most %d hosts", shown(host), HOSTS_MAX);
	if (v->host)
		refuse(r, "ansible_host cannot be used with a range of hosts");
	for (int64_t n = first; n <= last; n++)
		add_host(r, v->user, str_printf("%.*s%0*lld%s", (int)(open - host), host, (int)strlen(from), (long long)n, close + 1),
			 v->port);
}

// line = [user "@"] host [":" port] {variable}
static void parse_host(const struct reading *r, char *line)
{
	char *save = NULL, *word = strtok_r(line, " \t", &save), *open = strchr(word, '['), *at, *colon;
	struct variables v = { 0 };

	for (char *more; (more = strtok_r(NULL, " \t", &save));) {
		if (*more == '#')
			break;
		parse_variable(r, more, &v);
	}
	if (open) {
		add_range(r, &v, word, open);
		return;
	}
	at = strchr(word, '@');
	if (at) {
		*at = '\0';
		v.user = v.user ? v.user : word;
		word = at + 1;
	}
	colon = strchr(word, ':');
	if (colon) {
		*colon = '\0';
		v.port = v.port ? v.port : colon + 1;
	}
	if (!is_name(word))            // checked also if ansible_host replaces the name
		refuse(r, "invalid host name \"%s\"; it may have letters, digits, \".\", \"_\" and \"-\", as in [USER@]HOST[:PORT]",
		       shown(word));
	add_host(r, v.user, v.host ? v.host : word, v.port);
}

// [group] is followed by hosts; [group:vars] by variables, and [group:children] by names of groups of this file.
static bool begins_hosts(const struct reading *r, const char *line)
{
	const char *close = strchr(line, ']');

	if (!close || close[1])
		refuse(r, "\"%s\" is not a group such as [web]", shown(line));
	return !str_ends(line, ":vars]") && !str_ends(line, ":children]");
}

static char *trimmed(char *line)
{
	size_t n;

	line += strspn(line, " \t");
	for (n = strlen(line); n && strchr(" \t\r", line[n - 1]); n--)
		line[n - 1] = '\0';
	return line;
}

void hosts_read(const char *path, name_list *hosts)
{
	struct reading r = { .path = path, .hosts = hosts };
	bool are_hosts = true;
	size_t len;
	char *text = str_read_start(path, FILE_MAX, &len), *next;

	if (!text)
		die("--hosts=%s cannot be read: %s", path, strerror(errno));
	if (len >= FILE_MAX || strlen(text) != len)
		die("--hosts=%s is not a list of hosts: it has %s", path, len >= FILE_MAX ? "more than 4 MB" : "a zero byte");
	for (char *line = text; line; line = next) {
		struct variables unused = { 0 };

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		r.line++;
		line = trimmed(line);
		if (!*line || *line == '#' || *line == ';')
			continue;
		if (*line == '[')
			are_hosts = begins_hosts(&r, line);
		else if (are_hosts)
			parse_host(&r, line);
		else if (strchr(line, '='))
			parse_variable(&r, line, &unused);
		if (unused.host || unused.user || unused.port)
			refuse(&r, "variables of groups are not supported; write them after each host");
	}
	if (!hosts->n)
		die("--hosts=%s has no host", path);
}
