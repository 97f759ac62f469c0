" SPDX-License-Identifier: GPL-2.0-or-later
" Prints the syntax groups of words of the script that Vim has open, and what :make finds.
function! Group(line, word)
  return a:word . ' ' . synIDattr(synID(a:line, stridx(getline(a:line), a:word) + 1, 0), 'name')
endfunction
let out = ['filetype ' . &filetype, Group(1, 'probe'), Group(1, 'kernel'), Group(2, 'if'), Group(2, '$count'), Group(2, 'print'), Group(2, '@1'),
      \ Group(2, '%d'), Group(2, '// note'), Group(3, 'return'), Group(4, 'exit'), 'comments ' . &commentstring]
let &makeprg = substitute(&makeprg, '^(stap', '(' . $STAP . ' --runtime=user', '')
silent! make!
call extend(out, map(getqflist(), {_, e -> e.lnum . ':' . e.col . ' ' . e.text}))
call writefile(out, $RESULT)
qa!
