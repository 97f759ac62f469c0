// SPDX-License-Identifier: GPL-2.0-or-later
// --sign-module: appends a signature to a finished module, in the format that the kernel checks when it loads one
// (kernel/module/signing.c): the module; a PKCS#7 message (CMS) with one signer, which is named by issuer and serial
// number, without certificates, attributes or content; struct module_signature; a marker. The digest is the one of the
// kernel's configuration, which the kernel is sure to have.
#include "module/module.h"
#include "cache/cache.h"
#include "target/kernel.h"
#include "util/diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER "~Module signature appended~\n"
#define PASSPHRASE "KBUILD_SIGN_PIN"           // the variable that the kernel's own sign-file reads

enum { ID_PKCS7 = 2 };                 // PKEY_ID_PKCS7 of enum pkey_id_type

struct module_signature {              // kernel/module_signature.h of the kernel
	uint8_t algo, hash, id_type, signer_len, key_id_len, pad[3];
	uint32_t sig_len;              // big endian
};
_Static_assert(sizeof(struct module_signature) == 12, "as the kernel reads it");

// Pairs of key and certificate that distributions make: of update-secureboot-policy (shim-signed), and of DKMS.
static const struct { const char *key, *certificate; } usual[] = {
	{ "/var/lib/shim-signed/mok/MOK.priv", "/var/lib/shim-signed/mok/MOK.der" },
	{ "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub" },
};

static const char *reason(void)
{
	unsigned long e = ERR_peek_last_error();
	const char *text = e ? ERR_reason_error_string(e) : NULL;

	return text ? text : e ? "error of libcrypto" : "unknown format";
}

// ---------------------------------------------------------------- key and certificate

const char *sign_usual_key(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!access(usual[i].key, R_OK) && !access(usual[i].certificate, R_OK))
			return str_printf("%s,%s", usual[i].key, usual[i].certificate);
	return NULL;
}

// Splits "KEY,CERT". KEY alone is a file that also contains the certificate, or a directory with the files that
// shim-signed makes.
static void choose_files(const char *option, const char **key, const char **certificate)
{
	const char *given = *option ? option : sign_usual_key(), *comma;
	struct stat st;

	if (!given)
		die("--sign-module: no readable key for modules found in /var/lib/shim-signed/mok or /var/lib/dkms; "
		    "give one as --sign-module=KEY,CERTIFICATE (stap(1) says how to make one)");
	comma = strchr(given, ',');
	*key = comma ? str_ndup(given, (size_t)(comma - given)) : given;
	*certificate = comma ? comma + 1 : given;
	if (!comma && !stat(given, &st) && S_ISDIR(st.st_mode)) {
		*key = str_printf("%s/MOK.priv", given);
		*certificate = str_printf("%s/MOK.der", given);
	}
}

// Reads a certificate in PEM or DER.
static X509 *read_certificate(const char *path)
{
	FILE *f = fopen(path, "re");
	X509 *x509;

	if (!f)
		die("--sign-module: the certificate %s cannot be read: %s", path, strerror(errno));
	x509 = PEM_read_X509(f, NULL, NULL, NULL);
	if (!x509) {
		rewind(f);
		x509 = d2i_X509_fp(f, NULL);
	}
	fclose(f);
	if (!x509)
		die("--sign-module: %s has no certificate (X.509 in PEM or DER): %s; give it as --sign-module=KEY,CERTIFICATE", path,
		    reason());
	return x509;
}

// Called by libcrypto for an encrypted key. Returns the length, or -1 if there is no passphrase.
static int passphrase(char *to, int size, int writing, void *asked)
{
	const char *value = getenv(PASSPHRASE);
	size_t len = value ? strlen(value) : 0;

	*(bool *)asked = true;
	if (!value || len >= (size_t)size)
		return -1;
	memcpy(to, value, len);
	return (int)len;
}

