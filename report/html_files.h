// SPDX-License-Identifier: GPL-2.0-or-later
// The files of html/, which are embedded in stap-report.
#ifndef HTML_FILES_H
#define HTML_FILES_H

#include <stdio.h>

// Writes the elements <style> and <script> of a report. The caller checks ferror().
void html_put_files(FILE *to);

#endif
