// SPDX-License-Identifier: GPL-2.0-or-later
// netfilter.hook("HOOK").pf("FAMILY")[.priority("N")], hook and pf in either order: packets at the hooks of the
// kernel's filters. $skb, $in, $out, $hooknum, $verdict, which guru scripts may assign to.
//
// In: a matched point. Out: one probe, and the table of struct stp_netfilter.
#include "debuginfo/debuginfo.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "resolve/family.h"
#include "probes/accessor_var.h"
#include "util/str.h"

#include <ctype.h>
#include <string.h>

extern const struct probe_family family_netfilter;

struct hook {                  // probe.data
	int64_t pf, number, priority;
	const char *pf_constant, *hook_constant;       // names of C constants; NULL: pf and number are the values
	struct loc loc;            // location of the point
};

// ---------------------------------------------------------------- names, as in <linux/netfilter*.h>

struct name {
	const char *name;
	int64_t value;
};
enum { IPV4 = 2, ARP = 3, BRIDGE = 7, IPV6 = 10 };

static const struct name families[] = {
	{ "NFPROTO_IPV4", IPV4 }, { "NFPROTO_ARP", ARP }, { "NFPROTO_BRIDGE", BRIDGE }, { "NFPROTO_IPV6", IPV6 },
	{ "PF_INET", IPV4 }, { "PF_BRIDGE", BRIDGE }, { "PF_INET6", IPV6 },
};
#define INET_HOOKS(prefix)						\
	{ prefix "_PRE_ROUTING", 0 }, { prefix "_LOCAL_IN", 1 },	\
	{ prefix "_FORWARD", 2 }, { prefix "_LOCAL_OUT", 3 }, { prefix "_POST_ROUTING", 4 }
static const struct name ipv4_hooks[] = { INET_HOOKS("NF_INET"), INET_HOOKS("NF_IP") };
static const struct name ipv6_hooks[] = { INET_HOOKS("NF_INET"), INET_HOOKS("NF_IP6") };
static const struct name arp_hooks[] = { { "NF_ARP_IN", 0 }, { "NF_ARP_OUT", 1 }, { "NF_ARP_FORWARD", 2 } };
static const struct name bridge_hooks[] = { INET_HOOKS("NF_BR"), { "NF_BR_BROUTING", 5 } };

#define PRIORITIES(prefix)							\
	{ prefix "_FIRST", INT32_MIN }, { prefix "_RAW_BEFORE_DEFRAG", -450 },	\
	{ prefix "_CONNTRACK_DEFRAG", -400 }, { prefix "_RAW", -300 },		\
	{ prefix "_SELINUX_FIRST", -225 }, { prefix "_CONNTRACK", -200 },	\
	{ prefix "_MANGLE", -150 }, { prefix "_NAT_DST", -100 }, { prefix "_FILTER", 0 }, \
	{ prefix "_SECURITY", 50 }, { prefix "_NAT_SRC", 100 }, { prefix "_SELINUX_LAST", 225 }, \
	{ prefix "_CONNTRACK_HELPER", 300 }, { prefix "_LAST", INT32_MAX }
static const struct name ipv4_priorities[] = {
	PRIORITIES("NF_IP_PRI"), { "NF_IP_PRI_CONNTRACK_CONFIRM", INT32_MAX },
};
static const struct name ipv6_priorities[] = { PRIORITIES("NF_IP6_PRI") };

// ---------------------------------------------------------------- resolve

static bool parse_number(const char *text, int64_t *value)
{
	return number_whole(text, 0, INT32_MIN, INT32_MAX, value);
}

struct names { const struct name *at; int n; };

static void add_names(const void *from, name_list *out)
{
	const struct names *names = from;

	for (int i = 0; i < names->n; i++)
		vec_push(out, names->at[i].name);
}

