# packages: diffutils patch
# size: small
printf 'a\nb\n' > one; printf 'a\nc\n' > two; diff -u one two > p; patch -s one p && cmp one two && echo patched
