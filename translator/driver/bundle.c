// SPDX-License-Identifier: GPL-2.0-or-later
// --bundle=FILE: one tar file with the script, built for each -r, and as BPF programs if possible. Its format is
// described in staprun/bundle.c, which reads it. The same inputs give the same bytes: members are in the order of
// the command line, and have no times, owners or paths of this host.
#include "driver/bundle.h"
#include "cache/cache_file.h"
#include "config.h"
#include "elab/module_data.h"
#include "module/module.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"
#include "util/sha256.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

struct part {                      // the part of the bundle that one process builds
	const char *release;       // release, as given; NULL: the BPF program
	// result: a file in memory that bundle_put() writes; messages: another such file, with messages of the BPF
	// program's build
	int pid, result, messages;
};

static struct part own;            // the part that this process builds, if it is one that builds

// ---------------------------------------------------------------- a process that builds

static const char *hex(const unsigned char *bytes, size_t len)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < len; i++)
		buf_printf(&b, "%02x", bytes[i]);
	return buf_text(&b);
}

static void put(const void *bytes, size_t len)
{
	if (write(own.result, bytes, len) != (ssize_t)len)
		die("--bundle: cannot store the module: %s", strerror(errno));
}

// Writes a line "ARCH RELEASE BUILDID", then the module, to the result.
void bundle_put(struct session *s)
{
	const struct module_data *d = s->module_data;
	const char *line;
	size_t len;
	char *bytes = str_read_file(s->module_path, &len);

	if (!bytes)
		die("cannot read %s: %s", s->module_path, strerror(errno));
	line = s->opt.bpf_runtime ? str_printf("%s - -\n", s->kernel->arch) :
		str_printf("%s %s %s\n", s->kernel->arch, s->kernel->release,
			   d->kernel_id_len ? hex(d->kernel_id, (size_t)d->kernel_id_len) : "-");
	put(line, strlen(line));
	put(bytes, len);
}

static void become(struct options *o, const struct part *p)
{
	own = *p;
	o->release = p->release ? p->release : o->releases.at[0];
	o->bpf_runtime = !p->release;
	o->last_pass = 4;
	if (p->messages >= 0)
		dup2(p->messages, STDERR_FILENO);
}

static int file_in_memory(void)
{
	int fd = memfd_create("bundle", MFD_CLOEXEC);

	if (fd < 0)
		die("--bundle: %s", strerror(errno));
	return fd;
}

// ---------------------------------------------------------------- the manifest

struct bundle { struct archive *a; struct buf manifest; int modules; };
struct member { const char *name; const char *bytes; size_t len; };

static const char *sum(const char *bytes, size_t len)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx c;

	sha256_init(&c);
	sha256_update(&c, len, (const uint8_t *)bytes);
	sha256_finish(&c, digest);
	return hex(digest, sizeof(digest));
}

static void add_fact(struct buf *b, const char *key, const char *value)
{
	buf_printf(b, "%s %s\n", key, str_escape(value, strlen(value)));
}

// Adds options that change the behaviour of the modules.
static void add_options(struct buf *b, const struct options *o)
{
	static const char *const levels[] = { "stapdev", "stapsys", "stapusr" };

	add_fact(b, "version", PACKAGE_VERSION);
	if (o->guru)
		add_fact(b, "option", "-g");
	if (o->privilege_given)
		add_fact(b, "option", str_printf("--privilege=%s", levels[o->privilege]));
	for vec_each(&o->defines, d)
		add_fact(b, "option", str_printf("-D%s=%s", d->name, d->value));
	if (o->timeout_s > 0)
		add_fact(b, "option", str_printf("-T%g", o->timeout_s));
	for vec_each(&o->args, arg)
		add_fact(b, "argument", *arg);
}

static char *read_script(const struct options *o)
{
	char *text = o->script_text ? str_dup(o->script_text) : str_read_file(o->script_file, NULL);

	if (!text)
		die("cannot read the script %s: %s", o->script_file, strerror(errno));
	for vec_each(&o->extra_scripts, extra)
		text = str_printf("%s\n%s", text, *extra);
	return text;
}

// ---------------------------------------------------------------- the file

static const char *signature(const struct options *o, const struct buf *manifest, size_t *len)
{
	EVP_PKEY *key = sign_read_key("--sign-bundle", o->sign_bundle);
	bool own_digest = EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448");
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	static unsigned char to[8192];

	*len = sizeof(to);
	if (!ctx || EVP_DigestSignInit(ctx, NULL, own_digest ? NULL : EVP_sha256(), NULL, key) != 1 ||
	    EVP_DigestSign(ctx, to, len, (const unsigned char *)manifest->text, manifest->len) != 1)
		die("--sign-bundle: the key %s cannot sign; use an RSA, ECDSA or Ed25519 key", o->sign_bundle);
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
	return (const char *)to;
}

static void write_member(struct archive *a, const struct member *m)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, m->name);
	archive_entry_set_size(e, (la_int64_t)m->len);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	if (archive_write_header(a, e) != ARCHIVE_OK || archive_write_data(a, m->bytes, m->len) != (la_ssize_t)m->len)
		die("--bundle: cannot write %s: %s", m->name, archive_error_string(a));
	archive_entry_free(e);
}

static la_ssize_t collect(struct archive *a, void *to, const void *bytes, size_t len)
{
	buf_add(to, bytes, len);
	return (la_ssize_t)len;
}

