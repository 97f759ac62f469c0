// SPDX-License-Identifier: GPL-2.0-or-later
// staprun FILE, where FILE is a bundle of stap --bundle: a tar file (ustar) with the script, built for several kernels.
//
//   manifest       lines of properties; one with the SHA-256 of each other member except the next two
//   manifest.sig   signature over the manifest; missing if the bundle is not signed
//   SHA256SUMS     sums of these two, as sha256sum -c reads them
//   script.stp, modules/RELEASE.ko, bpf/ARCH
//
// The whole file is in memory, so that the checked bytes are the loaded bytes. Any user may have written it: the reader
// accepts only the form that stap --bundle writes, in which each byte is checked. The file is not unpacked.
#include "staprun.h"

#include "log.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define TRUSTED "/etc/stap/trusted"        // contains certificates, one per file *.pem
#define BLOCK 512
#define MAX_MEMBERS 64
#define FIRST_LINE "quicktap-bundle 1\n"

struct header {                            // header of ustar, POSIX.1-1988
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[8];
	char user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

struct member {
	const char *name;                  // name of the member in the file
	const unsigned char *bytes;
	size_t len;
	bool listed;                       // the manifest has a line for it
};

struct bundle {
	const char *argument;              // name of the bundle, for messages
	struct member member[MAX_MEMBERS];
	int n;
};

// A line of the manifest about a member, "KIND SHA256 ARCH RELEASE BUILDID NAME", with "-" for a field that the kind
// does not have. KIND is module, program (with BPF programs) or script. Other lines are for human readers.
struct entry { const char *kind, *sum, *arch, *release, *build_id, *name; };

struct manifest {
	char *text;                        // text to which the entries point
	struct entry entry[MAX_MEMBERS];
	int n;
};

bool bundle_is(const struct module *m)
{
	const struct header *h = (const struct header *)m->image;

	return m->len >= BLOCK && !memcmp(h->name, "manifest", 9) && !memcmp(h->magic, "ustar", 6);
}

static int refuse_damaged(const struct bundle *b, const char *what, const char *name)
{
	log_refusal("the bundle %s is damaged: %s%s", b->argument, what, name);
	return -EBADMSG;
}

// --- the tar file ---

static bool is_zero(const unsigned char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (at[i])
			return false;
	return true;
}

static bool header_is_valid(const struct header *h)
{
	const unsigned char *bytes = (const unsigned char *)h;
	unsigned sum = 8 * ' ';                    // the checksum is computed as if its field were blank
	char text[8];

	for (size_t i = 0; i < BLOCK; i++)
		if (i < offsetof(struct header, checksum) || i >= offsetof(struct header, type))
			sum += bytes[i];
	snprintf(text, sizeof(text), "%06o", sum);
	text[7] = ' ';
	return !memcmp(h->checksum, text, 8) && !memcmp(h->magic, "ustar\00000", 8) && h->type == '0' && *h->name &&
	       memchr(h->name, 0, sizeof(h->name)) && !*h->prefix;
}

// Parses an octal number that fills its field up to the terminator. Returns SIZE_MAX if it is invalid.
static size_t octal(const char *field, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size - 1; i++) {
		if (field[i] < '0' || field[i] > '7')
			return SIZE_MAX;
		n = 8 * n + (field[i] - '0');
	}
	return field[size - 1] == 0 || field[size - 1] == ' ' ? n : SIZE_MAX;
}

static int read_members(struct bundle *b, const unsigned char *at, size_t len)
{
	const unsigned char *end = at + len;

	if (len % BLOCK)
		return refuse_damaged(b, "it was truncated", "");
	while (at < end && *at) {
		const struct header *h = (const struct header *)at;
		size_t size = octal(h->size, sizeof(h->size)), blocks;

		if (!header_is_valid(h) || b->n == MAX_MEMBERS)
			return refuse_damaged(b, "invalid header after the member ", b->n ? b->member[b->n - 1].name : "-");
		at += BLOCK;
		if (size > end - at)
			return refuse_damaged(b, "it was truncated in ", h->name);
		blocks = (size + BLOCK - 1) / BLOCK * BLOCK;
		if (!is_zero(at + size, blocks - size))
			return refuse_damaged(b, "bytes follow the member ", h->name);
		b->member[b->n++] = (struct member){ h->name, at, size };
		at += blocks;
	}
	if (end - at != 2 * BLOCK || !is_zero(at, end - at))
		return refuse_damaged(b, "it does not end after the last member", "");
	return 0;
}

