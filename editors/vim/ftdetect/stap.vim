" SPDX-License-Identifier: GPL-2.0-or-later
" Scripts of stap by name, and by the first line. Vim itself takes *.stp for procedures of databases.
autocmd BufNewFile,BufRead *.stp,*.stpm set filetype=stap
autocmd BufNewFile,BufRead * if !did_filetype() && getline(1) =~# '^#!.*\<stap\>' | setfiletype stap | endif
