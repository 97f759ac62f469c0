# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stap, staprun, stap-merge and stap-prep for fish: stap --complete answers with whole words, without quotes. Without an answer fish completes
# files.
for program in stap staprun stap-merge stap-prep
	complete -c $program -a '(stap --complete (commandline -cp) 2>/dev/null)'
end