static bool is_identifier(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

// Finds the value of a name or number. A number requires guru mode unless `constant` is NULL. In guru mode a name that
// is not in the table is accepted: *constant is set to it.
static int find(struct session *s, const struct point_part *part, const struct name *names, int n,
		const char **constant, int64_t *value)
{
	struct names all = { names, n };

	for (int i = 0; i < n; i++) {
		*value = names[i].value;
		if (!strcmp(names[i].name, part->text))
			return 0;
	}
	if (parse_number(part->text, value)) {
		if (!constant || s->opt.guru)
			return 0;
		diag_error(part->loc, "%s(\"%s\"): a number requires guru mode (-g); use a "
			   "name", part->name, part->text);
		return 1;
	}
	if (constant && s->opt.guru && is_identifier(part->text)) {
		*constant = part->text;
		*value = -1;
		return 0;
	}
	diag_error(part->loc, "%s(\"%s\") is unknown%s", part->name, part->text, n ?
		   diag_similar(part->text, add_names, &all) : ": this protocol family has no names; use a number");
	return 1;
}

#define FIND(s, part, names, constant, value) find(s, part, names, ARRAY_SIZE(names), constant, value)

static int find_hook(struct session *s, const struct point_part *part, struct hook *h)
{
	switch (h->pf) {
	case IPV4:   return FIND(s, part, ipv4_hooks, &h->hook_constant, &h->number);
	case IPV6:   return FIND(s, part, ipv6_hooks, &h->hook_constant, &h->number);
	case ARP:    return FIND(s, part, arp_hooks, &h->hook_constant, &h->number);
	case BRIDGE: return FIND(s, part, bridge_hooks, &h->hook_constant, &h->number);
	default:     return find(s, part, NULL, 0, &h->hook_constant, &h->number);
	}
}

static int find_priority(struct session *s, const struct point_part *part, struct hook *h)
{
	if (h->pf == IPV4)
		return FIND(s, part, ipv4_priorities, NULL, &h->priority);
	if (h->pf == IPV6)
		return FIND(s, part, ipv6_priorities, NULL, &h->priority);
	return find(s, part, NULL, 0, NULL, &h->priority);
}

static int netfilter_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *priority = point_find(m->point, "priority");
	struct hook *h = NEW(struct hook);

	h->loc = m->point->loc;
	if (FIND(s, point_find(m->point, "pf"), families, &h->pf_constant, &h->pf))
		return 1;
	if (find_hook(s, point_find(m->point, "hook"), h) || (priority && find_priority(s, priority, h)))
		return 1;
	probe_add(s, &family_netfilter, m, point_text(m->point), h);
	return 0;
}

// ---------------------------------------------------------------- variables

static const struct variable {
	const char *name, *type;   // type: its target type, if it is a pointer; NULL: it is a number
} variables[] = {
	{ "hooknum", NULL }, { "skb", "struct sk_buff" }, { "in", "struct net_device" }, { "out", "struct net_device" },
	{ "verdict", NULL },
};

static int netfilter_rewrite(struct session *s, struct probe *p)
{
	static const struct value_variable verdict = { .name = "verdict", .set = "__netfilter_verdict", .guru = true };

	return value_rewrite(s, p, &verdict, 1);
}

static struct expr *netfilter_target(struct session *s, struct probe *p, struct expr *target)
{
	name_list names = { 0 };

	for (int i = 0; i < (int)ARRAY_SIZE(variables); i++) {
		const struct variable *v = &variables[i];
		struct di_variable d = { .name = v->name, .loc.kind = DI_LOC_VALUE };
		struct di_op op = { .code = DI_OP_REG, .value = DI_ARGUMENT + i };
		struct di_type *t = v->type ? di_find_type(di_kernel(s), v->type) : NULL;
		struct expr *e;

		vec_push(&names, v->name);
		if (strcmp(v->name, target->u.target.name))
			continue;
		if (t) {
			d.type = di_pointer_to(t);
			vec_push(&d.loc.ops, op);
			return target_variable(target->loc, &d);
		}
		e = expr_new(E_REGISTER, target->loc);
		e->type = T_LONG;
		e->u.reg.number = DI_ARGUMENT + i;
		e->u.reg.size = 8;
		return e;
	}
	return target_not_found(target, "a netfilter probe", target_similar(target->u.target.name, &names));
}

