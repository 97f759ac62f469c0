// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of large libraries that few runs need: libarchive for packages and bundles, libcrypto for signatures.
// Loading them takes longer than a cached script. Each function here has the name and the type that the library's
// header declares; it loads the library at its first call, and calls the library's function.
#include "config.h"
#include "util/diag.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdarg.h>
#include <stdio.h>

static void *function_of(const char *library, void **handle, const char *name)
{
	void *function;

	if (!*handle)
		*handle = dlopen(library, RTLD_NOW);
	function = *handle ? dlsym(*handle, name) : NULL;
	if (!function)
		die("%s cannot be loaded: %s; install it again", library, dlerror());
	return function;
}

static void *archive_function(const char *name)
{
	static void *handle;

	return function_of(LIBARCHIVE_SONAME, &handle, name);
}

static void *crypto_function(const char *name)
{
	static void *handle;

	return function_of(LIBCRYPTO_SONAME, &handle, name);
}

// The library's own calls of these names must resolve to its own functions.
#define LATE(library, result, name, parameters, arguments) \
	__attribute__((visibility("hidden"))) result name parameters \
	{ \
		static typeof(&name) function; \
		if (!function) \
			function = (typeof(function))library##_function(#name); \
		return function arguments; \
	}

LATE(archive, mode_t, archive_entry_filetype, (struct archive_entry *e), (e))
LATE(archive, void, archive_entry_free, (struct archive_entry *e), (e))
LATE(archive, const char *, archive_entry_hardlink, (struct archive_entry *e), (e))
LATE(archive, struct archive_entry *, archive_entry_new, (void), ())
LATE(archive, const char *, archive_entry_pathname, (struct archive_entry *e), (e))
LATE(archive, mode_t, archive_entry_perm, (struct archive_entry *e), (e))
LATE(archive, void, archive_entry_set_filetype, (struct archive_entry *e, unsigned int type), (e, type))
LATE(archive, void, archive_entry_set_pathname, (struct archive_entry *e, const char *path), (e, path))
LATE(archive, void, archive_entry_set_perm, (struct archive_entry *e, mode_t perm), (e, perm))
LATE(archive, void, archive_entry_set_size, (struct archive_entry *e, la_int64_t size), (e, size))
LATE(archive, const char *, archive_entry_symlink, (struct archive_entry *e), (e))
LATE(archive, const char *, archive_error_string, (struct archive *a), (a))
LATE(archive, int, archive_format, (struct archive *a), (a))
LATE(archive, la_ssize_t, archive_read_data, (struct archive *a, void *to, size_t size), (a, to, size))
LATE(archive, int, archive_read_free, (struct archive *a), (a))
LATE(archive, struct archive *, archive_read_new, (void), ())
LATE(archive, int, archive_read_next_header, (struct archive *a, struct archive_entry **e), (a, e))
LATE(archive, int, archive_read_open,
     (struct archive *a, void *arg, archive_open_callback *open, archive_read_callback *read,
				       archive_close_callback *close), (a, arg, open, read, close))
LATE(archive, int, archive_read_open_filename, (struct archive *a, const char *path, size_t piece), (a, path, piece))
LATE(archive, int, archive_read_support_filter_bzip2, (struct archive *a), (a))
LATE(archive, int, archive_read_support_filter_gzip, (struct archive *a), (a))
LATE(archive, int, archive_read_support_filter_lzma, (struct archive *a), (a))
LATE(archive, int, archive_read_support_filter_rpm, (struct archive *a), (a))
LATE(archive, int, archive_read_support_filter_xz, (struct archive *a), (a))
LATE(archive, int, archive_read_support_filter_zstd, (struct archive *a), (a))
LATE(archive, int, archive_read_support_format_ar, (struct archive *a), (a))
LATE(archive, int, archive_read_support_format_cpio, (struct archive *a), (a))
LATE(archive, int, archive_read_support_format_tar, (struct archive *a), (a))
LATE(archive, int, archive_write_close, (struct archive *a), (a))
LATE(archive, la_ssize_t, archive_write_data, (struct archive *a, const void *bytes, size_t size), (a, bytes, size))
LATE(archive, int, archive_write_free, (struct archive *a), (a))
LATE(archive, int, archive_write_header, (struct archive *a, struct archive_entry *e), (a, e))
LATE(archive, struct archive *, archive_write_new, (void), ())
LATE(archive, int, archive_write_open,
     (struct archive *a, void *arg, archive_open_callback *open, archive_write_callback *write,
					archive_close_callback *close), (a, arg, open, write, close))
