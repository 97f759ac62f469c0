-- SPDX-License-Identifier: GPL-2.0-or-later
-- Neovim as a client of the language server: prints what it shows of the script $SCRIPT.
local function show()
  for _, d in ipairs(vim.diagnostic.get(0)) do
    print(string.format('%d:%d: %s', d.lnum + 1, d.col + 1, d.message))
  end
  print(#vim.diagnostic.get(0) .. ' diagnostics')
end
local function ask(method, line, character)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
  for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, 10000)) do
    return answer.result
  end
end

vim.cmd('edit ' .. os.getenv('SCRIPT'))
print('filetype ' .. vim.bo.filetype)
local client = vim.lsp.start_client({
  name = 'stap', cmd = { os.getenv('STAP'), '--runtime=user', '--language-server' }, root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, client)
vim.wait(300000, function() return #vim.diagnostic.get(0) > 0 end, 20)
show()
vim.api.nvim_buf_set_lines(0, 1, 2, false, { '\tprintln("é𝒳" . execname())   exit()' })
vim.wait(300000, function() return #vim.diagnostic.get(0) == 0 end, 20)
show()
for _, item in ipairs(ask('completion', 1, 21)) do
  if item.label == 'execname(' then print('completion ' .. item.label) end
end
print(vim.split(ask('hover', 1, 18).contents.value, '\n')[2])
vim.lsp.util.apply_text_edits(ask('formatting', 0, 0), 0, 'utf-16')
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  print((line:gsub('\t', '    ')))
end
vim.cmd('qa!')
