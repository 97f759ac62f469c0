# SPDX-License-Identifier: GPL-2.0-or-later
# --export: the output of stap-export, and its access control; clients that send invalid data; Prometheus, if
# installed, reads it. The metrics of a module are tested in a guest (live/export). (Read by run.sh.)
served=$SCRATCH/served
mkdir -p "$served/fake"
printf '# TYPE reads counter\nreads{execname="cat"} 41\n# TYPE sizes histogram\nsizes_bucket{le="1"} 1\nsizes_bucket{le="+Inf"} 2\nsizes_sum 9\nsizes_count 2\n' >"$served/fake/__metrics"
printf 'own 7\n' >"$served/fake/__prometheus"
# Runs a command while fake's metrics are served at $port. $WEB: lines of its configuration.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
serving() { # COMMAND...
	local status
	printf '%s\n' "${WEB-}" >"$served/web"
	coproc EXPORTER { STAP_EXPORT_WEB_CONFIG=$served/web "$SOURCE/translator/run/stap-export" "${TARGET-prometheus:$port}" "$served/fake" 2>&1; }
	read -r -t 20 _ <&"${EXPORTER[0]}"
	"$@"
	status=$?
	exec {EXPORTER[1]}>&-
	wait "$EXPORTER_PID"
	return $status
}
client() { # a Python program with get(path, authorization)
	python3 - "$port" "$1" <<-'E3'
		import base64, os, socket, ssl, sys, threading, time, urllib.request, urllib.error
		port = int(sys.argv[1])
		def get(path="/metrics", login=None, scheme="http"):
		    r = urllib.request.Request("%s://127.0.0.1:%d%s" % (scheme, port, path))
		    if login: r.add_header("Authorization", "Basic " + base64.b64encode(login.encode()).decode())
		    context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
		    try:
		        with urllib.request.urlopen(r, timeout=300, context=context if scheme == "https" else None) as answer: return answer.status, answer.read().decode()
		    except urllib.error.HTTPError as e: return e.code, e.read().decode()
		def garbage(text):
		    with socket.create_connection(("127.0.0.1", port), 20) as s:
		        s.sendall(text)
		exec(sys.argv[2])
	E3
}
expect export-metrics 0 'own 7' serving client 'print(*get())'
expect export-other-path 0 '404 the metrics are at /metrics' serving client 'print(*get("/../../etc/passwd"))'
expect export-script-missing 0 '503 the script fake has not started' bash -c "$(declare -f serving client); port=$port served=$served SOURCE=$SOURCE; mv $served/fake $served/gone; serving client 'print(*get())'; mv $served/gone $served/fake"
expect export-garbage 0 'own 7' serving client '
for text in b"", b"\0" * 70000, b"GET /metrics", b"GET " + b"a" * 100000 + b"\r\n\r\n", b"\x16\x03\x01" + os.urandom(300), b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n", b"POST /metrics HTTP/9.9\r\nContent-Length: -1\r\n\r\n":
    try: garbage(text)
    except OSError: pass
silent = [socket.create_connection(("127.0.0.1", port)) for i in range(6)]
print(*get())'
WEB="user=me
password_sha256=$(printf secret | sha256sum | cut -d' ' -f1)" expect export-password 0 '401 401 401 200' serving client 'print(get()[0], get(login="me:wrong")[0], get(login="you:secret")[0], get(login="me:secret")[0])'
openssl req -x509 -newkey rsa:2048 -nodes -days 3 -subj /CN=t -keyout "$served/key" -out "$served/cert" 2>/dev/null
WEB="cert_file=$served/cert
key_file=$served/key" expect export-tls 0 '200' serving client 'garbage(b"GET / HTTP/1.0\r\n\r\n"); print(get(scheme="https")[0])'
# 400 clients that send nothing, or a part of a request, delay nobody; a request without end is refused.
expect export-idle 0 'True' serving client '
idle = [socket.create_connection(("127.0.0.1", port)) for i in range(400)]
for s in idle[::2]: s.sendall(b"GET /metrics HTTP/1.1\r\nX:")
print([get()[0] for i in range(20)] == [200] * 20)'
expect export-head 0 '200 True b
405 GET, HEAD
431
400' serving client '
import http.client
for method in "HEAD", "DELETE":
    c = http.client.HTTPConnection("127.0.0.1", port); c.request(method, "/metrics"); r = c.getresponse(); body = r.read()
    print(r.status, *([int(r.headers["Content-Length"]) > 100, "b" * (body == b"")] if method == "HEAD" else [r.headers["Allow"]]))
