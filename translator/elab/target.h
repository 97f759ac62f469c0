// SPDX-License-Identifier: GPL-2.0-or-later
// Interface between target_var.c (resolves target variables), target_access.c (reads them) and target_pretty.c.
#ifndef ELAB_TARGET_H
#define ELAB_TARGET_H

#include "elab/elab.h"

// target_value.c
struct expr *target_binary(struct loc loc, enum tok op, struct expr *l, struct expr *r);
struct expr *target_add(struct loc loc, struct expr *e, int64_t offset);
struct expr *target_load(struct loc loc, struct expr *addr, int size, bool is_signed, bool user);
// Returns the `bits` bits from bit `from` of e.
struct expr *target_extract(struct loc loc, struct expr *e, int from, int bits, bool is_signed);
// Returns the `bits` bits from bit `from` of the memory at `base`, in as many loads as necessary.
struct expr *target_load_bits(struct loc loc, struct expr *base, int from, int bits, bool user);
struct lvalue;
// Loads the number that p describes, a variable in several registers or pieces; NULL after diag_error().
struct expr *target_load_composite(const struct lvalue *p);
// *p becomes the value that the pointer p->composite points to.
bool target_follow_composite(struct lvalue *p, struct di_type *target);

// A path of members that starts at a struct or union of the kernel that has a tag.
struct member_path {
	const char *type;          // tag of the struct or union; NULL: none
	struct expr *base;         // address of the struct or union
	const char *path;          // "a.b"; NULL: the struct itself
	const char *last;          // "b"
	const char *before, *after;    // text before and after the name in the C declaration of the last member
	uint64_t offset;           // offset from the base
};

// A value, or memory that isn't loaded yet.
struct lvalue {
	struct loc loc;
	struct expr *value;        // one of value, addr and composite is set
	struct expr *addr;
	struct di_type *type;
	const struct di_variable *composite; // a variable that is neither in memory nor a single value
	uint64_t at;               // offset in `composite`, in bytes
	int bit_offset, bit_size;  // position of a bit-field at `addr` or in `composite`
	bool by_parts;             // see struct di_member
	bool relocates;            // its offsets are those of the running kernel: see target_member.c
	struct member_path path;   // if `relocates`: the path by which `addr` was found
	const struct kernel_member *member;    // if `relocates`: the value is this member; or NULL
};
// target_member.c: sets addr, path and member of `to` to the member m of p.
void target_relocate_member(struct lvalue *to, const struct lvalue *p, const struct di_member *m);
// Returns the size of an element in the running kernel.
struct expr *target_element_size(struct loc loc, const struct di_type *element);
// Returns the address of a virtual base of the aggregate p.
struct expr *target_virtual(const struct lvalue *p, const struct di_virtual *base);
struct lvalue lvalue_of(struct expr *base);                      // requires base->dtype
struct lvalue lvalue_member(const struct lvalue *p, const struct di_member *m); // p is an aggregate
struct expr *lvalue_load(const struct lvalue *p);                // NULL after diag_error()
bool type_is_aggregate(const struct di_type *t);

// Reports a struct or union where a number is required; returns false after diag_error().
bool target_check_value(struct loc loc, const struct di_type *t);

// Returns "; " and advice for a value of the wrong type, or "". dtype: its C type, or NULL. what: text that begins
// with the operator or conversion.
const char *target_value_advice(struct loc loc, const struct di_type *t, const char *what);

// Reports a value in a format that probes do not read; returns false after diag_error().
bool target_check_format(struct loc loc, const struct di_type *t);

// Warns of an array of characters whose address is used where its text may be intended. use: subject and verb.
void target_warn_address(const struct expr *e, const char *use);

// Reports a floating-point number that is printed as an integer, whose value is the bits of a double, or an address.
void target_check_printed(const struct expr *e);

// Reports an operator of integers with a floating-point operand, whose value is its bits. in_function: variables are
// not checked.
void target_check_arithmetic(const struct expr *e, bool in_function);

// Returns advice for messages: " (similar: a, b)", " (available: a, b)" if no name is similar, or "".
const char *target_similar(const char *wanted, const name_list *names);

// Reports `unable to find "$x" in WHERE`, followed by `why`, which is "" or advice. Returns NULL.
struct expr *target_not_found(const struct expr *target, const char *where, const char *why);

// target_cast.c: finds types for a probe, or for a function (probe is NULL). Returns NULL or false after diag_error().
struct target_where {
	struct session *s;
	const struct probe *probe;
};
struct di_type *target_find_type(const struct target_where *w, struct loc loc, const char *word, const char *name,
				 const char *module);
bool target_enumerator(const struct target_where *w, struct expr *e, int64_t *value);
struct expr *target_global(const struct target_where *w, struct expr *e);

// Returns an empty sprintf() to which parts are added.
struct expr *target_print_new(struct loc loc);
void target_print_text(struct expr *e, const char *text);
// type: di_is_float()
void target_print_real(struct session *s, struct expr *e, struct expr *value, const struct di_type *type);
void target_print_value(struct expr *e, char conv, uint8_t flags, struct expr *value);

// Returns the value at p as text in C-like notation.
struct expr *target_pretty(struct session *s, const struct lvalue *p, int depth);

#endif
