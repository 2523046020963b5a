# packages: make
# size: small
printf 'all: b\nb: a\n\tcp a b\na:\n\techo made > a\n' > Makefile; make -s -j4 && cat b
