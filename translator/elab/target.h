// SPDX-License-Identifier: GPL-2.0-or-later
// Between target_var.c (which expressions), target_access.c (how to read) and target_pretty.c.
#ifndef ELAB_TARGET_H
#define ELAB_TARGET_H

#include "elab/elab.h"

// target_value.c
struct expr *target_binary(struct loc loc, enum tok op, struct expr *l, struct expr *r);
struct expr *target_add(struct loc loc, struct expr *e, int64_t offset);
struct expr *target_load(struct loc loc, struct expr *addr, int size, bool is_signed, bool user);
// The `bits` bits from bit `from` of e.
struct expr *target_extract(struct loc loc, struct expr *e, int from, int bits, bool is_signed);
// The `bits` bits from bit `from` of what is at `base`, in as many loads as that takes.
struct expr *target_load_bits(struct loc loc, struct expr *base, int from, int bits, bool user);
struct lvalue;
struct expr *target_held(const struct lvalue *p);       // the number at p, which is held. NULL after diag_error()
bool target_follow_held(struct lvalue *p, struct di_type *target);  // p becomes what the pointer held points to

// A value, or something in memory that isn't loaded yet.
struct lvalue {
	struct loc loc;
	struct expr *value;        // one of the two
	struct expr *addr;
	struct di_type *type;
	const struct di_variable *held;    // or a variable that is neither
	uint64_t at;               // byte in it
	int bit_offset, bit_size;  // of a bit-field at addr, or there
	bool by_parts;             // see struct di_member
};
struct lvalue lvalue_of(struct expr *base);                      // base->dtype is set
bool lvalue_field(struct lvalue *p, struct loc loc, const char *name);  // false after diag_error()
bool lvalue_index(struct lvalue *p, struct loc loc, struct expr *index);
struct lvalue lvalue_member(const struct lvalue *p, const struct di_member *m); // p: an aggregate
struct expr *lvalue_load(const struct lvalue *p);                // NULL after diag_error()
struct expr *lvalue_assignable(const struct lvalue *p);              // the same, to be assigned to
bool place_is_aggregate(const struct di_type *t);

// A struct or union stands where a number is wanted: false after diag_error().
bool target_check_value(struct loc loc, const struct di_type *t);

// Advice for messages: "" or " (similar: a, b)".
const char *target_similar(const char *wanted, const name_list *names);

// target_cast.c: for a probe, or for a function (NULL). NULL and false after diag_error().
struct target_where {
	struct session *s;
	const struct probe *probe;
};
struct di_type *target_find_type(const struct target_where *w, struct loc loc, const char *word, const char *name,
				 const char *module);
bool target_enumerator(const struct target_where *w, struct expr *e, int64_t *value);
struct expr *target_global(const struct target_where *w, struct expr *e);

// A sprintf() in pieces.
struct expr *target_print_new(struct loc loc);
void target_print_text(struct expr *e, const char *text);
void target_print_value(struct expr *e, char conv, char flag, struct expr *value);
void target_print_string(struct expr *e, struct expr *address, bool user, int most); // quoted

// The value at p printed, in C-like notation.
struct expr *target_pretty(struct session *s, const struct lvalue *p, int depth);

#endif
