#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <vector>

namespace caisson::bench {

/// CLOCK_MONOTONIC in nanoseconds: the same in every sandbox of this host.
std::int64_t now_ns();

/// Durations, one a measured operation.
using samples_ns = std::vector<std::int64_t>;

/// Prints `fields`, with "samples_ns" unless there are none, as one line of JSON for bench/run.
void print_report(boost::json::object fields, const samples_ns& samples = {});

/// A server's "I am ready": {"port": …} as a line.
void print_ready(std::uint16_t port);

}    // namespace caisson::bench
