/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Static probes for tracers: a nop in the code, and an ELF note that describes its address, its name and
 * the locations of its arguments. In a program that is not traced, the nop is the only cost.
 *
 *	#include <sys/sdt.h>
 *	STAP_PROBE(provider, name);
 *	STAP_PROBE2(provider, name, fd, path);         up to 12 arguments
 *	STAP_PROBEV(provider, name, fd, path);         counts its arguments
 *
 * DTRACE_PROBE, DTRACE_PROBE1 ... are the same. Provider and name are identifiers, not strings; other tools usually show
 * "__" in a name as "-". Arguments are integers or floating-point numbers of 1 to 8 bytes, pointers, or arrays
 * (whose address is passed).
 *
 * A static probe whose arguments are expensive can check if a tracer is attached: when _SDT_HAS_SEMAPHORES
 * is defined before this file is included, each probe needs
 *	unsigned short PROVIDER_NAME_semaphore __attribute__((section(".probes")));
 * which tracers increment. dtrace(1) generates headers with these declarations from a list of probes.
 *
 * In assembly, and inside asm():
 *	STAP_PROBE_ASM(provider, name, -4@%eax 8@$3)                         in a .S file
 *	asm("..." STAP_PROBE_ASM(provider, name, STAP_PROBE_ASM_TEMPLATE(2)) "..."
 *	    : : STAP_PROBE_ASM_OPERANDS(2, fd, path));
 *	asm("..." STAP_PROBE_ASM(provider, name, -4@%[fd]) "..." : : [fd] "nor" (fd));
 *
 * STAP_SDT_ARG_CONSTRAINT, when defined before, is the asm constraint of arguments.
 */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H 1

/* ------------------------------------------------------------------ the note */

#if defined(__LP64__) || defined(_LP64)
#define _SDT_WORD .8byte
#else
#define _SDT_WORD .4byte
#endif

/* The attribute "retain" makes the linker keep a section to which nothing refers. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define _SDT_BASE_FLAGS aGR
#endif
#endif
#ifndef _SDT_BASE_FLAGS
#define _SDT_BASE_FLAGS aG
#endif

/* A line of assembly: a string literal in C, plain text in a .S file. */
#ifdef __ASSEMBLER__
#define _SDT_LINE(...) __VA_ARGS__ ;
#define _SDT_TEXT(...) .asciz #__VA_ARGS__ ;
#else
#define _SDT_LINE_(...) #__VA_ARGS__ "\n"
#define _SDT_LINE(...) _SDT_LINE_(__VA_ARGS__)
#define _SDT_TEXT(...) ".asciz \"" #__VA_ARGS__ "\"\n"
#endif

#ifdef _SDT_HAS_SEMAPHORES
#define _SDT_SEMAPHORE(provider, name) provider##_##name##_semaphore
#else
#define _SDT_SEMAPHORE(provider, name) 0
#endif

/* "?": the linker drops the note together with the code of a duplicate function. */
#ifdef __ASSEMBLER__
#define _SDT_PUSH_NOTE .pushsection .note.stapsdt, "?", "note" ;
#define _SDT_PUSH_BASE_(flags) .pushsection .stapsdt.base, #flags, "progbits", .stapsdt.base, comdat ;
#else
#define _SDT_PUSH_NOTE ".pushsection .note.stapsdt, \"?\", \"note\"\n"
#define _SDT_PUSH_BASE_(flags) ".pushsection .stapsdt.base, \"" #flags "\", \"progbits\", .stapsdt.base, comdat\n"
#endif
#define _SDT_PUSH_BASE(flags) _SDT_PUSH_BASE_(flags)

