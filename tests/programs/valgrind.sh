# packages: valgrind gcc libc6-dbg
# size: small
# limits: memory_bytes=1073741824
printf '#include <stdlib.h>\nint main(void) { free(malloc(10)); return 0; }\n' > a.c; gcc -g a.c -o a && valgrind -q --error-exitcode=3 ./a; echo $?
