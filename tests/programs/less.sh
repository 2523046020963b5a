# packages: less
# size: small
seq 3 | less -FX | cat
