// SPDX-License-Identifier: GPL-2.0-or-later
// Declares one run of stap: the options, and what each pass adds for the next.
#ifndef SESSION_H
#define SESSION_H

#include "ast/ast.h"
#include "util/map.h"
#include "util/str.h"
#include "util/vec.h"

struct limit {                 // a -D NAME=VALUE
	const char *name, *value;
};

struct remote {                // a host of --remote
	const char *url;
	const char *gateways;      // on the way to it, for ssh -J; NULL or empty: none
	int number;                // number among all hosts, from 0
	const char *release, *arch;    // release and machine, as the host reported them
};

struct options {               // driver/options.c: from argv, checked, never changed afterwards
	int last_pass;             // -p, 5
	int verbose[6];            // [pass], -v and --vp
	bool keep_tmp;             // -k
	bool guru;                 // -g
	bool no_optimize;          // -u
	bool disable_cache, clean_cache, kbuild;
	bool user_runtime;         // --runtime=user
	bool runtime_given;        // --runtime, --dyninst or --bpf
	bool bpf_runtime;          // --runtime=bpf: event probes as BPF programs, the others in a process
	bool vm; const char *vm_release;  // --vm[=RELEASE]
	bool list, list_vars;      // -l and -L; -L alone
	bool list_source;          // --source: with the source line of each point of -L
	const char *source_dir;    // --source=DIR: where source files are searched first; NULL: only where they were compiled
	bool json;                 // --json: lists as JSON
	enum dump { DUMP_NONE, DUMP_PROBE_TYPES, DUMP_PROBE_ALIASES, DUMP_FUNCTIONS, DUMP_LAYOUT } dump;
	enum fmt { FORMAT_NONE, FORMAT_PRINT, FORMAT_WRITE, FORMAT_CHECK } format;  // --fmt
	bool lint;                 // --lint
	bool doctor;               // --doctor
	bool interactive;          // -i
	bool language_server;      // --language-server
	VEC(const char *) words;   // -i: all options but -i, for the runs that it starts
	const char *complete;      // --complete: a command line up to the cursor, or NULL
	const char *types;         // --types NAME[@MODULE], for DUMP_LAYOUT
	const char *release;       // -r RELEASE or that of the running kernel
	VEC(const char *) releases;       // all -r RELEASE
	const char *bundle, *sign_bundle; // --bundle: FILE, --sign-bundle: KEY; or NULL
	const char *build_tree;    // -r /PATH, or NULL
	VEC(const char *) headers; // --headers: packages, or a directory
	const char *image;         // --image, or NULL
	const char *sign_module;   // --sign-module: KEY[,CERT], "": those of this host; NULL: not signed
	const char *module_name;   // -m, or NULL
	const char *script_text;   // -e, or made of the point of -l/-L
	const char *script_file;   // FILE or "-"
	VEC(const char *) extra_scripts;  // -E
	VEC(const char *) include_dirs;   // -I
	VEC(struct limit) defines;        // -D
	VEC(struct limit) globals;        // -G
	const char *arch;                  // -a: kbuild's name of the machine, NULL: the kernel's
	VEC(const char *) make_vars;      // -B NAME=VALUE
	VEC(struct remote) remotes;      // --remote: hosts of this kernel
	int remotes_all;           // number of hosts of every kernel
	bool remote_prefix;        // --remote-prefix
	int min_hosts;             // --min-hosts, 0: all
	double hosts_timeout_s;    // --timeout, 0: none
	// --merge: the part of the script that is translated; WHOLE: both, to find what can be merged
	enum merge { MERGE_NONE, MERGE_HERE, MERGE_HOST, MERGE_WHOLE } merge;
	const char *export;        // --export=prometheus:[ADDR:]PORT: the part after the first ":", or NULL
	VEC(struct limit) modinfo;        // --modinfo
	const char *runtime_dir;   // -R, or NULL
	const char *output;        // -o
	const char *switching;     // -S MB[,FILES], or NULL
	bool bulk;                 // -b
	const char *output_format; // -f, or NULL
	const char *dash_format;   // --output=FORMAT:-, or NULL
	VEC(const char *) outputs; // --output: FORMAT:FILE
	bool json_safe;            // --json-safe
	bool record;               // --record
	bool records;              // the output consists of records, which stap-report reads
	bool timing;               // -t
	bool example, example_show;        // --example: the script is one of the examples; --show: print it
	bool from_bpftrace;         // --from=bpftrace: translate the script and print it
	const char *monitor;       // --monitor: seconds, or NULL
	bool quiet;                // -q: no line of progress
	bool follow;               // --follow: comparisons with target() include its descendants
	bool exclude_self;         // --exclude-self: no hits in tasks of stapio and staprun
	bool strict;               // --strict: losses make the exit status 3
	bool suppress_errors, suppress_time_limits;   // --suppress-handler-errors, --suppress-time-limits
	bool flight_recorder;      // -F
	int namespaces_pid;        // --target-namespaces, 0: none
	const char *command;       // -c
	int target_pid;            // -x
	int buffer_mb;             // -s, 0: the runtime's default
	double timeout_s;          // -T, 0: none
	VEC(const char *) args;    // script arguments: $1 ...
	VEC(const char *) objects; // -d: programs whose functions usymname() and the like resolve
	bool libraries;            // --ldd: also functions of their libraries
	bool no_autoprint;         // --no-global-var-display
	const char *compatible;    // --compatible, else LANGUAGE_VERSION
	bool compatible_given;
	bool check_version;        // --check-version
	bool skip_badvars;         // --skip-badvars
	bool keep_going;           // --semantic-keep-going
	bool poison_cache;         // --poison-cache
	enum privilege { PRIVILEGE_STAPDEV, PRIVILEGE_STAPSYS, PRIVILEGE_STAPUSR } privilege;
	bool privilege_given;         // otherwise main.c derives it from the user's groups
	const char *tmp_dir;       // --tmpdir, or NULL: a directory of the session's own
};

