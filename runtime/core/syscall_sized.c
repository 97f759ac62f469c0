/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structures whose members depend on a command, a size or flags: of bpf(), perf_event_open(), clone3(), io_submit() and
 * others, formatted as strace does. They have the same layout in 64-bit and 32-bit processes. Context and errors as in
 * syscall.c.
 */
#include "syscall_fields.h"

#define FIELD(name, at, size, form, ...) { name, at, size, at, size, form, ##__VA_ARGS__ }

/* ------------------------------------------------------------------ bpf() */

NUMBERED(bpf_map, "BPF_MAP_TYPE_",
	 "UNSPEC", "HASH", "ARRAY", "PROG_ARRAY", "PERF_EVENT_ARRAY", "PERCPU_HASH", "PERCPU_ARRAY", "STACK_TRACE",
	 "CGROUP_ARRAY", "LRU_HASH", "LRU_PERCPU_HASH", "LPM_TRIE", "ARRAY_OF_MAPS", "HASH_OF_MAPS", "DEVMAP",
	 "SOCKMAP", "CPUMAP", "XSKMAP", "SOCKHASH", "CGROUP_STORAGE", "REUSEPORT_SOCKARRAY", "PERCPU_CGROUP_STORAGE",
	 "QUEUE", "STACK", "SK_STORAGE", "DEVMAP_HASH", "STRUCT_OPS", "RINGBUF", "INODE_STORAGE", "TASK_STORAGE",
	 "BLOOM_FILTER", "USER_RINGBUF", "CGRP_STORAGE", "ARENA");
NUMBERED(bpf_prog, "BPF_PROG_TYPE_",
	 "UNSPEC", "SOCKET_FILTER", "KPROBE", "SCHED_CLS", "SCHED_ACT", "TRACEPOINT", "XDP", "PERF_EVENT",
	 "CGROUP_SKB", "CGROUP_SOCK", "LWT_IN", "LWT_OUT", "LWT_XMIT", "SOCK_OPS", "SK_SKB", "CGROUP_DEVICE",
	 "SK_MSG",
	 "RAW_TRACEPOINT", "CGROUP_SOCK_ADDR", "LWT_SEG6LOCAL", "LIRC_MODE2", "SK_REUSEPORT", "FLOW_DISSECTOR",
	 "CGROUP_SYSCTL", "RAW_TRACEPOINT_WRITABLE", "CGROUP_SOCKOPT", "TRACING", "STRUCT_OPS", "EXT", "LSM",
	 "SK_LOOKUP", "SYSCALL", "NETFILTER");
NUMBERED(bpf_attach, "BPF_",
	 "CGROUP_INET_INGRESS", "CGROUP_INET_EGRESS", "CGROUP_INET_SOCK_CREATE", "CGROUP_SOCK_OPS",
	 "SK_SKB_STREAM_PARSER", "SK_SKB_STREAM_VERDICT", "CGROUP_DEVICE", "SK_MSG_VERDICT", "CGROUP_INET4_BIND",
	 "CGROUP_INET6_BIND", "CGROUP_INET4_CONNECT", "CGROUP_INET6_CONNECT", "CGROUP_INET4_POST_BIND",
	 "CGROUP_INET6_POST_BIND", "CGROUP_UDP4_SENDMSG", "CGROUP_UDP6_SENDMSG", "LIRC_MODE2", "FLOW_DISSECTOR",
	 "CGROUP_SYSCTL", "CGROUP_UDP4_RECVMSG", "CGROUP_UDP6_RECVMSG", "CGROUP_GETSOCKOPT", "CGROUP_SETSOCKOPT",
	 "TRACE_RAW_TP", "TRACE_FENTRY", "TRACE_FEXIT", "MODIFY_RETURN", "LSM_MAC", "TRACE_ITER",
	 "CGROUP_INET4_GETPEERNAME", "CGROUP_INET6_GETPEERNAME", "CGROUP_INET4_GETSOCKNAME",
	 "CGROUP_INET6_GETSOCKNAME", "XDP_DEVMAP", "CGROUP_INET_SOCK_RELEASE", "XDP_CPUMAP", "SK_LOOKUP", "XDP",
	 "SK_SKB_VERDICT", "SK_REUSEPORT_SELECT", "SK_REUSEPORT_SELECT_OR_MIGRATE", "PERF_EVENT",
	 "TRACE_KPROBE_MULTI", "LSM_CGROUP");
NAMED(bpf_map_flags, { 1, "BPF_F_NO_PREALLOC" }, { 2, "BPF_F_NO_COMMON_LRU" }, { 4, "BPF_F_NUMA_NODE" },
      { 8, "BPF_F_RDONLY" }, { 0x10, "BPF_F_WRONLY" }, { 0x20, "BPF_F_STACK_BUILD_ID" }, { 0x40, "BPF_F_ZERO_SEED" },
      { 0x80, "BPF_F_RDONLY_PROG" }, { 0x100, "BPF_F_WRONLY_PROG" }, { 0x200, "BPF_F_CLONE" },
      { 0x400, "BPF_F_MMAPABLE" }, { 0x800, "BPF_F_PRESERVE_ELEMS" }, { 0x1000, "BPF_F_INNER_MAP" },
      { 0x2000, "BPF_F_LINK" });