/* `arguments` is one or more assembly lines that emit a terminated string. */
#define _SDT_NOTE(provider, name, semaphore, arguments)		\
	_SDT_LINE(990: nop)						\
	_SDT_PUSH_NOTE							\
	_SDT_LINE(.balign 4)						\
	_SDT_LINE(.4byte 992f - 991f, 994f - 993f, 3)			\
	_SDT_LINE(991:)							\
	_SDT_TEXT(stapsdt)						\
	_SDT_LINE(992: .balign 4)					\
	_SDT_LINE(993: _SDT_WORD 990b)					\
	_SDT_LINE(_SDT_WORD _.stapsdt.base)				\
	_SDT_LINE(_SDT_WORD semaphore)					\
	_SDT_TEXT(provider)						\
	_SDT_TEXT(name)							\
	arguments							\
	_SDT_LINE(994: .balign 4)					\
	_SDT_LINE(.popsection)						\
	_SDT_LINE(.ifndef _.stapsdt.base)				\
	_SDT_PUSH_BASE(_SDT_BASE_FLAGS)					\
	_SDT_LINE(.weak _.stapsdt.base)					\
	_SDT_LINE(.hidden _.stapsdt.base)				\
	_SDT_LINE(_.stapsdt.base: .space 1)				\
	_SDT_LINE(.size _.stapsdt.base, 1)				\
	_SDT_LINE(.popsection)						\
	_SDT_LINE(.endif)

/* The arguments are text in the format of the note. */
#define STAP_PROBE_ASM(provider, name, ...) \
	_SDT_NOTE(provider, name, _SDT_SEMAPHORE(provider, name), _SDT_TEXT(__VA_ARGS__))

#ifndef __ASSEMBLER__

/* ------------------------------------------------------------------ arguments */
/*
 * Each argument has two operands of the asm statement: its size in bytes, negative if it is signed, and its value.
 * The compiler chooses the location of the value and writes it into the note.
 */

#ifndef STAP_SDT_ARG_CONSTRAINT
#if defined(__powerpc__)
#define STAP_SDT_ARG_CONSTRAINT nZr
#elif defined(__arm__)
#define STAP_SDT_ARG_CONSTRAINT g
#elif defined(__aarch64__)
#define STAP_SDT_ARG_CONSTRAINT nr
#else
#define STAP_SDT_ARG_CONSTRAINT nor
#endif
#endif
#define _SDT_STRING_(x) #x
#define _SDT_STRING(x) _SDT_STRING_(x)

#define _SDT_IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define _SDT_SIZE(x) ((int)(_SDT_IS_POINTER(x) ? sizeof(void *) : sizeof(x)))

#ifdef __cplusplus

template <typename T> struct __sdt_type { enum { is_signed = 0 }; };
template <typename T> struct __sdt_type<T &> : public __sdt_type<T> { };
template <typename T> struct __sdt_type<const T> : public __sdt_type<T> { };
template <typename T> struct __sdt_type<volatile T> : public __sdt_type<T> { };
template <typename T> struct __sdt_type<const volatile T> : public __sdt_type<T> { };
#define _SDT_SIGNED_TYPE(T) template <> struct __sdt_type<T> { enum { is_signed = (T)-1 < (T)1 }; };
_SDT_SIGNED_TYPE(char)
_SDT_SIGNED_TYPE(signed char)
_SDT_SIGNED_TYPE(short)
_SDT_SIGNED_TYPE(int)
_SDT_SIGNED_TYPE(long)
__extension__ _SDT_SIGNED_TYPE(long long)
_SDT_SIGNED_TYPE(wchar_t)
#undef _SDT_SIGNED_TYPE
template <typename T, __SIZE_TYPE__ N>
static inline __attribute__((__always_inline__)) const volatile void *__sdt_value(T (&array)[N]) { return array; }
template <typename T>
static inline __attribute__((__always_inline__)) const T &__sdt_value(const T &value) { return value; }
#define _SDT_IS_SIGNED(x) (__sdt_type<__typeof__(x)>::is_signed)
#define _SDT_VALUE(x) __sdt_value(x)

#else

/* Integers, characters, enumerations, booleans. */
#define _SDT_IS_INTEGER(x) (__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 4)
#define _SDT_INTEGER(x) __typeof__(__builtin_choose_expr(_SDT_IS_INTEGER(x), (x), 0U))
#define _SDT_IS_SIGNED(x) ((_SDT_INTEGER(x))-1 < (_SDT_INTEGER(x))1)
#define _SDT_VALUE(x) __builtin_choose_expr(_SDT_IS_POINTER(x),		\
	(const volatile void *)__builtin_choose_expr(_SDT_IS_POINTER(x), (x), (void *)0), (x))

