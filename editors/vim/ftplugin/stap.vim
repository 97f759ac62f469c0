" SPDX-License-Identifier: GPL-2.0-or-later
" Settings for scripts of stap: comments, indentation, :make and gq.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=s1:/*,mb:*,ex:*/,://,:# commentstring=//\ %s
setlocal noexpandtab shiftwidth=8 tabstop=8 cindent cinoptions=:0,l1
setlocal iskeyword=@,48-57,_,$
setlocal suffixesadd=.stp
" :make reports errors and warnings of a script without running it.
setlocal makeprg=(stap\ -p2\ %\ >/dev/null)
setlocal errorformat=%E%.%#error:\ %m:\ at\ %f:%l:%c,%WWARNING:\ %m:\ at\ %f:%l:%c,%-G%.%#
" The formatter reads whole scripts: gggqG.
setlocal formatprg=stap\ --fmt\ -

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< tabstop< cindent< cinoptions< iskeyword< '
      \ . 'suffixesadd< makeprg< errorformat< formatprg<'