static void write_file(const struct options *o, const struct member *members, int n)
{
	struct archive *a = archive_write_new();
	struct buf file = { 0 };
	int err;

	archive_write_set_format_ustar(a);
	archive_write_set_bytes_per_block(a, 512);
	archive_write_set_bytes_in_last_block(a, 1);
	if (archive_write_open(a, &file, NULL, collect, NULL) != ARCHIVE_OK)
		die("--bundle: %s", archive_error_string(a));
	for (int i = 0; i < n; i++)
		write_member(a, &members[i]);
	if (archive_write_close(a) != ARCHIVE_OK)
		die("--bundle: %s", archive_error_string(a));
	archive_write_free(a);
	err = cache_file_save(o->bundle, file.text, file.len, 0644);
	if (err)
		die("--bundle=%s cannot be written: %s", o->bundle, strerror(-err));
}

// Adds the result of a process to members and manifest. Returns false if the process has no result.
static bool add_part(const struct part *p, struct member *m, struct buf *manifest)
{
	size_t len;
	char *bytes = str_read_file(str_printf("/proc/self/fd/%d", p->result), &len), *line = bytes;
	char *newline = bytes ? memchr(bytes, '\n', len) : NULL, *space;

	if (!newline)
		return false;
	*newline = '\0';
	m->bytes = newline + 1;
	m->len = len - (size_t)(newline + 1 - bytes);
	space = strchr(line, ' ');
	m->name = p->release ? str_printf("modules/%.*s.ko", (int)strcspn(space + 1, " "), space + 1)
			     : str_printf("bpf/%.*s", (int)(space - line), line);
	buf_printf(manifest, "%s %s %s %s\n", p->release ? "module" : "program", sum(m->bytes, m->len), line, m->name);
	return true;
}

static void assemble(const struct options *o, const struct part *parts, int n)
{
	struct member members[n + 4];
	char *script = read_script(o);
	struct buf manifest = { 0 }, sums = { 0 };
	int used = 3;

	buf_puts(&manifest, "quicktap-bundle 1\n");
	add_options(&manifest, o);
	members[used++] = (struct member){ "script.stp", script, strlen(script) };
	buf_printf(&manifest, "script %s - - - script.stp\n", sum(script, strlen(script)));
	for (int i = 0; i < n; i++)
		used += add_part(&parts[i], &members[used], &manifest);
	members[0] = (struct member){ "manifest", manifest.text, manifest.len };
	buf_printf(&sums, "%s  manifest\n", sum(manifest.text, manifest.len));
	if (o->sign_bundle) {
		members[1] = (struct member){ "manifest.sig" };
		members[1].bytes = signature(o, &manifest, &members[1].len);
		buf_printf(&sums, "%s  manifest.sig\n", sum(members[1].bytes, members[1].len));
	}
	members[2] = (struct member){ "SHA256SUMS", sums.text, sums.len };
	if (!o->sign_bundle) {
		members[1] = members[0];
		write_file(o, members + 1, used - 1);
	} else {
		write_file(o, members, used);
	}
	puts(o->bundle);
}

// ---------------------------------------------------------------- all processes

// Reports why there is no BPF program, by the first error of its build.
static void explain_fallback(const struct part *p)
{
	const char *text = str_read_file(str_printf("/proc/self/fd/%d", p->messages), NULL), *error;

	error = text ? strstr(text, "rror: ") : NULL;
	error = error ? error : text ? strstr(text, "ERROR: ") : NULL;
	error = error ? strchr(error, ' ') + 1 : "the build failed";
	fprintf(stderr, "note: the bundle has no BPF program for other kernels: %s\n", str_ndup(error, strcspn(error, "\n")));
}

// Returns the kernels for which the build failed.
static const char *wait_parts(const struct part *parts, int n)
{
	const char *failed = "";

	for (int i = 0; i < n; i++) {
		bool good = spawn_wait(parts[i].pid) == 0;

		if (!good && !parts[i].release)
			explain_fallback(&parts[i]);
		else if (!good)
			failed = str_printf("%s%s%s", failed, *failed ? ", " : "", parts[i].release);
	}
	return failed;
}

// Replaces abbreviated releases by complete ones, so that each kernel is in the bundle once.
static void complete_releases(struct options *o)
{
	typeof(o->releases) complete = { 0 };
	struct utsname host;

	uname(&host);
	if (!o->releases.n)
		vec_push(&o->releases, (const char *)str_dup(host.release));
	for vec_each(&o->releases, release) {
		const char *name = o->headers.n || o->image ? *release : kernel_complete_release(*release);

		for vec_each(&complete, earlier)
			if (!strcmp(*earlier, name))
				die("--bundle: the kernel %s is given twice", name);
		vec_push(&complete, name);
	}
	o->releases = complete;
}

bool bundle_make(struct options *o, int *status)
{
	bool program = !o->arch || !strcmp(o->arch, kernel_host_arch());
	const char *failed;

	complete_releases(o);

	int n = o->releases.n + program;
	struct part parts[n];

	for (int i = 0; i < n; i++) {
		bool last = i == o->releases.n;

		parts[i] = (struct part){ last ? NULL : o->releases.at[i], 0, file_in_memory(), last ? file_in_memory() : -1 };
		fflush(NULL);
		parts[i].pid = fork();
		if (parts[i].pid < 0)
			die("cannot start a process for each kernel: %s", strerror(errno));
		if (parts[i].pid == 0) {
			become(o, &parts[i]);
			return false;
		}
	}
	failed = wait_parts(parts, n);
	*status = *failed ? EXIT_FAILURE : EXIT_SUCCESS;
	if (*failed)
		fprintf(stderr, "ERROR: --bundle=%s is not written: nothing can be built for %s\n", o->bundle, failed);
	else
		assemble(o, parts, n);
	return true;
}
