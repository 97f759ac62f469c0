// SPDX-License-Identifier: GPL-2.0-or-later
// Checks signatures of modules and bundles: they must be made with the key of one of the certificates
// DIRECTORY/*.pem, which the administrator installs. The digest is SHA-256; keys of Ed25519 and Ed448 have their own.
#include "staprun.h"

#include "log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_root_only(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool key_signed(EVP_PKEY *key, const struct signed_bytes *s)
{
	bool own_digest = EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448");
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool good = ctx && EVP_DigestVerifyInit(ctx, NULL, own_digest ? NULL : EVP_sha256(), NULL, key) == 1 &&
		    EVP_DigestVerify(ctx, s->signature, s->signature_len, s->bytes, s->len) == 1;

	EVP_MD_CTX_free(ctx);
	return good;
}

// Checks with one certificate. Certificates that have expired or are not valid yet are ignored. Closes fd.
static bool certificate_signed(int fd, const struct signed_bytes *s)
{
	FILE *f = fdopen(fd, "r");
	X509 *x509 = f ? PEM_read_X509(f, NULL, NULL, NULL) : NULL;
	EVP_PKEY *key = x509 && X509_cmp_current_time(X509_get0_notBefore(x509)) < 0 &&
			X509_cmp_current_time(X509_get0_notAfter(x509)) > 0 ? X509_get_pubkey(x509) : NULL;
	bool good = key && key_signed(key, s);

	EVP_PKEY_free(key);
	X509_free(x509);
	if (f)
		fclose(f);
	else
		close(fd);
	return good;
}

static bool any_certificate_signed(DIR *dir, const char *directory, const struct signed_bytes *s)
{
	struct dirent *entry;
	bool good = false;
	int fd;

	while (!good && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);

		if (n < 4 || strcmp(entry->d_name + n - 4, ".pem"))
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			log_warning("cannot read %s/%s: %m", directory, entry->d_name);
		else if (is_root_only(fd))
			good = certificate_signed(fd, s);
		else
			close(fd);
	}
	return good;
}

int signature_check(const char *directory, const struct signed_bytes *s)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 && is_root_only(fd) ? fdopendir(fd) : NULL;
	bool good;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (!dir) {
		log_refusal("%s must be a directory that is owned by root, and writable only by root", directory);
		if (fd >= 0)
			close(fd);
		return -EPERM;
	}
	good = s->signature_len && any_certificate_signed(dir, directory, s);
	closedir(dir);
	return good ? 0 : -EKEYREJECTED;
}
