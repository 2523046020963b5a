# packages: clang
# size: large
# limits: memory_bytes=1073741824
printf 'int main(void) { return 42; }\n' > a.c; clang -O2 a.c -o a; ./a; echo $?