#define LANGUAGE_VERSION "5.6" // the newest version of the language that is supported

struct cache_key { char hex[65]; };    // SHA-256 of what went into a cached file (cache/cache.c)

struct c_unit {                // embedded C of one source file that needs headers
	const struct source *source;
	struct loc loc;            // location of some part of it, for messages
	struct buf text;
	const char *object;        // module/embedded.c: compiled
	struct cache_key key;      // module/embedded.c: hash of the text, its headers and the compiler
};

struct c_file { const char *name; const void *bytes; size_t len; };

struct c_function {            // a function of the generated C or of a c_unit
	const char *part;          // the part of the script from which it was generated, for messages
	struct loc loc;            // location of that part
	const struct probe *handler;   // the probe whose handler it is, or NULL
	name_list calls;           // functions of the same kind that it calls
};

struct session {
	struct options opt;
	bool kprobes_missing;      // function.c: an error has reported that the kernel has no kprobes
	bool arguments_missing;    // lex: the script refers to script arguments that were not given
	bool incomplete;           // elab: declarations were removed because of errors, so not all uses are visible
	char *tmp_dir;             // main: removed at the end unless -k
	struct toolchain *toolchain;   // toolchain/toolchain.c; NULL: not opened yet
	char *cache_dir;           // cache/cache.c; NULL: caching is off
	const void *marked;        // driver/self_probes.c: the address that identifies the session in static probes
	char *tapset_dir, *runtime_dir, *libexec_dir;  // session.c: installed or beside the build
	const char *manual_dir;            // has man3/error::pass2.3stap if the manual was installed, or made; or NULL
	char *examples_dir;        // session.c: beside tapset_dir; NULL: all are set by environment variables

