# SPDX-License-Identifier: GPL-2.0-or-later
# --bundle: the same inputs give the same bytes; options with which it cannot be combined. How staprun handles a
# bundle is tested in a guest (live/bundle). (Read by run.sh.)
bundles=$SCRATCH/bundles
mkdir -p "$bundles"
openssl genpkey -algorithm ed25519 -out "$bundles/key" 2>/dev/null
openssl genpkey -algorithm x25519 -out "$bundles/no-signer" 2>/dev/null
bundle() { "$STAP" --bundle="$bundles/$1" "${@:2}"; }
twice() {
	bundle a -r "$release" --sign-bundle="$bundles/key" -e "$begin" && TMPDIR=$bundles bundle b --poison-cache -r "$release" --sign-bundle="$bundles/key" -e "$begin" &&
		cmp "$bundles/a" "$bundles/b" && tar xf "$bundles/a" -C "$bundles" && (cd "$bundles" && sha256sum -c SHA256SUMS) && tar tf "$bundles/a"
}
if [ -z "$release" ]; then
	skip options/bundle "headers of a kernel"
else
	expect bundle 0 "manifest: OK
manifest.sig: OK
manifest
manifest.sig
SHA256SUMS
script.stp
modules/$release.ko" twice
	bytes() { bundle damaged -g -r "$release" --sign-bundle="$bundles/key" -e 'function f() %{ %} probe begin { f() exit() }' 2>&1 | grep -v '^note: the bundle has no BPF'
		python3 "$TESTS/options/bundle_bytes.py" "$BUILD/staprun/staprun" "$bundles/damaged"; }
	expect bundle-bytes 0 "$bundles/damaged" bytes
	expect bundle-kernel-missing 1 'is not written: nothing can be built for 1.2.3-none' bundle no -r 1.2.3-none -r "$release" -e "$begin"
	expect bundle-kernel-twice 1 "the kernel $release is given twice" bundle no -r "$release" -r "$release" -e "$begin"
	expect bundle-no-program 0 'note: the bundle has no BPF program for other kernels: ' bundle guru -g -r "$release" -e 'function f() %{ %} probe begin { f() exit() }'
	expect bundle-error-of-script 1 "nothing can be built for $release" bundle no -r "$release" -e 'probe begin { x = y( }'
	expect bundle-key-missing 1 "--sign-bundle: the key $bundles/none cannot be read" bundle no --sign-bundle="$bundles/none" -r "$release" -e "$begin"
	expect bundle-key-cannot-sign 1 "cannot sign; use an RSA, ECDSA or Ed25519 key" bundle no --sign-bundle="$bundles/no-signer" -r "$release" -e "$begin"
	expect bundle-no-directory 1 "cannot be written: No such file" bundle none/x -r "$release" -e "$begin"
	expect bundle-nothing-written 1 '' test -e "$bundles/no"
fi
expect bundle-no-name 1 '--bundle takes the name of a file' "$STAP" --bundle= -e "$begin"
expect bundle-sign-alone 1 '--sign-bundle requires --bundle=FILE' "$STAP" --sign-bundle=x -e "$begin"
expect bundle-standard-input 1 'which can be read only once' "$STAP" --bundle=x -
expect bundle-vm 1 '--bundle cannot be used with --vm' "$STAP" --bundle=x --vm -e "$begin"
expect bundle-output 1 'give these to staprun FILE' "$STAP" --bundle=x -o y -e "$begin"
rm -rf "$bundles"
