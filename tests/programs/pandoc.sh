# packages: pandoc
# size: large
# limits: memory_bytes=1073741824
printf '# Title\n\nText *here*.\n' | pandoc -f markdown -t html
