# SPDX-License-Identifier: GPL-2.0-or-later
# --sign-module: the signature equals the one that the kernel's own sign-file appends, byte by byte; and a kernel
# that loads only signed modules accepts it: Debian's kernel, with the certificate of the test instead of Debian's.
# (Read by run.sh.)
keys=$SCRATCH/keys
mkdir -p "$keys"
make_key() { # NAME ALGORITHM...
	openssl req -x509 "${@:2}" -days 3 -subj /CN=k -addext basicConstraints=critical,CA:FALSE -keyout "$keys/$1.key" -out "$keys/$1.pem" 2>/dev/null &&
		openssl x509 -in "$keys/$1.pem" -outform DER -out "$keys/$1.der"
}
# A certificate must not be longer than that of the kernel, whose key is of the same kind.
make_key trusted -newkey rsa:2048 -nodes
python3 "$TESTS/options/trust_key.py" "/boot/vmlinuz-$release" "$keys/trusted.der" "$keys/vmlinux" 2>/dev/null ||
	make_key trusted -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes
make_key other -newkey rsa:2048 -nodes
make_key locked -newkey rsa:2048 -passout pass:secret
make_key ed25519 -newkey ed25519 -nodes
cat "$keys/other.key" "$keys/other.pem" >"$keys/both.pem"
mkdir -p "$keys/mok" && cp "$keys/other.key" "$keys/mok/MOK.priv" && cp "$keys/other.der" "$keys/mok/MOK.der"
signed() { (cd "$keys" && "$STAP" -r "$release" -p4 -e "$begin" "$@"); }
signed -m plain >/dev/null
sign_file=/lib/modules/$release/build/scripts/sign-file

# Removes the signature from a module, using the sizes at its end.
unsigned() { python3 -c 'import sys; b = open(sys.argv[1], "rb").read(); sys.stdout.buffer.write(b[:len(b) - 40 - int.from_bytes(b[-32:-28], "big")])' "$1"; }
like_sign_file() { # MODULE KEY CERTIFICATE: RSA signatures of the same bytes are equal
	unsigned "$keys/$1" >"$keys/bare" && "$sign_file" sha256 "$keys/$2" "$keys/$3" "$keys/bare" "$keys/reference" && cmp "$keys/$1" "$keys/reference"
}
sign_again() { # a second run without the key takes the module from the cache
	signed --sign-module="$keys/gone.key,$keys/other.pem" && return 1
	signed --sign-module="$keys/other.key,$keys/other.pem" -m cached && rm "$keys/cached.ko" && cp "$keys/other.key" "$keys/gone.key" && echo damaged >"$keys/gone.key" &&
		signed --sign-module="$keys/gone.key,$keys/other.pem" -m cached && cmp "$keys/cached.ko" "$keys/reference"
}
if [ ! -e "$keys/plain.ko" ] || [ ! -x "$sign_file" ]; then
	skip options/sign "headers of $release, with scripts/sign-file"
else
	expect sign 0 cached.ko signed --sign-module="$keys/other.key,$keys/other.der" -m cached
	expect sign-like-the-kernel 0 '' like_sign_file cached.ko other.key other.pem
	expect sign-by-one-file 0 cached.ko signed --sign-module="$keys/both.pem" -m cached
	expect sign-by-directory 0 cached.ko signed --sign-module="$keys/mok" -m cached
	expect sign-cached 0 cached.ko sign_again
	expect sign-another-module 0 '' bash -c "! cmp -s '$keys/cached.ko' '$keys/plain.ko'"
	expect sign-locked 1 'is encrypted; set the environment variable KBUILD_SIGN_PIN' signed --sign-module="$keys/locked.key,$keys/locked.pem" -m locked
	expect sign-wrong-passphrase 1 'cannot be decrypted with the passphrase in KBUILD_SIGN_PIN' env KBUILD_SIGN_PIN=no "$STAP" -r "$release" -p4 -e "$begin" --sign-module="$keys/locked.key,$keys/locked.pem"
	expect sign-passphrase 0 .ko env KBUILD_SIGN_PIN=secret "$STAP" -r "$release" -p4 -e "$begin" --sign-module="$keys/locked.key,$keys/locked.pem"
	expect sign-another-certificate 1 'does not belong to the certificate' signed --sign-module="$keys/other.key,$keys/trusted.pem" -m no
	expect sign-no-certificate 1 'has no certificate (X.509 in PEM or DER)' signed --sign-module="$keys/other.key" -m no
	expect sign-no-key 1 'has no private key in PEM' signed --sign-module="$keys/other.der,$keys/other.pem" -m no
	expect sign-missing-key 1 "the key $keys/none cannot be read: No such file" signed --sign-module="$keys/none,$keys/other.pem" -m no
	expect sign-unsupported-key 1 'cannot sign with sha256' signed --sign-module="$keys/ed25519.key,$keys/ed25519.pem" -m no
	[ -e /var/lib/dkms/mok.key ] || [ -e /var/lib/shim-signed/mok/MOK.priv ] ||
		expect sign-no-usual-key 1 'no readable key for modules found in /var/lib/shim-signed/mok or /var/lib/dkms' signed --sign-module -m no
	expect sign-program 1 '--sign-module is not supported with --runtime=user' user --sign-module -e "$begin"
	expect sign-bpf 1 '--sign-module is not supported with --runtime=bpf' "$STAP" --runtime=bpf --sign-module -p2 -e "$begin"
	[ -e "$keys/cached.ko" ] || signed -m cached --sign-module="$keys/other.key,$keys/other.pem" >/dev/null
	signed -m t_trusted --sign-module="$keys/trusted.key,$keys/trusted.pem" >/dev/null
fi

# In the guest, with and without a signature: that a module without signature is rejected shows that the kernel
# enforces it.
cat >"$keys/enforce.sh" <<'END'
for m in t_trusted cached plain; do echo "$m: $(staprun /$m.ko 2>&1 | head -n 1)"; done
END
enforcing() {
	"$SOURCE/translator/run/stap-vm" -t 600 -r "$keys/vmlinux" -k module.sig_enforce=1 -f "$keys/t_trusted.ko" -f "$keys/cached.ko" -f "$keys/plain.ko" \
		-f "$keys/enforce.sh" -f "$BUILD/staprun/staprun" -f "$BUILD/staprun/stapio" -- sh /enforce.sh
}
if [ -n "${NO_GUEST-}" ] || [ ! -e "$keys/t_trusted.ko" ] || ! command -v qemu-system-x86_64 >/dev/null ||
	! python3 "$TESTS/options/trust_key.py" "/boot/vmlinuz-$release" "$keys/trusted.der" "$keys/vmlinux" >"$SCRATCH/err" 2>&1; then
	skip options/sign-enforced "a guest, an image of $release: $(cat "$SCRATCH/err" 2>/dev/null)"
else
	expect sign-enforced 0 "t_trusted: hello
cached: ERROR: cached is not signed with a key that the kernel trusts, as it requires (Secure Boot, or module.sig_enforce); build it with stap --sign-module=KEY,CERTIFICATE, and enrol the certificate with mokutil --import CERTIFICATE
plain: ERROR: plain is not signed with a key that the kernel trusts" enforcing
fi
rm -rf "$keys"