NAMED(bpf_open_flags, { 8, "BPF_F_RDONLY" }, { 0x10, "BPF_F_WRONLY" });
VALUES(bpf_update, { 0, "BPF_ANY" }, { 1, "BPF_NOEXIST" }, { 2, "BPF_EXIST" }, { 4, "BPF_F_LOCK" });
NAMED(bpf_lookup_flags, { 0, "BPF_ANY" }, { 4, "BPF_F_LOCK" });
NAMED(bpf_prog_flags, { 1, "BPF_F_STRICT_ALIGNMENT" }, { 2, "BPF_F_ANY_ALIGNMENT" }, { 4, "BPF_F_TEST_RND_HI32" },
      { 8, "BPF_F_TEST_STATE_FREQ" }, { 0x10, "BPF_F_SLEEPABLE" }, { 0x20, "BPF_F_XDP_HAS_FRAGS" });
NAMED(bpf_attach_flags, { 1, "BPF_F_ALLOW_OVERRIDE" }, { 2, "BPF_F_ALLOW_MULTI" }, { 4, "BPF_F_REPLACE" });
NAMED(bpf_query_flags, { 1, "BPF_F_QUERY_EFFECTIVE" });
NAMED(bpf_test_flags, { 1, "BPF_F_TEST_RUN_ON_CPU" });
NUMBERED(bpf_fd, "BPF_FD_TYPE_", "RAW_TRACEPOINT", "TRACEPOINT", "KPROBE", "KRETPROBE", "UPROBE", "URETPROBE");
NUMBERED(bpf_stats, "BPF_STATS_", "RUN_TIME");

FIELDS_UNTIL(bpf_create, "", FIELD("{map_type=", 0, 4, LIST, &bpf_map_set), FIELD(", key_size=", 4, 4, UNS),
	     FIELD(", value_size=", 8, 4, UNS), FIELD(", max_entries=", 12, 4, UNS),
	     FIELD(", map_flags=", 16, 4, NAMES, &bpf_map_flags_set), FIELD(", inner_map_fd=", 20, 4, DEC),
	     { ", numa_node=", 24, 4, 16, 4, IF_FLAG }, FIELD(", map_name=", 28, 16, TEXT),
	     FIELD(", map_ifindex=", 44, 4, UNS), FIELD(", btf_fd=", 48, 4, DEC),
	     FIELD(", btf_key_type_id=", 52, 4, UNS),
	     FIELD(", btf_value_type_id=", 56, 4, UNS), FIELD(", btf_vmlinux_value_type_id=", 60, 4, UNS),
	     FIELD(", map_extra=", 64, 8, UNS));
#define ELEMENT FIELD("{map_fd=", 0, 4, DEC), FIELD(", key=", 8, 8, ADDR)
FIELDS_UNTIL(bpf_lookup, "", ELEMENT, FIELD(", value=", 16, 8, ADDR),
	     FIELD(", flags=", 24, 8, NAMES, &bpf_lookup_flags_set));
FIELDS_UNTIL(bpf_update, "", ELEMENT, FIELD(", value=", 16, 8, ADDR),
	     FIELD(", flags=", 24, 8, NAMES, &bpf_update_set));
FIELDS_UNTIL(bpf_delete, "", ELEMENT);
FIELDS_UNTIL(bpf_next_key, "", ELEMENT, FIELD(", next_key=", 16, 8, ADDR));
FIELDS_UNTIL(bpf_load, "", FIELD("{prog_type=", 0, 4, LIST, &bpf_prog_set), FIELD(", insn_cnt=", 4, 4, UNS),
	     FIELD(", insns=", 8, 8, ADDR), FIELD(", license=", 16, 8, STRING), FIELD(", log_level=", 24, 4, UNS),
	     FIELD(", log_size=", 28, 4, UNS), { ", log_buf=", 32, 8, 28, 4, LOG },
	     FIELD(", kern_version=", 40, 4, RELEASE),
	     FIELD(", prog_flags=", 44, 4, NAMES, &bpf_prog_flags_set), FIELD(", prog_name=", 48, 16, TEXT),
	     FIELD(", prog_ifindex=", 64, 4, UNS), FIELD(", expected_attach_type=", 68, 4, LIST, &bpf_attach_set),
	     FIELD(", prog_btf_fd=", 72, 4, DEC), FIELD(", func_info_rec_size=", 76, 4, UNS),
	     FIELD(", func_info=", 80, 8, ADDR), FIELD(", func_info_cnt=", 88, 4, UNS),
	     FIELD(", line_info_rec_size=", 92, 4, UNS), FIELD(", line_info=", 96, 8, ADDR),
	     FIELD(", line_info_cnt=", 104, 4, UNS), FIELD(", attach_btf_id=", 108, 4, UNS),
	     FIELD(", attach_prog_fd=", 112, 4, DEC), FIELD(", fd_array=", 120, 8, ADDR));
FIELDS_UNTIL(bpf_object, "", FIELD("{pathname=", 0, 8, STRING), FIELD(", bpf_fd=", 8, 4, DEC),
	     FIELD(", file_flags=", 12, 4, NAMES, &bpf_open_flags_set));
