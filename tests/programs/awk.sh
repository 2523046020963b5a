# packages: gawk
# size: small
printf '1 2\n3 4\n' | gawk '{ s += $1 * $2 } END { print s, strftime("%Z", 0, 1) }'