static void netfilter_names(struct session *s, struct probe *p, target_names *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		vec_push(out, ((struct target_name){ variables[i].name, variables[i].type ?
			 str_printf("%s *", variables[i].type) : "unsigned int", TARGET_PARAMETER }));
}

// ---------------------------------------------------------------- emit

// Returns the initializer of a member that refers to the constant; "" without a constant.
static const char *constant(struct session *s, struct cwriter *w, const char *member, const char *name, struct loc loc)
{
	static const char headers[] = "#include <linux/netfilter.h>\n#include <linux/netfilter_arp.h>\n"
		"#include <linux/netfilter_bridge.h>\n#include <linux/netfilter_ipv4.h>\n#include <linux/netfilter_ipv6.h>\n";

	return name ? str_printf(" .%s_constant = &%s,", member, emit_c_constant(s, w, headers, name, loc)) : "";
}

static void netfilter_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	const char **constants = NEW_ARRAY(const char *, n + 1);

	for (int i = 0; i < n; i++) {
		const struct hook *h = probes[i]->data;

		constants[i] = str_printf("%s%s", constant(s, w, "pf", h->pf_constant, h->loc),
					  constant(s, w, "hook", h->hook_constant, h->loc));
	}
	cw_line(w, "static struct stp_netfilter stp_netfilters[] = {");
	for (int i = 0; i < n; i++) {
		const struct hook *h = probes[i]->data;

		cw_line(w, "{ .probe = %s, .pf = %d, .hook = %d, .priority = (s32)%lldLL,%s }, /* %s */",
			emit_probe_ref(probes[i]), (int)h->pf, (int)h->number, (long long)h->priority, constants[i],
			probes[i]->point);
	}
	cw_line(w, "};");
	emit_family_table(s, "netfilter", "stp_netfilters", n);
}

static void netfilter_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	cw_line(w, "STP_ON_NETFILTER(%s)", rest);
}

// The conditions of the kernel's bpf_nf_check_pf_and_hooks(), as of 6.4 to 6.18.
static const char *netfilter_bpf_refusal(const struct probe *p)
{
	enum { INET_HOOKS_MOST = 4 };
	const struct hook *h = p->data;

	if (!h->pf_constant && h->pf != IPV4 && h->pf != IPV6)
		return "a hook of netfilter of another protocol family than NFPROTO_IPV4 and NFPROTO_IPV6 is not supported";
	if (h->pf_constant || h->hook_constant)
		return "a constant of C as a hook or a protocol family of netfilter is not supported";
	if (h->number < 0 || h->number > INET_HOOKS_MOST)
		return "a hook of netfilter with another number than 0 to 4 is not supported";
	if (h->priority == INT32_MIN || h->priority == INT32_MAX)
		return "the first or last priority of netfilter is not supported (use \"-2147483647\" or \"2147483646\")";
	return NULL;
}

static const char *const patterns[] = {
	"netfilter.hook(string).pf(string)", "netfilter.pf(string).hook(string)",
	"netfilter.hook(string).pf(string).priority(string)", "netfilter.pf(string).hook(string).priority(string)", NULL,
};

const struct probe_family family_netfilter = {
	.name = "netfilter",
	.not_of_task = true,
	.arrival_ns = 50,
	.bpf_program = netfilter_bpf_program,
	.bpf_refusal = netfilter_bpf_refusal,
	.bpf_base_helpers = true,
	.patterns = patterns,
	.resolve = netfilter_resolve,
	.rewrite = netfilter_rewrite,
	.target = netfilter_target,
	.target_names = netfilter_names,
	.emit = netfilter_emit,
};
