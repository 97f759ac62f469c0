// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef DEMANGLE_H
#define DEMANGLE_H

// Returns the name of a C++ or Rust function without its parameters, which the caller frees; NULL: the symbol is not
// mangled, or there is no c++filt.
char *demangle(const char *symbol);

#endif