EVP_PKEY *sign_read_key(const char *option, const char *path)
{
	FILE *f = fopen(path, "re");
	bool asked = false;
	EVP_PKEY *key;

	if (!f)
		die("%s: the key %s cannot be read: %s", option, path, strerror(errno));
	key = PEM_read_PrivateKey(f, NULL, passphrase, &asked);
	fclose(f);
	if (!key && asked && !getenv(PASSPHRASE))
		die("%s: the key %s is encrypted; set the environment variable " PASSPHRASE " to its passphrase", option, path);
	if (!key && asked)
		die("%s: the key %s cannot be decrypted with the passphrase in " PASSPHRASE, option, path);
	if (!key)
		die("%s: %s has no private key in PEM: %s", option, path, reason());
	return key;
}

struct signer {
	const char *key_path, *certificate_path;
	X509 *certificate;
	const EVP_MD *digest;
	const char *digest_name;
};

static struct signer *open_signer(struct session *s)
{
	static struct signer sg;

	if (sg.certificate)
		return &sg;
	choose_files(s->opt.sign_module, &sg.key_path, &sg.certificate_path);
	sg.digest_name = kernel_config(s->kernel, "CONFIG_MODULE_SIG_HASH");
	if (!sg.digest_name || !*sg.digest_name)
		sg.digest_name = "sha256";
	sg.digest = EVP_get_digestbyname(sg.digest_name);
	if (!sg.digest)
		die("--sign-module: libcrypto has no digest %s, which the kernel %s uses (CONFIG_MODULE_SIG_HASH)", sg.digest_name,
		    s->kernel->release);
	sg.certificate = read_certificate(sg.certificate_path);
	return &sg;
}

void sign_add_to_key(struct session *s, struct cache_hash *h)
{
	struct signer *sg = open_signer(s);
	unsigned char id[EVP_MAX_MD_SIZE];
	unsigned int len = 0;

	if (!X509_digest(sg->certificate, EVP_sha256(), id, &len))
		die("--sign-module: %s: %s", sg->certificate_path, reason());
	cache_hash_text(h, sg->digest_name);
	cache_hash_add(h, id, len);
}

// ---------------------------------------------------------------- the signature

// Returns the message in DER. The caller frees it with OPENSSL_free().
static unsigned char *make_message(struct signer *sg, EVP_PKEY *key, const char *bytes, size_t len, int *size)
{
	const unsigned int flags = CMS_NOCERTS | CMS_BINARY | CMS_DETACHED;
	BIO *content = BIO_new_mem_buf(bytes, (int)len);
	CMS_ContentInfo *cms = CMS_sign(NULL, NULL, NULL, NULL, flags | CMS_PARTIAL | CMS_STREAM);
	unsigned char *der = NULL;

	*size = -1;
	if (content && cms &&
	    CMS_add1_signer(cms, sg->certificate, key, sg->digest, flags | CMS_NOATTR | CMS_NOSMIMECAP) &&
	    CMS_final(cms, content, NULL, flags))
		*size = i2d_CMS_ContentInfo(cms, &der);
	CMS_ContentInfo_free(cms);
	BIO_free(content);
	return der;
}

void sign_module(struct session *s, const char *path)
{
	struct signer *sg = open_signer(s);
	EVP_PKEY *key = sign_read_key("--sign-module", sg->key_path);
	struct module_signature end = { .id_type = ID_PKCS7 };
	unsigned char *message;
	char *bytes;
	size_t len;
	int size;
	FILE *f;

	if (!X509_check_private_key(sg->certificate, key))
		die("--sign-module: the key %s does not belong to the certificate %s", sg->key_path, sg->certificate_path);
	bytes = str_read_file(path, &len);
	if (!bytes)
		die("cannot read %s: %s", path, strerror(errno));
	message = make_message(sg, key, bytes, len, &size);
	EVP_PKEY_free(key);
	if (size <= 0)
		die("--sign-module: the key %s cannot sign with %s: %s; kernels check RSA and ECDSA keys", sg->key_path,
		    sg->digest_name, reason());
	end.sig_len = htonl((uint32_t)size);
	f = fopen(path, "ae");
	if (!f || fwrite(message, 1, (size_t)size, f) != (size_t)size || fwrite(&end, sizeof(end), 1, f) != 1 ||
	    fputs(MARKER, f) == EOF || fclose(f) == EOF)
		die("cannot write %s: %s; is the file system full?", path, strerror(errno));
	OPENSSL_free(message);
}