FIELDS_UNTIL(bpf_attachment, "", FIELD("{target_fd=", 0, 4, DEC), FIELD(", attach_bpf_fd=", 4, 4, DEC),
	     FIELD(", attach_type=", 8, 4, LIST, &bpf_attach_set),
	     FIELD(", attach_flags=", 12, 4, NAMES, &bpf_attach_flags_set), FIELD(", replace_bpf_fd=", 16, 4, DEC));
FIELDS_UNTIL(bpf_detachment, "", FIELD("{target_fd=", 0, 4, DEC),
	     FIELD(", attach_type=", 8, 4, LIST, &bpf_attach_set));
FIELDS_UNTIL(bpf_test, "}", FIELD("{test={prog_fd=", 0, 4, DEC), FIELD(", retval=", 4, 4, UNS),
	     FIELD(", data_size_in=", 8, 4, UNS), FIELD(", data_size_out=", 12, 4, UNS),
	     FIELD(", data_in=", 16, 8, ADDR),
	     FIELD(", data_out=", 24, 8, ADDR), FIELD(", repeat=", 32, 4, UNS), FIELD(", duration=", 36, 4, UNS),
	     FIELD(", ctx_size_in=", 40, 4, UNS), FIELD(", ctx_size_out=", 44, 4, UNS),
	     FIELD(", ctx_in=", 48, 8, ADDR),
	     FIELD(", ctx_out=", 56, 8, ADDR), FIELD(", flags=", 64, 4, NAMES, &bpf_test_flags_set),
	     FIELD(", cpu=", 68, 4, UNS), FIELD(", batch_size=", 72, 4, UNS));
#define AFTER_ID FIELD(", next_id=", 4, 4, UNS), FIELD(", open_flags=", 8, 4, NAMES, &bpf_open_flags_set)
FIELDS_UNTIL(bpf_next_id, "", FIELD("{start_id=", 0, 4, UNS), AFTER_ID);
FIELDS_UNTIL(bpf_prog_id, "", FIELD("{prog_id=", 0, 4, UNS), AFTER_ID);
FIELDS_UNTIL(bpf_map_id, "", FIELD("{map_id=", 0, 4, UNS), AFTER_ID);
FIELDS_UNTIL(bpf_btf_id, "", FIELD("{btf_id=", 0, 4, UNS));
FIELDS_UNTIL(bpf_link_id, "", FIELD("{link_id=", 0, 4, UNS));
FIELDS_UNTIL(bpf_info, "}", FIELD("{info={bpf_fd=", 0, 4, DEC), FIELD(", info_len=", 4, 4, UNS),
	     FIELD(", info=", 8, 8, ADDR));
FIELDS_UNTIL(bpf_query, "}", FIELD("{query={target_fd=", 0, 4, DEC),
	     FIELD(", attach_type=", 4, 4, LIST, &bpf_attach_set),
	     FIELD(", query_flags=", 8, 4, NAMES, &bpf_query_flags_set),
	     FIELD(", attach_flags=", 12, 4, NAMES, &bpf_attach_flags_set), FIELD(", prog_ids=", 16, 8, ADDR),
	     FIELD(", prog_cnt=", 24, 4, UNS));
FIELDS_UNTIL(bpf_raw, "}", FIELD("{raw_tracepoint={name=", 0, 8, STRING), FIELD(", prog_fd=", 8, 4, DEC));
FIELDS_UNTIL(bpf_btf, "", { "{btf=", 0, 8, 16, 4, DATA }, { ", btf_log_buf=", 8, 8, 20, 4, LOG },
	     FIELD(", btf_size=", 16, 4, UNS),
	     FIELD(", btf_log_size=", 20, 4, UNS), FIELD(", btf_log_level=", 24, 4, UNS));
FIELDS_UNTIL(bpf_task, "}", FIELD("{task_fd_query={pid=", 0, 4, DEC), FIELD(", fd=", 4, 4, DEC),
	     FIELD(", flags=", 8, 4, UNS),
	     FIELD(", buf_len=", 12, 4, UNS), FIELD(", buf=", 16, 8, ADDR), FIELD(", prog_id=", 24, 4, UNS),
	     FIELD(", fd_type=", 28, 4, LIST, &bpf_fd_set), FIELD(", probe_offset=", 32, 8, HEX),
	     FIELD(", probe_addr=", 40, 8, HEX));
FIELDS_UNTIL(bpf_freeze, "", FIELD("{map_fd=", 0, 4, DEC));
#define BATCH FIELD(", count=", 32, 4, UNS), FIELD(", map_fd=", 36, 4, DEC),			\
	      FIELD(", elem_flags=", 40, 8, NAMES, &bpf_lookup_flags_set), FIELD(", flags=", 48, 8, HEX)
FIELDS_UNTIL(bpf_lookups, "}", FIELD("{batch={in_batch=", 0, 8, ADDR), FIELD(", out_batch=", 8, 8, ADDR),
	     FIELD(", keys=", 16, 8, ADDR), FIELD(", values=", 24, 8, ADDR), BATCH);