static struct member *find(struct bundle *b, const char *name)
{
	for (int i = 0; i < b->n; i++)
		if (!strcmp(b->member[i].name, name))
			return &b->member[i];
	return NULL;
}

// --- sums and signature ---

static void sum_text(const struct member *m, char text[65])
{
	unsigned char sum[EVP_MAX_MD_SIZE];

	*text = 0;
	if (EVP_Digest(m->bytes, m->len, sum, NULL, EVP_sha256(), NULL) == 1)
		for (int i = 0; i < 32; i++)
			snprintf(text + 2 * i, 3, "%02x", sum[i]);
}

// The sums find damage of bundles that are not signed, or whose signature is not checked.
static int check_sums(struct bundle *b, struct member *manifest, struct member *signature)
{
	struct member *sums = find(b, "SHA256SUMS"), *of[] = { manifest, signature };
	char text[65], line[100];
	size_t at = 0, n;

	for (int i = 0; i < 2 && of[i]; i++, at += n) {
		sum_text(of[i], text);
		n = snprintf(line, sizeof(line), "%s  %s\n", text, of[i]->name);
		if (!sums || sums->len - at < n || memcmp(sums->bytes + at, line, n))
			return refuse_damaged(b, "SHA256SUMS does not match ", of[i]->name);
		of[i]->listed = true;
	}
	if (sums->len != at)
		return refuse_damaged(b, "SHA256SUMS has more lines than members", "");
	sums->listed = true;
	return 0;
}

static int check_signature(struct bundle *b, const struct member *manifest, const struct member *signature,
			   enum rights rights)
{
	struct signed_bytes s = { manifest->bytes, manifest->len, signature ? signature->bytes : NULL,
				  signature ? signature->len : 0 };
	int rc = signature_check(TRUSTED, &s);

	if (rc == -ENOENT && rights == RIGHTS_ALL) {
		log_note(1, "staprun: the signature of %s is not checked, since " TRUSTED " does not exist", b->argument);
		return 0;
	}
	if (rc == -ENOENT)
		log_refusal("cannot check the signature of the bundle %s: the administrator has not installed certificates"
			    " in " TRUSTED, b->argument);
	else if (rc == -EKEYREJECTED && !signature)
		log_refusal("the bundle %s is not signed, and " TRUSTED " exists: sign it with stap --sign-bundle=KEY",
			    b->argument);
	else if (rc == -EKEYREJECTED)
		log_refusal("the signature of the bundle %s matches no valid certificate in " TRUSTED ": the bundle was"
			    " modified, or is from an untrusted signer", b->argument);
	return rc;
}

// --- the manifest ---

static bool parse_entry(char *line, struct entry *e)
{
	const char **const field[] = { &e->kind, &e->sum, &e->arch, &e->release, &e->build_id, &e->name };

	for (int i = 0; i < 6; i++)
		*field[i] = strsep(&line, " ");
	return e->name && !line && (!strcmp(e->kind, "module") || !strcmp(e->kind, "program") || !strcmp(e->kind, "script"));
}

// Returns whether the text is a manifest of this version.
static bool parse_manifest(struct manifest *m, const struct member *from)
{
	char *at, *line;

	m->text = strndup((const char *)from->bytes, from->len);
	if (!m->text || strlen(m->text) != from->len || strncmp(m->text, FIRST_LINE, strlen(FIRST_LINE)))
		return false;
	for (at = m->text; m->n < MAX_MEMBERS && (line = strsep(&at, "\n")); )
		m->n += parse_entry(line, &m->entry[m->n]);
	return m->n < MAX_MEMBERS;
}