	// pass 1
	VEC(struct source *) sources;      // the user's texts, in order
	struct library *library;           // library files that were read: index and parsed files
	struct script script;
	int bucket_keys;           // number of keys of @hist_log(x[key]) in foreach so far, in all files
	int library_files;                 // number of files parsed, for -v

	// pass 2
	struct declarations *declarations; // elab/declarations.c: declarations by name
	// target/kernel.c: properties of the target kernel; NULL on the user runtime
	struct kernel *kernel;
	struct debuginfo *debuginfo;       // debuginfo/lookup/module.c, opened at first use
	bool reads_input;                  // probes: staprun has to relay standard input
	name_list host_settings;   // merge: name=value of -G for the part that runs on hosts
	VEC(const char *) programs;        // probes: absolute paths of probed programs
	struct module_data *module_data;   // elab/module_data.c: debuginfo that the module contains

	// pass 3
	struct emitter *emitter;           // emit: the state of the pass; NULL outside of it
	char *c_text;                      // emit: the generated C
	VEC(struct c_file) c_files;        // emit_bytes.c: files that the generated C includes
	struct map c_functions;            // emit: name -> struct c_function
	size_t c_len;
	name_list runtime_families;        // emit: families that have tables in the C, such as "timer"
	VEC(struct c_unit *) units;        // emit_embedded.c: C that is compiled separately, with headers

	// pass 4
	char *module_name;                 // without .ko
	char *module_path;                 // the .ko, or the program on the user runtime, in tmp_dir or at the path
					   // of -m
	char *stored_path;                 // its path in the cache, which pass 4 prints; NULL: not in the cache
	bool module_cached;                // the module was found in the cache, and nothing was compiled
};

// session.c: Sets the directories of the installation, or of the sources and the build.
void session_find_directories(struct session *s);
// Makes the temporary directory (die() removes it, too).
void session_open(struct session *s);
void session_close(struct session *s);
// programs.c: returns the absolute path of a program or library: a path; a name as execvp() finds it, in the current
// folder, as the last component of the program of -c or of an object of -d, or beside the script's file. NULL: not
// found.
char *session_program(const struct session *s, const char *name);
// Collects the files whose code a process ("/proc/PID") has mapped, with paths by which this process can open them.
void session_mapped_files(const char *process, name_list *paths);
// user_dir.c: Returns $SYSTEMTAP_DIR, else ~/.systemtap, which may not exist.
const char *session_user_dir(void);
// Ends the program at once with that exit status, from a signal handler, and removes the temporary directory.
void session_abandon(int status) __attribute__((noreturn));

// limits.c: session_limit() returns the value of -DNAME=VALUE, else the default of limits.def; if that is STP_DERIVED
// the caller calls session_limit_given() first.
enum limit_name {
#define LIMIT(name, min, max, usual, unit, text) LIMIT_##name,
#define SWITCH(name, text) LIMIT_##name,
#define NO_EFFECT(name) LIMIT_##name,
#include "limits.def"
};
int64_t session_limit(const struct session *s, enum limit_name name);
bool session_limit_given(const struct session *s, enum limit_name name);
int64_t limit_max(enum limit_name name);
// Ends the program if a -D is out of range; warns about unknown names that are similar to a limit's.
void limits_check(const struct session *s);
// Warns of names that nothing uses. Called after pass 2, or after pass 1 if it is the last.
void limits_check_unused(const struct session *s);

// compatible.c: Returns whether a construct at loc behaves as since version `since`. --compatible selects an older
// version for the user's script, never for the library. what: its name in warnings of --check-version.
bool session_since(const struct session *s, struct loc loc, const char *since, const char *what);

// Adds a text to the sources of the session. name: as shown in messages.
#define MONITOR_SOURCE "<monitor>"              // name of the source that --monitor adds
#define TIMEOUT_SOURCE "<timeout>"              // name of the source that -T adds
struct source *session_source(struct session *s, const char *name, const char *text, size_t len);

#endif
