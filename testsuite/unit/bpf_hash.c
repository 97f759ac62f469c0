// SPDX-License-Identifier: GPL-2.0-or-later
// Hashes of runtime/bpf with random factors: for keys at equal distances, the longest list of a bucket, in which a
// lookup fails beyond STP_TABLE_CHAIN elements, and the sets of nested calls.
#include "core_platform.h"

#include "../../runtime/bpf/any_script.h"
#define STP_HASH_FACTOR factor
static u64 factor;
#include "../../runtime/bpf/bpf_shared.h"

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = { .string_len = STRING_LEN } };

#define FACTORS 2000
#define KEYS    2048

static u64 next_random(void)
{
	static u64 x = 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

// Returns the number of elements of the longest of as many buckets as keys.
static u32 longest_bucket(u64 first, u64 distance)
{
	u32 elements[KEYS] = { 0 }, longest = 0, i, at;

	for (i = 0; i < KEYS; i++) {
		at = (u32)(stp_table_hash(stp_table_mix(first + i * distance)) >> 40) % KEYS;
		if (++elements[at] > longest)
			longest = elements[at];
	}
	return longest;
}

// Returns the number of 12 nested calls in the fullest of eight sets.
static u32 fullest_set(u64 sp, u64 frame)
{
	u32 calls[8] = { 0 }, fullest = 0, i, at;

	for (i = 0; i < 12; i++) {
		at = (u32)(stp_table_hash(stp_table_mix(stp_table_mix(0xffff888000000000ull) ^ (sp - i * frame))) >> 16) % 8;
		if (++calls[at] > fullest)
			fullest = calls[at];
	}
	return fullest;
}

int main(void)
{
	static const u64 distances[] = { 1, 8, 48, 64, 144, 4096, 1 << 14, 1 << 20, 1ull << 32, 3000001 };
	u32 d, i, longest, full;

	for (d = 0; d < sizeof(distances) / sizeof(*distances); d++) {
		for (i = longest = full = 0; i < FACTORS; i++) {
			u32 n;

			factor = next_random() | 1;
			n = longest_bucket(next_random(), distances[d]);
			longest = n > longest ? n : longest;
			full += fullest_set(next_random() >> 17 << 4, distances[d] * 16) > 8;
		}
		verdict(longest <= 16, "keys at distances of %llu: no long bucket", distances[d]);
		verdict(full <= 1, "stack frames of %llu bytes: no full set", distances[d] * 16);
	}
	return finish();
}
