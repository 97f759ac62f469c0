// SPDX-License-Identifier: GPL-2.0-or-later
// Options that select the kernel for which a module is built, its files, and the hosts that run it -> struct
// options.
#include "driver/options.h"
#include "run/remote.h"
#include "target/kernel.h"
#include "util/root.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void options_set_release(struct options *o, const char *arg)
{
	if (*arg == '/')
		o->build_tree = arg;
	else
		vec_push(&o->releases, (o->release = arg));
}

// Accepts the name of the machine that kbuild or uname uses.
void options_set_arch(struct options *o, const char *arg)
{
	o->arch = kernel_arch(arg);
	if (!o->arch)
		options_misused("-a takes x86_64 or arm64, not \"%s\"", arg);
}

// Checked first, since access() of a file that is not executable fails with "permission denied".
void options_need_directory(const char *option, const char *path, int mode)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (access(path, mode) == 0)
		return;
	options_misused("%s%s: %s", option, path, strerror(errno));
}

// Reading a device or a FIFO may never end.
static void need_file(const char *option, const char *path)
{
	struct stat st;

	if (access(path, R_OK) < 0 || stat(path, &st) < 0)
		options_misused("%s=%s: %s", option, path, strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		options_misused("%s=%s is neither a file nor a directory", option, path);
}

void options_add_headers(struct options *o, const char *arg)
{
	need_file("--headers", arg);
	vec_push(&o->headers, arg);
}

void options_set_image(struct options *o, const char *arg)
{
	if (o->image)
		options_misused("--image can be given once: a module is for one kernel");
	need_file("--image", arg);
	o->image = arg;
}

void options_set_sysroot(struct options *o, const char *arg)
{
	const char *why = root_set(arg);

	if (why)
		options_misused("--sysroot=%s: %s", arg, why);
}

void options_add_sysenv(struct options *o, const char *arg)
{
	if (!root_set_variable(arg))
		options_misused("--sysenv takes NAME=VALUE, not \"%s\"", arg);
}

void options_set_sign_module(struct options *o, const char *arg)
{
	o->sign_module = arg ? arg : "";
}

void options_set_export(struct options *o, const char *arg)
{
	const char *colon = strrchr(arg, ':');
	int64_t port;

	if (!str_starts(arg, "otlp:http://") && !str_starts(arg, "otlp:https://") &&
	    (!str_starts(arg, "prometheus:") || !str_number(colon + 1, 1, 65535, &port)))
		options_misused("--export takes prometheus:[ADDR:]PORT or otlp:URL, with a URL as "
				"http://127.0.0.1:4318/v1/metrics, not \"%s\"", arg);
	o->export = arg;
}

// The probe that prints all metrics has more statements than others; MAXHANDLERTIME still limits its time.
void options_export_limits(struct options *o)
{
	for vec_each(&o->defines, d)
		if (!strcmp(d->name, "MAXACTION"))
			return;
	vec_push(&o->defines, ((struct limit){ "MAXACTION", "30000" }));
}

void options_set_bundle(struct options *o, const char *arg)
{
	if (!*arg)
		options_misused("--bundle takes the name of a file");
	o->bundle = arg;
}

void options_set_sign_bundle(struct options *o, const char *arg)
{
	o->sign_bundle = arg;
}

void options_add_remote(struct options *o, const char *arg)
{
	struct remote r = { .url = arg, .number = o->remotes_all++ };

	remote_check(arg);
	vec_push(&o->remotes, r);
}

void options_set_min_hosts(struct options *o, const char *arg)
{
	int64_t n;

	if (!str_number(arg, 1, 10000, &n))
		options_misused("--min-hosts takes a number of hosts from 1 to 10000, not \"%s\"", arg);
	o->min_hosts = (int)n;
}

void options_set_hosts_timeout(struct options *o, const char *arg)
{
	if (!str_real(arg, 0.001, 86400, &o->hosts_timeout_s))
		options_misused("--timeout takes seconds from 0.001 to 86400, not \"%s\"; -T limits the time of the script", arg);
}

void options_add_hosts(struct options *o, const char *arg)
{
	name_list hosts = { 0 }, gateways = { 0 };

	hosts_read(arg, &hosts);
	if (*arg == '@')
		routes_find(arg, &hosts, &gateways);
	for (int i = 0; i < hosts.n; i++) {
		options_add_remote(o, hosts.at[i]);
		o->remotes.at[o->remotes.n - 1].gateways = i < gateways.n ? gateways.at[i] : NULL;
	}
}
