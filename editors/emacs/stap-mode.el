;;; stap-mode.el --- Major mode for scripts of stap  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: GPL-2.0-or-later

;;; Commentary:
;; Highlighting and indentation of SystemTap scripts, and the language server for Eglot.
;; (require 'stap-mode) in an init file, then M-x eglot in a script.

;;; Code:

(defgroup stap nil "Scripts of stap." :group 'languages)

(defcustom stap-program "stap" "The program stap." :type 'string :group 'stap)

(defcustom stap-arguments nil
  "Options of stap for checks, such as (\"-r\" \"6.1.0-21-amd64\")."
  :type '(repeat string) :group 'stap)

(defcustom stap-indent 8 "Columns of a level of indentation." :type 'integer :group 'stap)

(defvar stap-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?# "< b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?$ "_" table)
    (modify-syntax-entry ?@ "_" table)
    (dolist (c '(?+ ?- ?= ?% ?< ?> ?& ?| ?! ?~ ?^ ?? ?:) table)
      (modify-syntax-entry c "." table))))

(defconst stap-font-lock-keywords
  `((,(regexp-opt '("probe" "global" "private" "function" "if" "else" "for" "foreach" "in" "limit" "return" "delete"
                    "while" "break" "continue" "next" "try" "catch") 'symbols) . font-lock-keyword-face)
    (,(regexp-opt '("string" "long") 'symbols) . font-lock-type-face)
    ("\\_<probe\\s-+\\([^{\n]+\\)" 1 font-lock-constant-face)
    ("\\_<function\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ("\\$+[[:alpha:]_][[:alnum:]_]*\\$*" . font-lock-variable-name-face)
    ("@[[:alpha:]_][[:alnum:]_]*" . font-lock-preprocessor-face)
    ("%[{}(?:)]" . font-lock-preprocessor-face)
    ("\\_<s?print\\(?:f\\|ln\\|d\\|dln\\)?\\_>" . font-lock-builtin-face))
  "Highlighting of `stap-mode'.")

(defun stap-indent-line ()
  "Indent the line by the number of open brackets before it."
  (interactive)
  (let* ((closes (save-excursion (back-to-indentation) (looking-at-p "[])}]")))
         (depth (save-excursion (beginning-of-line) (car (syntax-ppss))))
         (column (* stap-indent (max 0 (if closes (1- depth) depth)))))
    (if (save-excursion (skip-chars-backward " \t") (bolp))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode stap-mode prog-mode "Stap"
  "Major mode for scripts of stap."
  (setq-local comment-start "// " comment-end "" comment-start-skip "\\(?://+\\|#+\\|/\\*+\\)\\s-*")
  (setq-local indent-tabs-mode t tab-width 8)
  (setq-local font-lock-defaults '(stap-font-lock-keywords))
  (setq-local indent-line-function #'stap-indent-line))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.stpm?\\'" . stap-mode))
;;;###autoload
(add-to-list 'interpreter-mode-alist '("stap" . stap-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(stap-mode . ,(lambda (&rest _) `(,stap-program ,@stap-arguments "--language-server")))))

(provide 'stap-mode)
;;; stap-mode.el ends here
