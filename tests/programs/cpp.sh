# packages: g++
# size: small
printf '#include <iostream>\n#include <thread>\n#include <vector>\nint main() { int n = 0; std::vector<std::jthread> all; for (int i = 0; i < 4; ++i) all.emplace_back([&n, i] { __atomic_fetch_add(&n, i, __ATOMIC_SEQ_CST); }); all.clear(); std::cout << n << "\\n"; }\n' > a.cpp
g++ -std=c++20 -O1 -pthread a.cpp -o a && ./a
