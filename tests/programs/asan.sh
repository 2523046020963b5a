# packages: g++
# size: small
# limits: memory_bytes=1073741824
printf '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n' > a.c
gcc -fsanitize=address,undefined a.c -o a && ./a
