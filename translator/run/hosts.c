// SPDX-License-Identifier: GPL-2.0-or-later
// --hosts=FILE -> hosts of --remote. A line of the file is [USER@]HOST[:PORT]; or it is an inventory of Ansible. In its
// INI form this is [group] lines, "web[01:20]" for several hosts, and variables after a host, of which ansible_host,
// ansible_user and ansible_port are used; in its YAML form, the same names as keys below "hosts:". --hosts=@GROUP: the
// lines that nodeset of ClusterShell prints; --hosts=@slurm in an allocation of Slurm: its nodes.
// A host is used once, however many groups it is in, since --merge would count its events several times.
// The file may be foreign: names have only letters, digits, ".", "_" and "-", and begin with a letter or digit, or are
// IPv6 addresses, so that none can be an option or a command of ssh; variables that would change how a host is reached
// are refused, since ssh has a configuration for that.
#include "run/remote.h"
#include "util/diag.h"
#include "util/map.h"
#include "util/spawn.h"
#include "util/str.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS_MAX = 10000, FILE_MAX = 4 << 20 };

// A host of the file, and how it is reached.
struct entry { const char *name, *host, *user, *port; };

struct reading { const char *path; int line; VEC(struct entry *) entries; struct map by_name; };

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

static bool is_address(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET6, text, &address) == 1;
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

static void check_host(const struct reading *r, const char *host)
{
	if (!is_name(host) && !is_address(host))
		refuse(r, "invalid host name \"%s\"; it may have letters, digits, \".\", \"_\" and \"-\", as in [USER@]HOST[:PORT]",
		       shown(host));
}

// Adds a host, or what another line says of it. NULL: not said.
static void add_host(struct reading *r, const char *name, const char *host, const char *user, const char *port)
{
	struct entry *e = map_get(&r->by_name, name);

	check_host(r, name);           // also if ansible_host replaces it
	if (host)
		check_host(r, host);
	if (user && !is_name(user))
		refuse(r, "invalid user name \"%s\"; it may have letters, digits, \".\", \"_\" and \"-\"", shown(user));
	if (port)
		check_port(r, port);
	if (!e) {
		if (r->entries.n == HOSTS_MAX)
			refuse(r, "there are more than %d hosts", HOSTS_MAX);
		e = NEW(struct entry);
		e->name = name;
		vec_push(&r->entries, e);
		map_put(&r->by_name, name, e);
	}
	e->host = host ? host : e->host;
	e->user = user ? user : e->user;
	e->port = port ? port : e->port;
}

static char *url_of(const struct entry *e)
{
	const char *host = e->host ? e->host : e->name;
	bool in_brackets = strchr(host, ':') != NULL;

	return str_printf("%s%s%s%s%s%s%s", e->user ? e->user : "", e->user ? "@" : "", in_brackets ? "[" : "", host,
			  in_brackets ? "]" : "", e->port ? ":" : "", e->port ? e->port : "");
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
static void add_range(struct reading *r, const struct variables *v, const char *host, const char *open)
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
		add_host(r, str_printf("%.*s%0*lld%s", (int)(open - host), host, (int)strlen(from), (long long)n, close + 1),
			 NULL, v->user, v->port);
}

// Splits "HOST:PORT", "[ADDRESS]:PORT" or "ADDRESS". Returns the port or NULL.
static char *split_port(char **host)
{
	char *close = **host == '[' ? strchr(*host, ']') : NULL, *colon;

	if (close && is_address(str_ndup(*host + 1, (size_t)(close - *host - 1)))) {
		*close = '\0';
		++*host;
		return close[1] == ':' ? close + 2 : close[1] ? close + 1 : NULL;
	}
	colon = strchr(*host, ':');
	if (!colon || strchr(colon + 1, ':'))
		return NULL;
	*colon = '\0';
	return colon + 1;
}

// word = [user "@"] host [":" port]
static void add_word(struct reading *r, char *word, struct variables v)
{
	char *at = strchr(word, '@'), *open, *port;

	if (at) {
		*at = '\0';
		v.user = v.user ? v.user : word;
		word = at + 1;
	}
	open = strchr(word, '[');
	if (open && open > word) {
		add_range(r, &v, word, open);
		return;
	}
	port = split_port(&word);
	add_host(r, str_dup(word), v.host, v.user, v.port ? v.port : port);
}