// Checks the member to which the line refers.
static int check_entry(struct bundle *b, const struct entry *e)
{
	struct member *m = find(b, e->name);
	char text[65];

	if (!m || m->listed)
		return refuse_damaged(b, "the manifest lists a member that is missing or listed twice: ", e->name);
	sum_text(m, text);
	if (strcmp(text, e->sum))
		return refuse_damaged(b, "the manifest has another SHA-256 for ", e->name);
	m->listed = true;
	return 0;
}

struct host { struct utsname kernel; char build_id[65]; };

// A module without a build ID fits each kernel of its release; the kernel itself checks more.
static bool fits(const struct entry *e, const struct host *h)
{
	return !strcmp(e->kind, "module") && !strcmp(e->release, h->kernel.release) &&
	       !strcmp(e->arch, machine_name()) &&
	       (!strcmp(e->build_id, "-") || !*h->build_id || !strcmp(e->build_id, h->build_id));
}

// Lists the contents of the bundle if none of them fits.
static int refuse_kernel(const struct bundle *b, const struct host *h, const struct manifest *all)
{
	log_refusal("the bundle %s has no module for the running kernel %s (%s%s%s); build one with stap --bundle=FILE -r %s",
		    b->argument, h->kernel.release, machine_name(), *h->build_id ? ", build ID " : "", h->build_id,
		    h->kernel.release);
	for (const struct entry *e = all->entry; e < all->entry + all->n; e++)
		if (!strcmp(e->kind, "module"))
			log_note(0, "  it has a module for %s (%s, build ID %s)%s", e->release, e->arch, e->build_id,
				 strcmp(e->release, h->kernel.release) ? "" : strcmp(e->arch, machine_name()) ?
				 ": another machine" : ": another build of this kernel");
	return -ENOEXEC;
}

static int copy_image(struct module *m, const struct member *from)
{
	m->image = malloc(from->len + 1);
	if (!m->image)
		return -ENOMEM;
	memcpy(m->image, from->bytes, from->len);
	m->len = from->len;
	m->use_image = true;
	return 0;
}

static int choose(struct bundle *b, struct module *m, const struct manifest *all)
{
	const struct entry *program = NULL, *chosen = NULL;
	struct host h = { 0 };
	int rc;

	uname(&h.kernel);
	kernel_build_id_text(h.build_id, sizeof(h.build_id));
	for (const struct entry *e = all->entry; e < all->entry + all->n; e++) {
		rc = check_entry(b, e);
		if (rc)
			return rc;
		if (!chosen && fits(e, &h))
			chosen = e;
		if (!strcmp(e->kind, "program") && !strcmp(e->arch, machine_name()))
			program = e;
	}
	for (int i = 0; i < b->n; i++)
		if (!b->member[i].listed)
			return refuse_damaged(b, "the manifest does not list ", b->member[i].name);
	if (!chosen && !program)
		return refuse_kernel(b, &h, all);
	m->is_program = !chosen;
	if (m->is_program)
		log_note(0, "%s has no module for the running kernel %s: the BPF program in it is used", b->argument,
			 h.kernel.release);
	return copy_image(m, find(b, chosen ? chosen->name : program->name));
}

int bundle_open(struct module *m, const char *argument, enum rights rights)
{
	struct bundle b = { .argument = argument };
	struct manifest all = { 0 };
	struct member *manifest, *signature;
	unsigned char *file = m->image;
	int rc = read_members(&b, file, m->len);

	m->image = NULL;
	if (rc)
		goto out;
	manifest = find(&b, "manifest");
	signature = find(&b, "manifest.sig");
	rc = check_sums(&b, manifest, signature);
	rc = rc ? rc : check_signature(&b, manifest, signature, rights);
	if (rc)
		goto out;
	rc = parse_manifest(&all, manifest) ? choose(&b, m, &all) :
	     refuse_damaged(&b, "its manifest is of another version of Quicktap", "");
out:
	free(all.text);
	free(file);
	return rc;
}
