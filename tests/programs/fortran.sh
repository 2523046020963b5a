# packages: gfortran
# size: small
printf 'program a\nprint *, sum([(i, i = 1, 10)])\nend program\n' > a.f90; gfortran a.f90 -o a && ./a
