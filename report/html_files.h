// SPDX-License-Identifier: GPL-2.0-or-later
// The files of html/, as stap-report contains them.
#ifndef HTML_FILES_H
#define HTML_FILES_H

#include <stdio.h>

// Writes the elements <style> and <script> of a report. Errors are those of the stream.
void html_put_files(FILE *to);

#endif
