# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stap for fish: stap --complete answers with whole words, without quotes. Without an answer fish completes
# files.
complete -c stap -a '(stap --complete (commandline -cp) 2>/dev/null)'
