// SPDX-License-Identifier: GPL-2.0-or-later
// --hosts=@GROUP: the gateways on the way to the hosts, from ClusterShell's topology.conf. ClusterShell's tree mode
// sends the same input to all hosts, and passes their output on by lines, so a session cannot use it: instead, ssh
// reaches the host through the gateways of the tree (ssh -J).
#include "run/host.h"
#include "run/remote.h"

#include "util/diag.h"
#include "util/program_path.h"
#include "util/spawn.h"
#include "util/str.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Prints a line for each host: the gateways, separated by commas; empty: none. Of several gateways, each gets as many
// hosts. ClusterShell uses the last of its files that exists, and so does this.
static const char program[] =
	"import os, socket, sys\n"
	"from ClusterShell.Task import Task\n"
	"from ClusterShell.Topology import TopologyError, TopologyParser\n"
	"files = [f for f in Task.TOPOLOGY_CONFIGS if os.path.exists(f)]\n"
	"if not files: sys.exit()\n"
	"try: tree = TopologyParser(files[-1]).tree(socket.gethostname().split('.')[0])\n"
	"except TopologyError as e: sys.exit('%s: %s' % (files[-1], e))\n"
	"ways, used = {}, {}\n"
	"def visit(group, way):\n"
	"    for child in group.children():\n"
	"        for host in child.nodeset: ways[host] = way\n"
	"        visit(child, way + [sorted(child.nodeset)])\n"
	"visit(tree.root, [])\n"
	"def choose(gateways):\n"
	"    best = min(gateways, key=lambda g: used.get(g, 0))\n"
	"    used[best] = used.get(best, 0) + 1\n"
	"    return best\n"
	"for host in sys.argv[1:]: print(','.join(choose(g) for g in ways.get(host, [])))\n";

// Returns the interpreter of nodeset, for which ClusterShell is installed.
static const char *interpreter(void)
{
	const char *nodeset = program_path("nodeset");
	char *text = nodeset ? str_read_start(nodeset, 256, NULL) : NULL;

	if (!text || !str_starts(text, "#!"))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	text += 2 + strspn(text + 2, " ");
	return strstr(text, "python") && !strchr(text, ' ') && !access(text, X_OK) ? text : NULL;
}

void routes_find(const char *group, const name_list *hosts, name_list *gateways)
{
	struct spawn run = { .capture = true };
	const char *python = interpreter();
	arguments argv = { 0 };
	char *line;

	if (!python)
		return;
	vec_push(&argv, python);
	vec_push(&argv, "-c");
	vec_push(&argv, program);
	for vec_each(hosts, host)
		vec_push(&argv, *host);
	vec_push(&argv, NULL);
	run.argv = argv.at;
	if (spawn_run(&run)) {
		fprintf(stderr, "WARNING: --hosts=%s: ssh uses no gateways, since ClusterShell's topology cannot be used: %s\n",
			group, str_escape(run.output, strcspn(run.output, "\n")));
		return;
	}
	for (line = run.output; *line; line += strlen(line) + 1) {
		char *end = strchr(line, '\n');

		if (!end)
			break;
		*end = '\0';
		vec_push(gateways, (const char *)line);
	}
}
