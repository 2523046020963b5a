#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::bench {

/// One hot path, alone: `run` goes along it once, with the same input each time.
struct counted_path {
    std::string_view name;
    int times = 1;    // that it is gone along to be counted
    std::function<void()> run;
};

/// Frames between server and agent.
std::vector<counted_path> link_paths();
/// Requests, records and events as clients send and see them.
std::vector<counted_path> wire_paths();
/// Durable writes to databases in the empty directory `dir`.
std::vector<counted_path> storage_paths(const std::string& dir);

}    // namespace caisson::bench