#endif

/* The size of a floating-point number is encoded as 100 more, which _SDT_ARGUMENT() writes as "4f" or "8f". */
#define _SDT_IS_FLOAT(x) (__builtin_classify_type(x) == 8 && (sizeof(x) == 4 || sizeof(x) == 8))
#define _SDT_PLAIN_SIZE(x) (_SDT_IS_SIGNED(x) ? -_SDT_SIZE(x) : _SDT_SIZE(x))
#define _SDT_TYPED_SIZE(x) (_SDT_IS_FLOAT(x) ? 100 + (int)sizeof(x) : _SDT_PLAIN_SIZE(x))

#define _SDT_OPERANDS(size, n, x)					\
	[_sdt_size##n] "n" (size(x)),					\
	[_sdt_value##n] _SDT_STRING(STAP_SDT_ARG_CONSTRAINT) (_SDT_VALUE(x))

/* The assembly lines that emit the text of one argument. */
#ifdef __i386__
#define _SDT_VALUE_TEXT(n) "@%k[_sdt_value" #n "]"
#else
#define _SDT_VALUE_TEXT(n) "@%[_sdt_value" #n "]"
#endif
#define _SDT_ARGUMENT(blank, n)						\
	".if %c[_sdt_size" #n "] == 104\n"				\
	".ascii \"" blank "4f" _SDT_VALUE_TEXT(n) "\"\n"			\
	".elseif %c[_sdt_size" #n "] == 108\n"				\
	".ascii \"" blank "8f" _SDT_VALUE_TEXT(n) "\"\n"			\
	".else\n"							\
	".ascii \"" blank "%c[_sdt_size" #n "]" _SDT_VALUE_TEXT(n) "\"\n"	\
	".endif\n"
#define _SDT_ARGUMENTS_0
#define _SDT_ARGUMENTS_1 _SDT_ARGUMENT("", 1)
#define _SDT_ARGUMENTS_2 _SDT_ARGUMENTS_1 _SDT_ARGUMENT(" ", 2)
#define _SDT_ARGUMENTS_3 _SDT_ARGUMENTS_2 _SDT_ARGUMENT(" ", 3)
#define _SDT_ARGUMENTS_4 _SDT_ARGUMENTS_3 _SDT_ARGUMENT(" ", 4)
#define _SDT_ARGUMENTS_5 _SDT_ARGUMENTS_4 _SDT_ARGUMENT(" ", 5)
#define _SDT_ARGUMENTS_6 _SDT_ARGUMENTS_5 _SDT_ARGUMENT(" ", 6)
#define _SDT_ARGUMENTS_7 _SDT_ARGUMENTS_6 _SDT_ARGUMENT(" ", 7)
#define _SDT_ARGUMENTS_8 _SDT_ARGUMENTS_7 _SDT_ARGUMENT(" ", 8)
#define _SDT_ARGUMENTS_9 _SDT_ARGUMENTS_8 _SDT_ARGUMENT(" ", 9)
#define _SDT_ARGUMENTS_10 _SDT_ARGUMENTS_9 _SDT_ARGUMENT(" ", 10)
#define _SDT_ARGUMENTS_11 _SDT_ARGUMENTS_10 _SDT_ARGUMENT(" ", 11)
#define _SDT_ARGUMENTS_12 _SDT_ARGUMENTS_11 _SDT_ARGUMENT(" ", 12)

/* The arguments as words of the note's text, not strings, so that the same text serves in asm() and in arguments of
 * STAP_PROBE_ASM. On i386 not every register has a name for its lowest byte. */
#ifdef __i386__
#define _SDT_ARG(n) %c[_sdt_size##n]@%k[_sdt_value##n]
#else
#define _SDT_ARG(n) %c[_sdt_size##n]@%[_sdt_value##n]
#endif
#define _SDT_TEMPLATE_0
#define _SDT_TEMPLATE_1 _SDT_ARG(1)
#define _SDT_TEMPLATE_2 _SDT_TEMPLATE_1 _SDT_ARG(2)
#define _SDT_TEMPLATE_3 _SDT_TEMPLATE_2 _SDT_ARG(3)
#define _SDT_TEMPLATE_4 _SDT_TEMPLATE_3 _SDT_ARG(4)
#define _SDT_TEMPLATE_5 _SDT_TEMPLATE_4 _SDT_ARG(5)
#define _SDT_TEMPLATE_6 _SDT_TEMPLATE_5 _SDT_ARG(6)
#define _SDT_TEMPLATE_7 _SDT_TEMPLATE_6 _SDT_ARG(7)
#define _SDT_TEMPLATE_8 _SDT_TEMPLATE_7 _SDT_ARG(8)
#define _SDT_TEMPLATE_9 _SDT_TEMPLATE_8 _SDT_ARG(9)
#define _SDT_TEMPLATE_10 _SDT_TEMPLATE_9 _SDT_ARG(10)
#define _SDT_TEMPLATE_11 _SDT_TEMPLATE_10 _SDT_ARG(11)
#define _SDT_TEMPLATE_12 _SDT_TEMPLATE_11 _SDT_ARG(12)

#define _SDT_OPERANDS_0(size, ...)
#define _SDT_OPERANDS_1(size, a) _SDT_OPERANDS(size, 1, a)
#define _SDT_OPERANDS_2(size, a, b) _SDT_OPERANDS_1(size, a), _SDT_OPERANDS(size, 2, b)
#define _SDT_OPERANDS_3(size, a, b, c) _SDT_OPERANDS_2(size, a, b), _SDT_OPERANDS(size, 3, c)
#define _SDT_OPERANDS_4(size, a, b, c, d) _SDT_OPERANDS_3(size, a, b, c), _SDT_OPERANDS(size, 4, d)
#define _SDT_OPERANDS_5(size, a, b, c, d, e) _SDT_OPERANDS_4(size, a, b, c, d), _SDT_OPERANDS(size, 5, e)
#define _SDT_OPERANDS_6(size, a, b, c, d, e, f) \
	_SDT_OPERANDS_5(size, a, b, c, d, e), _SDT_OPERANDS(size, 6, f)
#define _SDT_OPERANDS_7(size, a, b, c, d, e, f, g) \
	_SDT_OPERANDS_6(size, a, b, c, d, e, f), _SDT_OPERANDS(size, 7, g)
#define _SDT_OPERANDS_8(size, a, b, c, d, e, f, g, h) \
	_SDT_OPERANDS_7(size, a, b, c, d, e, f, g), _SDT_OPERANDS(size, 8, h)
#define _SDT_OPERANDS_9(size, a, b, c, d, e, f, g, h, i) \
	_SDT_OPERANDS_8(size, a, b, c, d, e, f, g, h), _SDT_OPERANDS(size, 9, i)
#define _SDT_OPERANDS_10(size, a, b, c, d, e, f, g, h, i, j) \
	_SDT_OPERANDS_9(size, a, b, c, d, e, f, g, h, i), _SDT_OPERANDS(size, 10, j)
#define _SDT_OPERANDS_11(size, a, b, c, d, e, f, g, h, i, j, k) \
	_SDT_OPERANDS_10(size, a, b, c, d, e, f, g, h, i, j), _SDT_OPERANDS(size, 11, k)
#define _SDT_OPERANDS_12(size, a, b, c, d, e, f, g, h, i, j, k, l) \
	_SDT_OPERANDS_11(size, a, b, c, d, e, f, g, h, i, j, k), _SDT_OPERANDS(size, 12, l)

/* ------------------------------------------------------------------ probes */

#define STAP_PROBE_ASM_TEMPLATE(n) _SDT_TEMPLATE_##n
#define STAP_PROBE_ASM_OPERANDS(n, ...) _SDT_OPERANDS_##n(_SDT_PLAIN_SIZE, __VA_ARGS__)

#define _SDT_PROBE(provider, name, n, ...)				\
	do {								\
		__asm__ __volatile__(_SDT_NOTE(provider, name, _SDT_SEMAPHORE(provider, name), \
					       _SDT_ARGUMENTS_##n _SDT_LINE(.byte 0)) \
				     : : _SDT_OPERANDS_##n(_SDT_TYPED_SIZE, __VA_ARGS__)); \
	} while (0)

#define STAP_PROBE(provider, name) _SDT_PROBE(provider, name, 0)
#define STAP_PROBE1(provider, name, ...) _SDT_PROBE(provider, name, 1, __VA_ARGS__)
#define STAP_PROBE2(provider, name, ...) _SDT_PROBE(provider, name, 2, __VA_ARGS__)
#define STAP_PROBE3(provider, name, ...) _SDT_PROBE(provider, name, 3, __VA_ARGS__)
#define STAP_PROBE4(provider, name, ...) _SDT_PROBE(provider, name, 4, __VA_ARGS__)
#define STAP_PROBE5(provider, name, ...) _SDT_PROBE(provider, name, 5, __VA_ARGS__)
#define STAP_PROBE6(provider, name, ...) _SDT_PROBE(provider, name, 6, __VA_ARGS__)
#define STAP_PROBE7(provider, name, ...) _SDT_PROBE(provider, name, 7, __VA_ARGS__)
#define STAP_PROBE8(provider, name, ...) _SDT_PROBE(provider, name, 8, __VA_ARGS__)
#define STAP_PROBE9(provider, name, ...) _SDT_PROBE(provider, name, 9, __VA_ARGS__)
#define STAP_PROBE10(provider, name, ...) _SDT_PROBE(provider, name, 10, __VA_ARGS__)
#define STAP_PROBE11(provider, name, ...) _SDT_PROBE(provider, name, 11, __VA_ARGS__)
#define STAP_PROBE12(provider, name, ...) _SDT_PROBE(provider, name, 12, __VA_ARGS__)

#define _SDT_COUNT_(p, n, a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count
#define _SDT_COUNT(...) _SDT_COUNT_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, , 0)
#define _SDT_PROBEV_(count, ...) STAP_PROBE##count(__VA_ARGS__)
#define _SDT_PROBEV(count, ...) _SDT_PROBEV_(count, __VA_ARGS__)
#define STAP_PROBEV(...) _SDT_PROBEV(_SDT_COUNT(__VA_ARGS__), __VA_ARGS__)

#define DTRACE_PROBE(provider, name) STAP_PROBE(provider, name)
#define DTRACE_PROBE1(provider, name, ...) STAP_PROBE1(provider, name, __VA_ARGS__)
#define DTRACE_PROBE2(provider, name, ...) STAP_PROBE2(provider, name, __VA_ARGS__)
#define DTRACE_PROBE3(provider, name, ...) STAP_PROBE3(provider, name, __VA_ARGS__)
#define DTRACE_PROBE4(provider, name, ...) STAP_PROBE4(provider, name, __VA_ARGS__)
#define DTRACE_PROBE5(provider, name, ...) STAP_PROBE5(provider, name, __VA_ARGS__)
#define DTRACE_PROBE6(provider, name, ...) STAP_PROBE6(provider, name, __VA_ARGS__)
#define DTRACE_PROBE7(provider, name, ...) STAP_PROBE7(provider, name, __VA_ARGS__)
#define DTRACE_PROBE8(provider, name, ...) STAP_PROBE8(provider, name, __VA_ARGS__)
#define DTRACE_PROBE9(provider, name, ...) STAP_PROBE9(provider, name, __VA_ARGS__)
#define DTRACE_PROBE10(provider, name, ...) STAP_PROBE10(provider, name, __VA_ARGS__)
#define DTRACE_PROBE11(provider, name, ...) STAP_PROBE11(provider, name, __VA_ARGS__)
#define DTRACE_PROBE12(provider, name, ...) STAP_PROBE12(provider, name, __VA_ARGS__)

#endif

#endif
