/// usage: bench-counts --dir DIR
/// Goes along each hot path, first once or twice for what only the first time costs, then in caisson_counted(), which is where
/// tools/counts has callgrind count instructions. Prints the names in order with how often each was gone along.
#include "bench/arguments.hpp"
#include "bench/counted_path.hpp"

#include <cstdio>

/// Not inlined, and by a name that no compiler changes.
extern "C" [[gnu::noinline]] void caisson_counted(const caisson::bench::counted_path* path)
{
    for (int i = 0; i < path->times; ++i)
        path->run();
}

namespace caisson::bench {

namespace {

void count_all(const std::vector<counted_path>& paths)
{
    for (const auto& path : paths) {
        path.run();
        path.run();
        caisson_counted(&path);
        std::printf("%s %d\n", std::string(path.name).c_str(), path.times);
    }
}

void count(const arguments& given)
{
    count_all(link_paths());
    count_all(wire_paths());
    count_all(storage_paths(given.text("dir")));
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::count); }