// line = word {variable}
static void parse_host(struct reading *r, char *line)
{
	char *save = NULL, *word = strtok_r(line, " \t", &save);
	struct variables v = { 0 };

	for (char *more; (more = strtok_r(NULL, " \t", &save));) {
		if (*more == '#')
			break;
		parse_variable(r, more, &v);
	}
	add_word(r, word, v);
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

static void refuse_of_group(const struct reading *r, const struct variables *v)
{
	if (v->host || v->user || v->port)
		refuse(r, "variables of groups are not supported; write them after each host");
}

static void read_lines(struct reading *r, char *text)
{
	bool are_hosts = true;

	for (char *line = text, *next; line; line = next) {
		struct variables unused = { 0 };
		char *close;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		r->line++;
		line = trimmed(line);
		if (!*line || *line == '#' || *line == ';')
			continue;
		close = *line == '[' ? strchr(line, ']') : NULL;
		if (*line == '[' && !(close && is_address(str_ndup(line + 1, (size_t)(close - line - 1)))))
			are_hosts = begins_hosts(r, line);
		else if (are_hosts)
			parse_host(r, line);
		else if (strchr(line, '='))
			parse_variable(r, line, &unused);
		refuse_of_group(r, &unused);
	}
}

// ---------------------------------------------------------------- YAML

enum { DEPTH_MAX = 32 };

// The keys that a line is below, with their indentation. is_variable: what is below it is the value of a variable.
struct keys { struct { int indent; const char *name; bool is_variable; } at[DEPTH_MAX]; int n; };

static bool is_below(const struct keys *k, int up, const char *name)
{
	return k->n >= up && !strcmp(k->at[k->n - up].name, name);
}

// Returns whether the keys are variables: those below a host, or below "vars:" of a group.
static bool are_variables(const struct keys *k)
{
	return is_below(k, 2, "hosts") || is_below(k, 1, "vars");
}

static char *unquoted(char *text)
{
	size_t len = strlen(text);

	if (len > 1 && (*text == '"' || *text == '\'') && text[len - 1] == *text) {
		text[len - 1] = '\0';
		return text + 1;
	}
	return text;
}

// A key below "hosts:" is a host. Other keys are groups, if they are not variables.
static void read_key(struct reading *r, const struct keys *k, const char *key, const char *value)
{
	struct variables v = { 0 };

	if (!are_variables(k) && *value)
		refuse(r, "\"%s\" has a value on its line; only keys on lines of their own are supported, as ansible-inventory "
			  "--list --yaml prints them", shown(key));
	if (is_below(k, 1, "hosts"))
		add_word(r, str_dup(key), v);
	if (!are_variables(k))
		return;
	parse_variable(r, str_printf("%s=%s", key, value), &v);
	if (is_below(k, 1, "vars"))
		refuse_of_group(r, &v);
	else
		add_word(r, str_dup(k->at[k->n - 1].name), v);
}

// line: without indentation and comment.
static void read_yaml_line(struct reading *r, struct keys *k, char *line, int indent)
{
	char *colon = strstr(line, ": ");

	while (k->n && k->at[k->n - 1].indent >= indent)
		k->n--;
	if (k->n && k->at[k->n - 1].is_variable)
		return;
	colon = colon ? colon : str_ends(line, ":") ? line + strlen(line) - 1 : NULL;
	if (!colon && are_variables(k))
		return;                        // an element of a list
	if (!colon || k->n == DEPTH_MAX)
		refuse(r, "\"%s\" is not a key of an inventory in YAML", shown(line));
	*colon = '\0';
	line = unquoted(trimmed(line));
	read_key(r, k, line, unquoted(trimmed(colon + 1)));
	k->at[k->n].indent = indent;
	k->at[k->n].is_variable = are_variables(k);
	k->at[k->n++].name = line;
}

static void read_yaml(struct reading *r, char *text)
{
	struct keys k = { 0 };

	for (char *line = text, *next, *comment; line; line = next) {
		int indent = (int)strspn(line, " ");

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		r->line++;
		comment = strstr(line, " #");
		if (comment)
			*comment = '\0';
		line = trimmed(line);
		if (*line && *line != '#' && strcmp(line, "---"))
			read_yaml_line(r, &k, line, indent);
	}
}

// The first line of an inventory in YAML is "---" or a key.
static bool is_yaml(const char *text)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const char *line = trimmed(str_ndup(text, strcspn(text, "\n")));

		if (*line && *line != '#')
			return !strcmp(line, "---") || (str_ends(line, ":") && *line != '[');
	}
	return false;
}

// ---------------------------------------------------------------- the sources

static char *read_group(const char *group)
{
	const char *argv[] = { "nodeset", "-e", "-S", "\n", "--", group, NULL };
	struct spawn run = { .argv = argv, .capture = true };
	int status = spawn_run(&run);

	if (status == 127)
		die("--hosts=%s requires the program nodeset of the package clustershell; a file is --hosts=./%s", group, group);
	if (status)
		die("--hosts=%s: nodeset of ClusterShell failed: %s", group, shown(trimmed(run.output)));
	return run.output;
}

// @slurm in an allocation: its nodes. Elsewhere it is a group of ClusterShell.
static bool is_allocation(const char *path)
{
	return !strcmp(path, "@slurm") && getenv("SLURM_JOB_ID");
}

static char *read_allocation(const char *path)
{
	const char *argv[] = { "scontrol", "show", "hostnames", NULL };
	struct spawn run = { .argv = argv, .capture = true };
	int status = spawn_run(&run);

	if (status)
		die("--hosts=%s: scontrol of Slurm %s: %s", path, status == 127 ? "is not installed" : "failed",
		    shown(trimmed(run.output)));
	return run.output;
}

static char *read_file(const char *path)
{
	size_t len;
	char *text = str_read_start(path, FILE_MAX, &len);

	if (!text)
		die("--hosts=%s cannot be read: %s", path, strerror(errno));
	if (len >= FILE_MAX || strlen(text) != len)
		die("--hosts=%s is not a list of hosts: it has %s", path, len >= FILE_MAX ? "more than 4 MB" : "a zero byte");
	return text + (str_starts(text, "\xef\xbb\xbf") ? 3 : 0);      // the mark of byte order
}

void hosts_read(const char *path, name_list *hosts)
{
	struct reading r = { .path = path };
	bool of_slurm = is_allocation(path);
	char *text = of_slurm ? read_allocation(path) : *path == '@' ? read_group(path) : read_file(path);

	if (is_yaml(text))
		read_yaml(&r, text);
	else
		read_lines(&r, text);
	if (!r.entries.n)
		die("--hosts=%s has no host", path);
	for vec_each(&r.entries, e) {
		const char *url = of_slurm ? str_printf("srun://%s", url_of(*e)) : url_of(*e);

		if (!str_in_list(hosts, url))
			vec_push(hosts, url);
	}
}