FIELDS_UNTIL(bpf_updates, "}", FIELD("{batch={keys=", 16, 8, ADDR), FIELD(", values=", 24, 8, ADDR), BATCH);
FIELDS_UNTIL(bpf_deletes, "}", FIELD("{batch={keys=", 16, 8, ADDR), BATCH);
FIELDS_UNTIL(bpf_link, "}", FIELD("{link_create={prog_fd=", 0, 4, DEC), FIELD(", target_fd=", 4, 4, DEC),
	     FIELD(", attach_type=", 8, 4, LIST, &bpf_attach_set), FIELD(", flags=", 12, 4, HEX));
FIELDS_UNTIL(bpf_relink, "}", FIELD("{link_update={link_fd=", 0, 4, DEC), FIELD(", new_prog_fd=", 4, 4, DEC),
	     FIELD(", flags=", 8, 4, NAMES, &bpf_attach_flags_set), { ", old_prog_fd=", 12, 4, 8, 4, IF_FLAG });
FIELDS_UNTIL(bpf_enable, "}", FIELD("{enable_stats={type=", 0, 4, LIST, &bpf_stats_set));

/* By command: the members, and how many of them are written even if the size does not include them; then they
 * are 0. */
static const struct { const struct structure *f; u8 always; } bpf_commands[] = {
	{ &bpf_create_fields, 4 }, { &bpf_lookup_fields, 3 }, { &bpf_update_fields, 4 }, { &bpf_delete_fields, 2 },
	{ &bpf_next_key_fields, 3 }, { &bpf_load_fields, 4 }, { &bpf_object_fields, 2 }, { &bpf_object_fields, 2 },
	{ &bpf_attachment_fields, 4 }, { &bpf_detachment_fields, 2 }, { &bpf_test_fields, 8 },
	{ &bpf_next_id_fields, 2 },
	{ &bpf_next_id_fields, 2 }, { &bpf_prog_id_fields, 2 }, { &bpf_map_id_fields, 2 }, { &bpf_info_fields, 3 },
	{ &bpf_query_fields, 6 }, { &bpf_raw_fields, 2 }, { &bpf_btf_fields, 5 }, { &bpf_btf_id_fields, 1 },
	{ &bpf_task_fields, 9 }, { &bpf_lookup_fields, 3 }, { &bpf_freeze_fields, 1 }, { &bpf_next_id_fields, 2 },
	{ &bpf_lookups_fields, 8 }, { &bpf_lookups_fields, 8 }, { &bpf_updates_fields, 6 },
	{ &bpf_deletes_fields, 5 },
	{ &bpf_link_fields, 4 }, { &bpf_relink_fields, 3 }, { &bpf_link_id_fields, 1 }, { &bpf_next_id_fields, 2 },
	{ &bpf_enable_fields, 1 },
};

/* Returns whether any byte of the 256 bytes that strace and the kernel support is set. */
static bool any_set(struct call_text *t, u64 address, u64 from, u64 to)
{
	u64 i;

	for (i = from; i < to && i < 256; i += i % 8 || to - i < 8 ? 1 : 8)
		if (call_load(t, address + i, i % 8 || to - i < 8 ? 1 : 8))
			return true;
	return false;
}

/* Loads the part of `bytes` bytes at `at` that the size includes; 0 for the rest. */
static u64 load_within(struct call_text *t, u64 address, u64 size, u32 at, u32 bytes)
{
	if (at + bytes <= size)
		return call_load(t, address + at, bytes);
	return bytes == 8 && at + 4 <= size ? call_load(t, address + at, 4) : 0;
}

static void put_bpf_field(struct call_text *t, const struct field *m, u64 address, u64 size)
{
	u64 v;

	if (m->form == TEXT && m->at + m->size <= size) {
		call_field(t, m, address + m->at, m->size);
		return;
	}
	v = load_within(t, address, size, m->at, m->size);
	if (m->form == DATA)
		call_bytes(t, v, load_within(t, address, size, m->at32, m->size32), CALL_BYTES_SHOWN);
	else if (m->form == LOG)
		call_written(t, v, load_within(t, address, size, m->at32, m->size32));
	else
		call_field_value(t, m, m->form == DEC ? (u64)(s64)(s32)v : v, m->size);
}

static void put_bpf(struct call_text *t, u64 address, u64 size)
{
	u64 command = call_value(t, 0), end = 0;
	u32 i;

	if (command >= sizeof(bpf_commands) / sizeof(*bpf_commands) || !size) {
		call_address(t, address);
		return;
	}
	for (i = 0; i < bpf_commands[command].f->n; i++) {
		const struct field *m = &bpf_commands[command].f->at[i];

		if (i >= bpf_commands[command].always && m->at >= size)
			break;
		end = m->at + m->size;
		if (m->form == IF_FLAG && !(load_within(t, address, size, m->at32, m->size32) & 4))
			continue;
		call_put(t, m->name);
		put_bpf_field(t, m, address, size);
	}
	call_printf(t, any_set(t, address, end, size) ? "%s, ...}" : "%s}", bpf_commands[command].f->end);
}

/* ------------------------------------------------------------------ perf_event_open() */

NUMBERED(perf_type, "PERF_TYPE_", "HARDWARE", "SOFTWARE", "TRACEPOINT", "HW_CACHE", "RAW", "BREAKPOINT");
NUMBERED(perf_hardware, "PERF_COUNT_HW_", "CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES", "CACHE_MISSES",
	 "BRANCH_INSTRUCTIONS", "BRANCH_MISSES", "BUS_CYCLES", "STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND",
	 "REF_CPU_CYCLES");
