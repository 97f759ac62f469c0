# SPDX-License-Identifier: GPL-2.0-or-later
# Programs and modules that are not on this host are downloaded by their build ID. Sourced by run.sh, in its directory of
# output. A server on the loopback has what directories of a real one have: /buildid/ID/debuginfo and /buildid/ID/executable.

cat >server.py <<'EOT'
import functools, http.server, os, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(('127.0.0.1', 0), handler)
with open(sys.argv[2] + '.new', 'w') as port:
    port.write(str(server.server_port))
os.rename(sys.argv[2] + '.new', sys.argv[2])
server.serve_forever()
EOT

# Writes a session in a format, and removes what was downloaded.
report_away() { # SESSION [FORMAT]
	DEBUGINFOD_URLS=http://127.0.0.1:$(<port) DEBUGINFOD_CACHE_PATH=$out/server.cache "$STAP" report -f "${2:-folded}" "$1" 2>away.err
	rm -rf server.cache
}

if ! ldconfig -p | grep -q 'libdebuginfod\.so\.1'; then
	skip report/download libdebuginfod1
else
	mkdir -p away server
	printf '%s\n' 'volatile int n;' 'static inline __attribute__((always_inline)) void innermost(void) { n++; }' \
		'void works(void) { innermost(); }' 'int main(void) { works(); return 0; }' >away.c
	gcc -g -O1 -Wl,--build-id -o away/program away.c && gcc -g -O0 -Wl,--build-id -o away-other away.c
	id=$(readelf -n away/program | awk '/Build ID:/ { print $3 }')
	read -r text_end text_size < <(readelf -lW away/program | awk '$1 == "LOAD" && / R E / { print $2, $5 }')
	works=0x$(nm away/program | awk '$3 == "works" { print $1 }')
	place="away/program+$(printf '%#x/%#x' $((works)) $(((text_end + text_size + 0xfff) & ~0xfff)))"
	stap_user --record -o away.rec -e 'global n probe begin { n[@1 . "\n"] = 1; exit() }' "0x7f1200001234 [$out/$place]"
	gcc -g -O1 -Wl,--build-id -o away-stripped away.c && objcopy --only-keep-debug away/program away.debug && strip -g away-stripped
	rm away/program
	python3 server.py server port 2>server.log &
	server=$!
	timeout 300 sh -c 'until [ -s port ]; do sleep 0.1; done'
	asked="Asking debuginfod for the debuginfo of $out/away/program."

	report report/download-nowhere "$(report_away away.rec | diff - <(echo "program+$(printf '%#x' $((works))) 1"); diff away.err <(echo "$asked"))"
	mkdir -p "server/buildid/$id" && cp away-stripped "server/buildid/$id/executable"
	report report/download-executable "$(report_away away.rec | diff - <(echo 'works 1'); diff away.err <(echo "$asked"))"
	cp away.debug "server/buildid/$id/debuginfo"
	report report/download-debuginfo "$(report_away away.rec | diff - <(echo 'works;innermost 1'); diff away.err <(echo "$asked"))"
	cp away-other "server/buildid/$id/debuginfo" && rm "server/buildid/$id/executable"
	report report/download-another-build "$(report_away away.rec | diff - <(echo "program+$(printf '%#x' $((works))) 1")
		grep -q "^WARNING: $out/server.cache/$id/debuginfo, which was downloaded, is of another build than $out/away/program: not used" away.err || cat away.err)"

	# A module of the kernel, but not the kernel, whose debuginfo is larger than all others.
	rm -r server/buildid
	for id in $kernel_id $module_id; do
		mkdir -p "server/buildid/$id" && cp "kernel.ids/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" "server/buildid/$id/debuginfo"
	done
	report report/download-module "$(report_away kernel.rec json | jq -c 'select(.type == "map") | .stacks["0"] | map([.function, .line])' |
		diff - <(echo '[["sys_read",4],["vfs_read",null]]')
		diff away.err <(echo "Asking debuginfod for the debuginfo of fake_mod."))"
	kill $server
	wait $server
fi
