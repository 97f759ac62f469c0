// SPDX-License-Identifier: GPL-2.0-or-later
// Checks signatures of modules: FILE.ko.sgn is a signature (SHA-256) of FILE.ko, made with the key of one of the
// certificates CERTIFICATES/*.pem, which the administrator installs.
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

#define CERTIFICATES "/etc/systemtap/staprun"
#define SIGNATURE_MAX 8192

bool is_root_only(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool key_signed(EVP_PKEY *key, const struct module *m, const unsigned char *sgn, size_t len)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool good = ctx && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
		    EVP_DigestVerify(ctx, sgn, len, m->image, m->len) == 1;

	EVP_MD_CTX_free(ctx);
	return good;
}

// Expired certificates, and those that are not valid yet, are ignored. Closes fd.
static bool certificate_signed(int fd, const struct module *m, const unsigned char *sgn, size_t len)
{
	FILE *f = fdopen(fd, "r");
	X509 *x509 = f ? PEM_read_X509(f, NULL, NULL, NULL) : NULL;
	EVP_PKEY *key = x509 && X509_cmp_current_time(X509_get0_notBefore(x509)) < 0 &&
			X509_cmp_current_time(X509_get0_notAfter(x509)) > 0 ? X509_get_pubkey(x509) : NULL;
	bool good = key && key_signed(key, m, sgn, len);

	EVP_PKEY_free(key);
	X509_free(x509);
	if (f)
		fclose(f);
	else
		close(fd);
	return good;
}

static bool any_certificate_signed(DIR *dir, const struct module *m, const unsigned char *sgn, size_t len)
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
			log_warning("cannot read " CERTIFICATES "/%s: %m", entry->d_name);
		else if (is_root_only(fd))
			good = certificate_signed(fd, m, sgn, len);
		else
			close(fd);
	}
	return good;
}

int module_check_signature(const struct module *m, int sgn_fd, const char *argument)
{
	unsigned char sgn[SIGNATURE_MAX];
	ssize_t len = read(sgn_fd, sgn, sizeof(sgn));
	int fd = open(CERTIFICATES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 && is_root_only(fd) ? fdopendir(fd) : NULL;
	bool good;

	if (fd < 0)
		return -ENOENT;
	if (!dir) {
		close(fd);
		log_error(CERTIFICATES " must be owned by root, and writable only by root");
		return -EPERM;
	}
	good = len > 0 && len < sizeof(sgn) && any_certificate_signed(dir, m, sgn, len);
	closedir(dir);
	if (!good) {
		log_error("the signature %s.sgn matches no valid certificate in %s: the module was modified,"
			  " or is from an untrusted signer", argument, CERTIFICATES);
		return -EKEYREJECTED;
	}
	return 0;
}