NUMBERED(perf_software, "PERF_COUNT_SW_", "CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS", "CONTEXT_SWITCHES",
	 "CPU_MIGRATIONS",
	 "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS", "EMULATION_FAULTS", "DUMMY", "BPF_OUTPUT",
	 "CGROUP_SWITCHES");
NUMBERED(perf_cache, "PERF_COUNT_HW_CACHE_", "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE");
NUMBERED(perf_cache_op, "PERF_COUNT_HW_CACHE_OP_", "READ", "WRITE", "PREFETCH");
NUMBERED(perf_cache_result, "PERF_COUNT_HW_CACHE_RESULT_", "ACCESS", "MISS");
NUMBERED(perf_bit, ", ", "disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv",
	 "exclude_idle", "mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark");
NAMED(perf_format, { 1, "PERF_FORMAT_TOTAL_TIME_ENABLED" }, { 2, "PERF_FORMAT_TOTAL_TIME_RUNNING" },
      { 4, "PERF_FORMAT_ID" },
      { 8, "PERF_FORMAT_GROUP" }, { 0x10, "PERF_FORMAT_LOST" });
#define SAMPLE(bit, name) { 1u << bit, "PERF_SAMPLE_" name }
NAMED(perf_sample, SAMPLE(0, "IP"), SAMPLE(1, "TID"), SAMPLE(2, "TIME"), SAMPLE(3, "ADDR"), SAMPLE(4, "READ"),
      SAMPLE(5, "CALLCHAIN"), SAMPLE(6, "ID"), SAMPLE(7, "CPU"), SAMPLE(8, "PERIOD"), SAMPLE(9, "STREAM_ID"),
      SAMPLE(10, "RAW"), SAMPLE(11, "BRANCH_STACK"), SAMPLE(12, "REGS_USER"), SAMPLE(13, "STACK_USER"),
      SAMPLE(14, "WEIGHT"), SAMPLE(15, "DATA_SRC"), SAMPLE(16, "IDENTIFIER"), SAMPLE(17, "TRANSACTION"),
      SAMPLE(18, "REGS_INTR"), SAMPLE(19, "PHYS_ADDR"), SAMPLE(20, "AUX"), SAMPLE(21, "CGROUP"),
      SAMPLE(22, "DATA_PAGE_SIZE"), SAMPLE(23, "CODE_PAGE_SIZE"), SAMPLE(24, "WEIGHT_STRUCT"));
VALUES(perf_size, { 64, "PERF_ATTR_SIZE_VER0" }, { 72, "PERF_ATTR_SIZE_VER1" }, { 80, "PERF_ATTR_SIZE_VER2" },
       { 96, "PERF_ATTR_SIZE_VER3" }, { 104, "PERF_ATTR_SIZE_VER4" }, { 112, "PERF_ATTR_SIZE_VER5" },
       { 120, "PERF_ATTR_SIZE_VER6" }, { 128, "PERF_ATTR_SIZE_VER7" }, { 136, "PERF_ATTR_SIZE_VER8" });
enum { PERF_HARDWARE, PERF_SOFTWARE, PERF_TRACEPOINT, PERF_CACHE };    /* types of events */
enum { PERF_FREQ_BIT = 10, PERF_PRECISE_SHIFT = 15 };                  /* bits in the flags of struct
								        * perf_event_attr */

static void put_perf_config(struct call_text *t, u64 type, u64 config)
{
	if (type == PERF_HARDWARE || type == PERF_SOFTWARE) {
		call_listed(t, type ? &perf_software_set : &perf_hardware_set, config);
	} else if (type == PERF_TRACEPOINT) {
		call_unsigned(t, config);
	} else if (type == PERF_CACHE) {
		call_listed(t, &perf_cache_result_set, config >> 16);
		call_put(t, "<<16|");
		call_listed(t, &perf_cache_op_set, config >> 8 & 0xff);
		call_put(t, "<<8|");
		call_listed(t, &perf_cache_set, config & 0xff);
	} else {
		call_hex(t, config);
	}
}

static void put_perf(struct call_text *t, u64 address)
{
	u64 type = call_load(t, address, 4), size = call_load(t, address + 4, 4),
	bits = call_load(t, address + 40, 8);
	u32 i;

	if (size && size < 64) {
		call_address(t, address);
		return;
	}
	call_put(t, "{type=");
	call_listed(t, &perf_type_set, type);
	call_put(t, ", size=");
	call_symbols(t, &perf_size_set, size);
	call_put(t, ", config=");
	put_perf_config(t, type, call_load(t, address + 8, 8));
	call_printf(t, bits >> PERF_FREQ_BIT & 1 ? ", sample_freq=%llu" : ", sample_period=%llu",
		    call_load(t, address + 16, 8));
	call_put(t, ", sample_type=");
	call_symbols(t, &perf_sample_set, call_load(t, address + 24, 8));
	call_put(t, ", read_format=");
	call_symbols(t, &perf_format_set, call_load(t, address + 32, 8));
	for (i = 0; i < perf_bit_set.n; i++) {
		if (!(bits >> i & 1))
			continue;
		call_listed(t, &perf_bit_set, i);
		call_put(t, "=1");
	}
	call_printf(t, ", precise_ip=%llu, ...}", bits >> PERF_PRECISE_SHIFT & 3);
}

