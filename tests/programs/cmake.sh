# packages: cmake g++ make
# size: large
# limits: memory_bytes=1073741824
printf 'cmake_minimum_required(VERSION 3.20)\nproject(a CXX)\nadd_executable(a a.cpp)\n' > CMakeLists.txt; printf '#include <cstdio>\nint main() { std::puts("built"); }\n' > a.cpp; cmake -B b >/dev/null && cmake --build b >/dev/null && b/a