LATE(archive, int, archive_write_set_bytes_in_last_block, (struct archive *a, int n), (a, n))
LATE(archive, int, archive_write_set_bytes_per_block, (struct archive *a, int n), (a, n))
LATE(archive, int, archive_write_set_format_ustar, (struct archive *a), (a))

__attribute__((visibility("hidden"))) void archive_set_error(struct archive *a, int number, const char *format, ...)
{
	void (*function)(struct archive *, int, const char *, ...) = archive_function("archive_set_error");
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	function(a, number, "%s", text);
}

LATE(crypto, int, BIO_free, (BIO *b), (b))
LATE(crypto, BIO *, BIO_new_mem_buf, (const void *bytes, int len), (bytes, len))
LATE(crypto, void, CMS_ContentInfo_free, (CMS_ContentInfo *m), (m))
LATE(crypto, CMS_SignerInfo *, CMS_add1_signer,
     (CMS_ContentInfo *m, X509 *x, EVP_PKEY *key, const EVP_MD *digest, unsigned int flags),
     (m, x, key, digest, flags))
LATE(crypto, int, CMS_final, (CMS_ContentInfo *m, BIO *data, BIO *dcont, unsigned int flags), (m, data, dcont, flags))
LATE(crypto, CMS_ContentInfo *, CMS_sign,
     (X509 *x, EVP_PKEY *key, STACK_OF(X509) *others, BIO *data, unsigned int flags),
     (x, key, others, data, flags))
LATE(crypto, void, CRYPTO_free, (void *p, const char *file, int line), (p, file, line))
LATE(crypto, unsigned long, ERR_peek_last_error, (void), ())
LATE(crypto, const char *, ERR_reason_error_string, (unsigned long e), (e))
LATE(crypto, int, EVP_DigestSign, (EVP_MD_CTX *c, unsigned char *to, size_t *len, const unsigned char *bytes, size_t n),
     (c, to, len, bytes, n))
LATE(crypto, int, EVP_DigestSignInit,
     (EVP_MD_CTX *c, EVP_PKEY_CTX **key_context, const EVP_MD *digest, ENGINE *e, EVP_PKEY *key),
     (c, key_context, digest, e, key))
LATE(crypto, void, EVP_MD_CTX_free, (EVP_MD_CTX *c), (c))
LATE(crypto, EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())
LATE(crypto, void, EVP_PKEY_free, (EVP_PKEY *key), (key))
LATE(crypto, int, EVP_PKEY_is_a, (const EVP_PKEY *key, const char *name), (key, name))
LATE(crypto, const EVP_MD *, EVP_get_digestbyname, (const char *name), (name))
LATE(crypto, const EVP_MD *, EVP_sha256, (void), ())
LATE(crypto, EVP_PKEY *, PEM_read_PrivateKey, (FILE *f, EVP_PKEY **key, pem_password_cb *callback, void *arg),
     (f, key, callback, arg))
LATE(crypto, X509 *, PEM_read_X509, (FILE *f, X509 **x, pem_password_cb *callback, void *arg), (f, x, callback, arg))
LATE(crypto, int, X509_check_private_key, (const X509 *x, const EVP_PKEY *key), (x, key))
LATE(crypto, int, X509_digest, (const X509 *x, const EVP_MD *digest, unsigned char *to, unsigned int *len),
     (x, digest, to, len))
LATE(crypto, X509 *, d2i_X509_fp, (FILE *f, X509 **x), (f, x))
LATE(crypto, int, i2d_CMS_ContentInfo, (const CMS_ContentInfo *m, unsigned char **to), (m, to))