/* ------------------------------------------------------------------ clone3() */

/* Members of struct clone_args, and the flags (CLONE_ of <linux/sched.h>) with which they are written. */
static const struct { struct field f; u32 flags; } clone_members[] = {
	{ FIELD(", pidfd=", 8, 8, ADDR), 0x1000 },
	{ FIELD(", child_tid=", 16, 8, ADDR), 0x1200000 },
	{ FIELD(", parent_tid=", 24, 8, ADDR), 0x100000 },
	{ FIELD(", exit_signal=", 32, 8, SIG), ~0u },
	{ FIELD(", stack=", 40, 8, ADDR), ~0u },
	{ FIELD(", stack_size=", 48, 8, HEX), ~0u },
};
enum { CLONE_ARGS_VER0 = 64, CLONE_ARGS_VER1 = 80, CLONE_ARGS_VER2 = 88, CLONE_TLS_FLAG = 0x80000 };
enum { CLONE_WRITES_PIDFD = 0x1000, CLONE_WRITES_PARENT = 0x100000 };

static void put_tids(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	if (!address || !n || n > 32) {        /* MAX_PID_NS_LEVEL: the call fails */
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += 4)
		call_decimal(t, call_load_signed(t, address, 4));
}

static void put_clone_rest(struct call_text *t, u64 address, u64 size)
{
	u64 tids = size >= CLONE_ARGS_VER1 ? call_load(t, address + 64, 8) : 0;
	u64 n = size >= CLONE_ARGS_VER1 ? call_load(t, address + 72, 8) : 0;
	u64 cgroup = size >= CLONE_ARGS_VER2 ? call_load(t, address + 80, 8) : 0;

	if (tids || n) {
		call_put(t, ", set_tid=");
		put_tids(t, tids, n);
		call_printf(t, ", set_tid_size=%llu", n);
	}
	if (cgroup)
		call_printf(t, ", cgroup=%llu", cgroup);
	if (any_set(t, address, CLONE_ARGS_VER2, size)) {
		call_printf(t, ", /* bytes %u..%llu */ ", CLONE_ARGS_VER2, size - 1);
		call_hex_bytes(t, address + CLONE_ARGS_VER2, size - CLONE_ARGS_VER2, CALL_BYTES_SHOWN);
	}
}

static void put_written_number(struct call_text *t, const char *name, u64 address)
{
	char *start;

	call_put(t, name);
	start = t->k.at;
	if (address)
		call_printf(t, "[%lld]", call_load_signed(t, address, 4));
	if (address && !t->failed)
		return;
	t->k.at = start;
	t->failed = false;
	call_address(t, address);
}

static void put_cloned(struct call_text *t, u64 flags, u64 pidfd, u64 parent)
{
	if (!call_returned(t))
		return;
	call_put(t, " => {");
	if (flags & CLONE_WRITES_PIDFD)
		put_written_number(t, "pidfd=", pidfd);
	if (flags & CLONE_WRITES_PARENT)
		put_written_number(t, flags & CLONE_WRITES_PIDFD ? ", parent_tid=" : "parent_tid=", parent);
	call_put(t, "}");
}

const char *call_saved_cloned(struct call_text *t, const char *text)
{
	u64 values[3] = { 0 };         /* the flags, the address of the file descriptor, and that of the thread ID */
	u32 i;

	for (i = 0; i < 3 && *text == CALL_MARK_CLONED; i++) {
		text++;
		values[i] = call_mark_number(&text);
	}
	if (*text != CALL_MARK_END)
		return text;
	put_cloned(t, values[0], values[1], values[2]);
	return text + 1;
}

static void put_clone(struct call_text *t, const struct stp_syscall_arg *a, u64 address, u64 size)
{
	u64 flags;
	u32 i;

	if (size < CLONE_ARGS_VER0) {
		call_address(t, address);
		return;
	}
	flags = call_load(t, address, 8);
	call_put(t, "{flags=");
	call_symbols(t, a->symbols, flags);
	for (i = 0; i < sizeof(clone_members) / sizeof(*clone_members); i++) {
		const struct field *m = &clone_members[i].f;

		if (clone_members[i].flags != ~0u && !(flags & clone_members[i].flags))
			continue;
		call_put(t, m->name);
		call_field(t, m, address + m->at, m->size);
	}
	if (flags & CLONE_TLS_FLAG) {
		call_put(t, ", tls=");
		call_tls(t, call_load(t, address + 56, 8));
	}
	put_clone_rest(t, address, size);
	call_put(t, "}");
	flags &= CLONE_WRITES_PIDFD | CLONE_WRITES_PARENT;
	if (t->saving && flags && !t->failed)
		call_printf(t, "%c%llu%c%llu%c%llu%c", CALL_MARK_CLONED, flags, CALL_MARK_CLONED,
			    call_load(t, address + 8, 8), CALL_MARK_CLONED, call_load(t, address + 24, 8), CALL_MARK_END);
}

/* ------------------------------------------------------------------ struct iocb */

