/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flags of a conversion in a format, as in printf(3). Used by the translator, by the runtimes and by readers of
 * records, whose format items contain them as one byte.
 */
#ifndef FORMAT_FLAGS_H
#define FORMAT_FLAGS_H

enum stp_format_flag {
	STP_FLAG_ZERO = 1, STP_FLAG_LEFT = 2, STP_FLAG_PLUS = 4, STP_FLAG_SPACE = 8, STP_FLAG_ALTERNATE = 16,
};

#define STP_FORMAT_FLAGS "0-+ #"   /* the character of each bit */

/* Returns the bit of a character, or 0 if it is not a flag. */
static inline unsigned char stp_format_flag(char c)
{
	return c == '0' ? STP_FLAG_ZERO : c == '-' ? STP_FLAG_LEFT : c == '+' ? STP_FLAG_PLUS :
	       c == ' ' ? STP_FLAG_SPACE : c == '#' ? STP_FLAG_ALTERNATE : 0;
}

#endif
