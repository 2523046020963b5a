# packages: vim-tiny
# size: large
printf 'a\nb\n' > f; vim.tiny -es -u NONE +'%s/b/c/' +wq f; cat f
