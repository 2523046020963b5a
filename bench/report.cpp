#include "bench/report.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <cstdio>

namespace caisson::bench {

namespace json = boost::json;

std::int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void print_report(json::object fields, const samples_ns& samples)
{
    if (!samples.empty())
        fields["samples_ns"] = json::array(samples.begin(), samples.end());
    std::printf("%s\n", json::serialize(fields).c_str());
    std::fflush(stdout);
}

void print_ready(std::uint16_t port) { print_report({{"port", port}}); }

}    // namespace caisson::bench