NUMBERED(iocb, "IOCB_CMD_", "PREAD", "PWRITE", "FSYNC", "FDSYNC", "PREADX", "POLL", "NOOP", "PREADV", "PWRITEV");
NAMED(iocb_flags, { 1, "IOCB_FLAG_RESFD" }, { 2, "IOCB_FLAG_IOPRIO" });
NAMED(iocb_rw_flags, { 1, "RWF_HIPRI" }, { 2, "RWF_DSYNC" }, { 4, "RWF_SYNC" }, { 8, "RWF_NOWAIT" },
      { 0x10, "RWF_APPEND" });
enum { IOCB_PREAD, IOCB_PWRITE, IOCB_POLL = 5, IOCB_PREADV = 7, IOCB_PWRITEV };

static void put_iocb_data(struct call_text *t, u64 address, u64 op)
{
	u64 buf = call_load(t, address + 24, 8), n = call_load(t, address + 32, 8),
	flags = call_load(t, address + 56, 4);

	if (op == IOCB_POLL || op <= IOCB_PWRITE || op == IOCB_PREADV || op == IOCB_PWRITEV)
		call_put(t, ", aio_buf=");
	if (op == IOCB_POLL)
		call_poll(t, buf);
	else if (op == IOCB_PREAD)
		call_address(t, buf);
	else if (op == IOCB_PWRITE)
		call_bytes(t, buf, n, CALL_BYTES_SHOWN);
	else if (op == IOCB_PREADV || op == IOCB_PWRITEV)
		call_iovec(t, buf, n, op == IOCB_PWRITEV ? ~0ull : 0);
	if (op <= IOCB_PWRITE)
		call_printf(t, ", aio_nbytes=%llu", n);
	if (op <= IOCB_PWRITE || op == IOCB_PREADV || op == IOCB_PWRITEV)
		call_printf(t, ", aio_offset=%lld", call_load_signed(t, address + 40, 8));
	if (!flags)
		return;
	call_put(t, ", aio_flags=");
	call_symbols(t, &iocb_flags_set, flags);
	if (flags & 1)
		call_printf(t, ", aio_resfd=%lld", call_load_signed(t, address + 60, 4));
}

static void put_iocb(struct call_text *t, u64 address, bool data)
{
	u64 key = call_load(t, address + 8, 4), rw = call_load(t, address + 12, 4),
	op = call_load(t, address + 16, 2);
	s64 priority = call_load_signed(t, address + 18, 2);

	call_put(t, "{aio_data=");
	call_hex(t, call_load(t, address, 8));
	if (key)
		call_printf(t, ", aio_key=%llu", key);
	if (rw) {
		call_put(t, ", aio_rw_flags=");
		call_symbols(t, &iocb_rw_flags_set, rw);
	}
	call_put(t, ", aio_lio_opcode=");
	if (op < iocb_set.n)
		call_listed(t, &iocb_set, op);
	else
		call_unsigned(t, op);
	if (priority)
		call_printf(t, ", aio_reqprio=%lld", priority);
	call_printf(t, ", aio_fildes=%lld", call_load_signed(t, address + 20, 4));
	if (data)
		put_iocb_data(t, address, op);
	call_put(t, "}");
}

static void put_iocbs(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	if (n > 0x100000) {        /* the call rejects more */
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += t->long_size) {
		u64 at = call_load_long(t, address);
		char *start = t->k.at;

		if (!at || t->failed) {
			call_put(t, "NULL");
			continue;
		}
		put_iocb(t, at, true);
		if (!t->failed)
			continue;
		t->k.at = start;
		t->failed = false;
		call_address(t, at);
	}
}

/* ------------------------------------------------------------------ others */

VALUES(sched, { 0, "SCHED_OTHER" }, { 1, "SCHED_FIFO" }, { 2, "SCHED_RR" }, { 3, "SCHED_BATCH" }, { 5, "SCHED_IDLE" },
       { 6, "SCHED_DEADLINE" });
NAMED(sched_flag, { 1, "SCHED_FLAG_RESET_ON_FORK" }, { 2, "SCHED_FLAG_RECLAIM" }, { 4, "SCHED_FLAG_DL_OVERRUN" },
      { 8, "SCHED_FLAG_KEEP_POLICY" }, { 0x10, "SCHED_FLAG_KEEP_PARAMS" }, { 0x20, "SCHED_FLAG_UTIL_CLAMP_MIN" },
      { 0x40, "SCHED_FLAG_UTIL_CLAMP_MAX" });
FIELDS(schedattr, FIELD("{size=", 0, 4, UNS), FIELD(", sched_policy=", 4, 4, NAMES, &sched_set),
       FIELD(", sched_flags=", 8, 8, NAMES, &sched_flag_set), FIELD(", sched_nice=", 16, 4, DEC),
       FIELD(", sched_priority=", 20, 4, UNS), FIELD(", sched_runtime=", 24, 8, UNS),
       FIELD(", sched_deadline=", 32, 8, UNS), FIELD(", sched_period=", 40, 8, UNS),
       FIELD(", sched_util_min=", 48, 4, UNS), FIELD(", sched_util_max=", 52, 4, UNS));
