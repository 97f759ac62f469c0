// SPDX-License-Identifier: GPL-2.0-or-later
// --doctor: checks which features this machine supports.
#ifndef DOCTOR_H
#define DOCTOR_H

#include "session/session.h"

// Prints a line for each check, or JSON. Returns 0 if a script that probes the running kernel runs here, else 1.
// s->kernel is the running kernel.
int doctor_run(struct session *s);

#endif
