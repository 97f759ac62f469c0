" SPDX-License-Identifier: GPL-2.0-or-later
" Syntax of scripts of stap.
if exists('b:current_syntax')
  finish
endif
syntax include @stapC syntax/c.vim
unlet! b:current_syntax

syntax keyword stapStatement return delete next break continue
syntax keyword stapRepeat for foreach while in limit
syntax keyword stapConditional if else
syntax keyword stapException try catch
syntax keyword stapDeclaration function global private
syntax keyword stapType string long
syntax match stapNumber '\<\(0[xX]\x\+\|\d\+\)\>'
syntax match stapTarget '\$\+\h\w*\$*'
syntax match stapMacro '@\h\w*'
syntax match stapArgument '[$@]\(#\|\d\+\)'
syntax match stapFunction '\<\h\w*\ze\s*('
syntax keyword stapPrint print printf println printd printdln sprint sprintf sprintln sprintd sprintdln
syntax match stapMember '->\s*\h\w*'
syntax match stapPreprocessor '%[(?:)]'
syntax region stapPoint matchgroup=stapDeclaration start='\<probe\>' end='\ze[{]\|\ze\<if\>' contains=stapString,stapComment,stapArgument,stapNumber
syntax match stapEscape '\\\(\o\{1,3}\|x\x\{1,2}\|.\)' contained
syntax match stapFormat '%[-+ 0#]*\(\*\|\d\+\)\?\(\.\(\*\|\d\+\)\)\?l*[diuoxXpcsbmM%]' contained
syntax region stapString start='"' skip='\\.' end='"' contains=stapEscape,stapFormat
syntax keyword stapTodo TODO FIXME XXX contained
syntax match stapComment '[$@]\@1<!#.*$' contains=stapTodo
syntax match stapComment '//.*$' contains=stapTodo
syntax region stapComment start='/\*' end='\*/' contains=stapTodo
syntax region stapEmbedded matchgroup=stapPreprocessor start='%{' end='%}' contains=@stapC keepend
syntax sync minlines=200

highlight default link stapStatement Statement
highlight default link stapRepeat Repeat
highlight default link stapConditional Conditional
highlight default link stapException Exception
highlight default link stapDeclaration Keyword
highlight default link stapType Type
highlight default link stapNumber Number
highlight default link stapTarget Identifier
highlight default link stapMacro Macro
highlight default link stapArgument Special
highlight default link stapFunction Function
highlight default link stapPrint Function
highlight default link stapMember Normal
highlight default link stapPreprocessor PreProc
highlight default link stapPoint Constant
highlight default link stapEscape SpecialChar
highlight default link stapFormat SpecialChar
highlight default link stapString String
highlight default link stapTodo Todo
highlight default link stapComment Comment

let b:current_syntax = 'stap'
