# packages: gdb gcc
# size: large
# limits: memory_bytes=1073741824
printf 'int answer = 42;\nint main(void) { return 0; }\n' > a.c; gcc -g a.c -o a; gdb -batch -ex 'print answer' ./a 2>/dev/null
