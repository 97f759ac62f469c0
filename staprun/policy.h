// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's settings that forbid loading modules. Used by stapio to explain a failure, and by stap --doctor.
#ifndef POLICY_H
#define POLICY_H

#include <stdbool.h>

bool policy_modules_disabled(void);        // sysctl kernel.modules_disabled: until the next boot
bool policy_locked_down(void);             // Secure Boot, or lockdown= at boot
bool policy_signatures_enforced(void);     // module.sig_enforce at boot

#endif
