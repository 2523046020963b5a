# packages: bzip2 gzip xz-utils zip unzip
# size: small
seq 1000 > a; for each in bzip2 gzip xz; do $each -k a; done; zip -q a.zip a
bzip2 -dc a.bz2 | cmp - a && gzip -dc a.gz | cmp - a && xz -dc a.xz | cmp - a && unzip -p a.zip | cmp - a && echo same
