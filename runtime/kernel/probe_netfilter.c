/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netfilter hooks, in the network namespace of the process that starts the script. A handler may inspect a packet
 * and, in guru mode, decide about it: the verdict is "accept" unless the handler sets another.
 */
#include "kernel.h"
#include <linux/netfilter.h>
#include <linux/nsproxy.h>
#include <net/net_namespace.h>

enum { HOOK, SKB, IN, OUT, VERDICT };      /* indexes in c->arguments */

struct hook {
	struct nf_hook_ops ops;
	struct net *net;
};

/* If the session does not run, or the hit is skipped, the packet is accepted. */
static unsigned int packet(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct stp_netfilter *n = priv;
	unsigned int verdict = NF_ACCEPT;
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_begin(&c, &flags))
		return verdict;
	c->regs = NULL;
	c->address = 0;
	c->arguments[HOOK] = state->hook;
	c->arguments[SKB] = (unsigned long)skb;
	c->arguments[IN] = (unsigned long)state->in;
	c->arguments[OUT] = (unsigned long)state->out;
	c->arguments[VERDICT] = verdict;
	stp_handler_run(c, n->probe);
	verdict = c->arguments[VERDICT];
	stp_hit_end(c, flags);
	return verdict;
}

/* Accepts only verdicts that leave the packet to the kernel: after NF_STOLEN, no code would free it. */
void stp_netfilter_verdict(struct stp_ctx *c, s64 verdict)
{
	switch ((u32)verdict & NF_VERDICT_MASK) {
	case NF_DROP: case NF_ACCEPT: case NF_QUEUE: case NF_REPEAT: case NF_STOP:
		c->arguments[VERDICT] = (u32)verdict;
		break;
	default:
		stp_error(c, "invalid verdict %lld: use 0 (drop), 1 (accept), 3 (queue), 4 (repeat) or 5 (stop)", verdict);
	}
}

/*
 * Packets in flight call packet(), and the kernel's lists of hooks (nfnetlink_hook) read h->ops until a grace period
 * has passed: nf_unregister_net_hook() does not wait for it (5.10 to 7.2). Bounded wait: the kernel holds the mutex of
 * hooks only while it copies arrays.
 */
static void netfilter_stop(void *table, u32 n)
{
	struct stp_netfilter *p = table, *end = p + n;
	struct hook *h;

	for (p = table; p < end; p++) {
		h = p->state;
		if (h)
			nf_unregister_net_hook(h->net, &h->ops);
	}
	synchronize_net();         /* bounded: hooks run in read-side sections, whose handlers have a budget */
	for (p = table; p < end; p++) {
		h = p->state;
		if (h)
			put_net(h->net);
		plat_free(h);
		p->state = NULL;
	}
}

/* Returns whether the kernel supports the family: it would print a warning about any other. */
static bool has_family(u32 pf)
{
	switch (pf) {
	case NFPROTO_ARP: return IS_ENABLED(CONFIG_NETFILTER_FAMILY_ARP);
	case NFPROTO_BRIDGE: return IS_ENABLED(CONFIG_NETFILTER_FAMILY_BRIDGE);
	default: return true;
	}
}

/* Bounded wait: the kernel holds the mutex of hooks only while it copies arrays. */
static int add(struct stp_netfilter *p)
{
	s64 pf = p->pf_constant ? *p->pf_constant : p->pf;
	struct hook *h;
	int err;

	if (!has_family(pf))
		return -EOPNOTSUPP;
	h = plat_alloc(sizeof(*h), -1);
	if (!h)
		return -ENOMEM;
	h->ops.hook = packet;
	h->ops.priv = p;
	h->ops.pf = pf;
	h->ops.hooknum = p->hook_constant ? *p->hook_constant : p->hook;
	h->ops.priority = p->priority;
	h->net = get_net(current->nsproxy->net_ns);
	err = nf_register_net_hook(h->net, &h->ops);
	if (!err) {
		p->state = h;
		return 0;
	}
	put_net(h->net);
	plat_free(h);
	return err;
}

static const char *reason(int err)
{
	switch (err) {
	case -EOPNOTSUPP: case -ENOENT: case -EINVAL: return "this kernel does not have this hook";
	case -ENOMEM: return "no memory";
	case -E2BIG: return "too many functions are registered at this hook";
	}
	return "the kernel refused the hook";
}

static int netfilter_start(void *table, u32 n)
{
	struct stp_netfilter *p = table;
	char text[160];
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = add(&p[i]);
	if (!err)
		return 0;
	snprintf(text, sizeof(text), "cannot arm %s: %s (error %d)", p[i - 1].probe->point, reason(err), err);
	plat_message(STP_MSG_ERROR, text);
	netfilter_stop(table, n);
	return err;
}

const struct stp_family_ops stp_netfilter_family = {
	.name = "netfilter",
	.start = netfilter_start,
	.stop = netfilter_stop,
};