NAMED(mount_attr, { 1, "MOUNT_ATTR_RDONLY" }, { 2, "MOUNT_ATTR_NOSUID" }, { 4, "MOUNT_ATTR_NODEV" },
      { 8, "MOUNT_ATTR_NOEXEC" }, { 0x10, "MOUNT_ATTR_NOATIME" }, { 0x20, "MOUNT_ATTR_STRICTATIME" },
      { 0x80, "MOUNT_ATTR_NODIRATIME" }, { 0x100000, "MOUNT_ATTR_IDMAP" }, { 0x200000, "MOUNT_ATTR_NOSYMFOLLOW" });
NAMED(propagation, { 0x20000, "MS_UNBINDABLE" }, { 0x40000, "MS_PRIVATE" }, { 0x80000, "MS_SLAVE" },
      { 0x100000, "MS_SHARED" });
FIELDS(mountattr, FIELD("{attr_set=", 0, 8, NAMES, &mount_attr_set),
       FIELD(", attr_clr=", 8, 8, NAMES, &mount_attr_set), FIELD(", propagation=", 16, 8, NAMES, &propagation_set),
       FIELD(", userns_fd=", 24, 8, UNS));
#define FS(bit, name) { 1 << bit, "LANDLOCK_ACCESS_FS_" name }
NAMED(landlock_fs, FS(0, "EXECUTE"), FS(1, "WRITE_FILE"), FS(2, "READ_FILE"), FS(3, "READ_DIR"), FS(4, "REMOVE_DIR"),
      FS(5, "REMOVE_FILE"), FS(6, "MAKE_CHAR"), FS(7, "MAKE_DIR"), FS(8, "MAKE_REG"), FS(9, "MAKE_SOCK"),
      FS(10, "MAKE_FIFO"), FS(11, "MAKE_BLOCK"), FS(12, "MAKE_SYM"), FS(13, "REFER"), FS(14, "TRUNCATE"),
      FS(15, "IOCTL_DEV"));
NAMED(landlock_net, { 1, "LANDLOCK_ACCESS_NET_BIND_TCP" }, { 2, "LANDLOCK_ACCESS_NET_CONNECT_TCP" });
FIELDS(ruleset, FIELD("{handled_access_fs=", 0, 8, NAMES, &landlock_fs_set),
       FIELD(", handled_access_net=", 8, 8, NAMES, &landlock_net_set));
FIELDS(rule_beneath, FIELD("{allowed_access=", 0, 8, NAMES, &landlock_fs_set), FIELD(", parent_fd=", 8, 4, DEC));
FIELDS(rule_port, FIELD("{allowed_access=", 0, 8, NAMES, &landlock_net_set), FIELD(", port=", 8, 8, UNS));
NAMED(futex_wait, { 2, "FUTEX_32" }, { 0x80, "FUTEX_PRIVATE_FLAG" });
FIELDS(futexwait, FIELD("{val=", 0, 8, HEX), FIELD(", uaddr=", 8, 8, ADDR),
       FIELD(", flags=", 16, 4, NAMES, &futex_wait_set));

/* Writes the members within `size` bytes; the address if the size is less than `least`, which the call rejects. */
static void put_members(struct call_text *t, const struct structure *f, u64 address, u64 size, u64 least)
{
	const struct field *m = f->at;

	if (size < least) {
		call_address(t, address);
		return;
	}
	for (; m < f->at + f->n && (u64)m->at + m->size <= size; m++) {
		call_put(t, m->name);
		call_field(t, m, address + m->at, m->size);
	}
	call_put(t, f->end);
}

static void put_sched_attr(struct call_text *t, u64 address)
{
	u64 size = call_load(t, address, 4);

	put_members(t, &schedattr_fields, address, size ? size : 48, 4);   /* SCHED_ATTR_SIZE_VER0 */
}

static void put_rule(struct call_text *t, u64 address, u64 kind)
{
	if (kind == 1 || kind == 2)
		put_members(t, kind == 1 ? &rule_beneath_fields : &rule_port_fields, address, 16, 0);
	else
		call_address(t, address);
}

static void put_futex_waits(struct call_text *t, u64 address, u64 n)
{
	struct array a;

	if (n > 128) {             /* FUTEX_WAITV_MAX */
		call_address(t, address);
		return;
	}
	for (a = (struct array){ n }; call_element(t, &a); address += 24)
		put_members(t, &futexwait_fields, address, 24, 0);
}

bool call_sized(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with)
{
	switch (a->type) {
	case STP_ARG_bpfattr: put_bpf(t, v, with); return true;
	case STP_ARG_perfattr: put_perf(t, v); return true;
	case STP_ARG_cloneargs: put_clone(t, a, v, with); return true;
	case STP_ARG_iocb: put_iocb(t, v, false); return true;
	case STP_ARG_iocbs: put_iocbs(t, v, with); return true;
	case STP_ARG_schedattr: put_sched_attr(t, v); return true;
	case STP_ARG_mountattr: put_members(t, &mountattr_fields, v, with, 32); return true;
	case STP_ARG_ruleset: put_members(t, &ruleset_fields, v, with, 8); return true;
	case STP_ARG_rule: put_rule(t, v, with); return true;
	case STP_ARG_futexwaits: put_futex_waits(t, v, with); return true;
	default: return false;
	}
}