for text in b"GET /metrics HTTP/1.1\r\n" + b"x" * 40000, b"\0\r\n\r\n":
    s = socket.create_connection(("127.0.0.1", port)); s.sendall(text); print(s.recv(99).split()[1].decode())'
# The file that exporters have: bcrypt, paths relative to it. Others are refused with the reason.
bcrypt() { python3 -c 'import ctypes, sys; c = ctypes.CDLL("libcrypt.so.1").crypt; c.restype = ctypes.c_char_p; print(c(b"secret", b"$2b$04$abcdefghijklmnopqrstuu").decode())'; }
WEB="# of an exporter
tls_server_config:
  cert_file: cert
  key_file: \"key\"  # beside this file
basic_auth_users:
  me: $(bcrypt)" expect export-exporters-config 0 '401 401 200 200' serving client 'h = "https"; print(get(scheme=h)[0], get(login="me:wrong", scheme=h)[0], get(login="me:secret", scheme=h)[0], get(login="me:secret", scheme=h)[0])'
web_refused() { # NAME MESSAGE TEXT
	printf '%b\n' "$3" >"$served/bad"
	expect "export-web-$1" 1 "\$STAP_EXPORT_WEB_CONFIG $served/bad: $2" env STAP_EXPORT_WEB_CONFIG="$served/bad" "$SOURCE/translator/run/stap-export" "prometheus:$port" fake
}
openssl rsa -aes128 -passout pass:x -in "$served/key" -out "$served/encrypted" 2>/dev/null
web_refused setting 'line 2: unsupported setting "client_auth_type"; the settings are cert_file and key_file' 'tls_server_config:\n  client_auth_type: none'
web_refused section 'line 1: unsupported setting "http_server_config:"' 'http_server_config:\n  http2: true'
web_refused plain-password 'the password of me is not a bcrypt hash, which htpasswd -nB prints' 'basic_auth_users:\n  me: secret'
web_refused short-digest 'the password of me is not a SHA-256 in 64 hexadecimal digits' 'user=me\npassword_sha256=secret'
web_refused one-file 'cert_file and key_file belong together' 'cert_file=/x'
web_refused bytes 'it is not text in UTF-8' '\377\376'
expect export-web-missing 1 "\$STAP_EXPORT_WEB_CONFIG $served/none: No such file" env STAP_EXPORT_WEB_CONFIG="$served/none" "$SOURCE/translator/run/stap-export" "prometheus:$port" fake
printf 'cert_file=%s/cert\nkey_file=%s/encrypted\n' "$served" "$served" >"$served/bad"
expect export-web-encrypted 1 "the key $served/encrypted is encrypted" env STAP_EXPORT_WEB_CONFIG="$served/bad" "$SOURCE/translator/run/stap-export" "prometheus:$port" fake
printf 'cert_file=%s/cert\nkey_file=%s/cert\n' "$served" "$served" >"$served/bad"
expect export-web-wrong-key 1 "cert_file $served/cert with key_file $served/cert cannot be used" env STAP_EXPORT_WEB_CONFIG="$served/bad" "$SOURCE/translator/run/stap-export" "prometheus:$port" fake
expect export-port-used 1 'ERROR: --export: cannot export metrics to' serving bash -c "'$SOURCE/translator/run/stap-export' prometheus:$port fake </dev/null"
expect export-no-port 1 '--export takes prometheus:[ADDR:]PORT' "$STAP" --export=prometheus:x -e "$begin"
expect export-unknown 1 '--export takes prometheus:[ADDR:]PORT' "$STAP" --export=graphite:1 -e "$begin"
expect export-vm 1 '--export serves the metrics of this host: it cannot be used with --vm' "$STAP" --vm --export=prometheus:9090 -e "$begin"
export_user() { # the metrics of a script that runs in a process
	local script
	"$STAP" --runtime=user --export=prometheus:"$port" -e 'global ticks # of the timer
probe timer.ms(1) { ticks++ } probe timer.s(100) { exit() }' >"$SCRATCH/exporting" 2>&1 &
	script=$!
	for _ in {1..300}; do
		get "http://127.0.0.1:$port/metrics" 2>/dev/null | grep -q '^ticks [1-9]' && break
		sleep 0.1
	done
	get "http://127.0.0.1:$port/metrics" | sed 's/^ticks [1-9].*/ticks N/'
	kill $script
	wait $script
	cat "$SCRATCH/exporting"
}
get() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$1"; }
# Two scripts with the same name are exported at the same time.
export_two() {
	local script='global n = 1 probe begin { n = @1 } probe timer.ms(50) { if (n < 0) n = 0 } probe timer.s(100) { exit() }' first second other
	other=$(free_port)
	"$STAP" --runtime=user --export=prometheus:"$port" -m exported -e "${script/@1/11}" >"$SCRATCH/exporting" 2>&1 & first=$!
	"$STAP" --runtime=user --export=prometheus:$other -m exported -e "${script/@1/22}" >"$SCRATCH/exporting-22" 2>&1 & second=$!
	for _ in {1..300}; do
		get "http://127.0.0.1:$port/metrics" 2>/dev/null | grep -q '^n 11$' && get "http://127.0.0.1:$other/metrics" 2>/dev/null | grep -q '^n 22$' && break
		sleep 0.1
	done
	get "http://127.0.0.1:$port/metrics" | grep '^n '
	get "http://127.0.0.1:$other/metrics" | grep '^n '
	kill $first $second
	wait $first $second
	cat "$SCRATCH/exporting" "$SCRATCH/exporting-22"
}
expect export-two 0 'n 11
n 22' export_two
# Labels that are longer than a string after they were quoted: a cut would make samples with the same labels.
export_long() {
	local script
	"$STAP" -w --runtime=user --export=prometheus:"$port" -e 'global a, h, w probe begin { for (i = 0; i < 25; i++) text .= "0123456789"
a[text . "x"] = 1; a[text . "y"] = 2; a[text . text . "\"\n\"\n"] = 3; h[text, 5] <<< 3; h[text . "z", 5] <<< 4; w[text, text . "a"] = 1; w[text, text . "b"] = 2 }
probe timer.s(100) { exit() } probe end { foreach ([x, y] in h) print(@hist_log(h[x, y])) }' >"$SCRATCH/exporting" 2>&1 &
	script=$!
	for _ in {1..300}; do
		get "http://127.0.0.1:$port/metrics" 2>/dev/null | grep -q '^w{' && break
		sleep 0.1
	done
	get "http://127.0.0.1:$port/metrics" | sed -E 's/(0123456789){25}/~/g'
	kill $script
	wait $script
}
expect export-long 0 '# TYPE a gauge
a{key1="~x"} 1
a{key1="~y"} 2
a{key1="~~\"\n\"\n"} 3
# TYPE h histogram
h_bucket{text="~",key2="5",le="3"} 1
h_bucket{text="~",key2="5",le="+Inf"} 1
h_sum{text="~",key2="5"} 3
h_count{text="~",key2="5"} 1
h_bucket{text="~z",key2="5",le="7"} 1
h_bucket{text="~z",key2="5",le="+Inf"} 1
h_sum{text="~z",key2="5"} 4
h_count{text="~z",key2="5"} 1
# TYPE w gauge
w{text="~",key2="~a"} 1
w{text="~",key2="~b"} 2' export_long
# As many elements as the default limits allow, with short and long labels and many buckets: no error ends the script.
export_many() {
	local script
	"$STAP" -w -DMAXACTION_INTERRUPTIBLE=9000000 --runtime=user --export=prometheus:"$port" -e 'global a, h, s probe begin { for (i = 0; i < 20; i++) text .= "0123456789"
for (i = 0; i < 2000; i++) { k = sprintf("%s%d", i % 3 ? "" : text, i); a[k, k, i] = i; s[k, k] <<< i
if (i < 100) for (n = 0; n < 62; n++) h[k, k] <<< 1 << n } }
probe timer.s(100) { exit() } probe end { foreach ([x, y] in s limit 1) print(@hist_linear(s[x, y], 0, 10, 1)); foreach ([x, y] in h limit 1) print(@hist_log(h[x, y])) }' >"$SCRATCH/exporting" 2>&1 &
	script=$!
	for _ in {1..300}; do
		get "http://127.0.0.1:$port/metrics" 2>/dev/null | grep -q '^s_sum{' && break
		sleep 0.1
	done
	get "http://127.0.0.1:$port/metrics" | sed -E 's/^([a-z_]+)\{.*/\1/' | uniq -c | awk '$2 != "#" && !seen[$2]++ { print $2 }'
	kill $script
	wait $script
	! grep ERROR "$SCRATCH/exporting"
}
expect export-many 0 'a
h_bucket
h_sum
h_count
s_sum
s_count' export_many
expect export-hosts 1 '--export cannot be used with --remote or --hosts without --merge' "$STAP" --remote=a --export=prometheus:9090 -e "$begin"
expect export-user 0 '# HELP ticks of the timer
# TYPE ticks counter
ticks N' export_user
# Labels of any bytes, names that samples of statistics have, and keys with the name of another key.
export_names() {
	local script
	"$STAP" --runtime=user --export=prometheus:"$port" -e 'global a // \ in "text"
global lat, lat_count, lat_values, b probe begin { a["q\"\\\n"] = 1; a["\xff\xc3"] = 2; a["é"] = 3; a[""] = 4; lat <<< 2; lat_count = 3; lat_values = 4
key2 = 4; b[key2, key2 + 1] = 5 } probe timer.s(100) { exit() } probe end { print(@hist_log(lat)) }' >"$SCRATCH/exporting" 2>&1 &
	script=$!
	for _ in {1..300}; do
		get "http://127.0.0.1:$port/metrics" 2>/dev/null | grep -q '^b{' && break
		sleep 0.1
	done
	get "http://127.0.0.1:$port/metrics"
	kill $script
	wait $script
}
expect export-names 0 '# HELP a \\ in "text"
# TYPE a gauge
a{key1="q\"\\\n"} 1
a{key1="\\xff\\xc3"} 2
a{key1="é"} 3
a{key1=""} 4
# TYPE lat_values_values histogram
lat_values_values_bucket{le="3"} 1
lat_values_values_bucket{le="+Inf"} 1
lat_values_values_sum 2
lat_values_values_count 1
# TYPE lat_count gauge
lat_count 3
# TYPE lat_values gauge
lat_values 4
# TYPE b gauge
b{key2="4",key2_="5"} 5' export_names
scraped() { # with Prometheus's own storage and query language
	printf 'global: { scrape_interval: 1s }\nscrape_configs: [ { job_name: t, static_configs: [ { targets: ["127.0.0.1:%s"] } ] } ]\n' "$port" >"$served/prometheus.yml"
	local own=$((port + 1)) pid answer i
	prometheus --config.file="$served/prometheus.yml" --storage.tsdb.path="$served/data" --web.listen-address="127.0.0.1:$own" >"$served/log" 2>&1 & pid=$!
	for ((i = 0; i < 300; i++)); do
		answer=$(python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' \
			"http://127.0.0.1:$own/api/v1/query?query=histogram_quantile(0.5,sizes_bucket)%20or%20reads" 2>/dev/null)
		[[ $answer != *'"41"'* ]] || break
		sleep 0.1
	done
	kill $pid
	wait $pid
	echo "$answer"
}
if command -v prometheus >/dev/null; then
	expect export-prometheus 0 '"execname":"cat"' serving scraped
else
	skip options/export-prometheus "package prometheus"
fi
# OTLP: a collector that prints the first request, with times masked; one that starts later; URLs and headers that
# are invalid.
collected() {
	python3 - "$port" <<-'E3'
		import http.server, json, re, sys
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
		        self.send_response(200); self.end_headers(); self.wfile.write(b"{}")
		        print(self.path, self.headers["Content-Type"], self.headers["Api-Key"])
		        for m in body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]: print(re.sub(r"\d{19}", "TIME", json.dumps(m)))
		    def log_message(self, *arguments): pass
		server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
		server.timeout = 300
		server.handle_request()
	E3
}
point='"startTimeUnixNano": "TIME", "timeUnixNano": "TIME", "attributes": '
export OTEL_METRIC_EXPORT_INTERVAL=200 OTEL_EXPORTER_OTLP_HEADERS='Api-Key=a%20b'
printf '# HELP nan a \\\\ b\n# TYPE nan gauge\nnan{a="x\\"y,\\\\",b=""} NaN\nbig 18446744073709551616\n# TYPE s summary\ns_sum{k="1"} -5\ns_count{k="1"} 2\n' >"$served/fake/__prometheus"
TARGET=otlp:http://127.0.0.1:$port/v1/metrics expect export-otlp 0 "/v1/metrics application/json a b
{\"name\": \"reads\", \"description\": \"\", \"sum\": {\"dataPoints\": [{${point}[{\"key\": \"execname\", \"value\": {\"stringValue\": \"cat\"}}], \"asInt\": \"41\"}], \"aggregationTemporality\": 2, \"isMonotonic\": true}}
{\"name\": \"sizes\", \"description\": \"\", \"histogram\": {\"dataPoints\": [{${point}[], \"count\": \"2\", \"sum\": 9.0, \"explicitBounds\": [1.0], \"bucketCounts\": [\"1\", \"1\"]}], \"aggregationTemporality\": 2}}
{\"name\": \"nan\", \"description\": \"a \\\\ b\", \"gauge\": {\"dataPoints\": [{${point}[{\"key\": \"a\", \"value\": {\"stringValue\": \"x\\\"y,\\\\\"}}, {\"key\": \"b\", \"value\": {\"stringValue\": \"\"}}], \"asDouble\": \"NaN\"}]}}
{\"name\": \"big\", \"description\": \"\", \"gauge\": {\"dataPoints\": [{${point}[], \"asDouble\": 1.8446744073709552e+19}]}}
{\"name\": \"s\", \"description\": \"\", \"summary\": {\"dataPoints\": [{${point}[{\"key\": \"k\", \"value\": {\"stringValue\": \"1\"}}], \"count\": \"2\", \"sum\": -5.0}]}}" serving collected
later() { # the collector starts after two failures
	sleep 1
	collected
	sleep 1
}
later_once() {
	TARGET=otlp:http://127.0.0.1:$port/v1/metrics timeout 300 "$SOURCE/translator/run/stap-export" "otlp:http://127.0.0.1:$port/v1/metrics" "$served/fake" 2>&1 < <(later >/dev/null) |
		sed 's/: <urlopen.*>;/: REASON;/'
}
expect export-otlp-later 0 "ready
WARNING: --export: cannot send metrics to http://127.0.0.1:$port/v1/metrics: REASON; it is tried again
WARNING: --export: metrics are sent to http://127.0.0.1:$port/v1/metrics again" later_once
unset OTEL_METRIC_EXPORT_INTERVAL OTEL_EXPORTER_OTLP_HEADERS
expect export-otlp-url 1 'otlp:URL, with a URL as http://127.0.0.1:4318/v1/metrics, not "otlp:collector"' "$STAP" --export=otlp:collector -e "$begin"
expect export-otlp-host 1 'the URL is http[s]://HOST[:PORT]/v1/metrics' "$SOURCE/translator/run/stap-export" otlp:http:///v1 fake
expect export-otlp-headers 1 'OTEL_EXPORTER_OTLP_HEADERS is a list of NAME=VALUE' env OTEL_EXPORTER_OTLP_HEADERS='a b' "$SOURCE/translator/run/stap-export" otlp:http://127.0.0.1/ fake
rm -rf "$served"
