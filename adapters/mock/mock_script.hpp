#pragma once

#include "core/base/error.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace caisson {

/// What a program of the mock runtime does, one step after the other; after the last it exits with 0. Written as an argv:
///
///   mock [--stdout TEXT] [--stderr TEXT] [--cat] [--wait-ms N] [--hang] [--oom] [--fill-disk] [--die] [--exit N] [--signal N]
///
/// --cat copies stdin to stdout until its end; --hang waits for a signal; --oom is killed as the kernel does for memory;
/// --die takes the whole sandbox away.
struct mock_step {
    enum class kind { print_stdout, print_stderr, cat, wait, hang, oom, fill_disk, die, exit, signal };
    kind what = kind::hang;
    std::string text = {};      // of print
    std::int64_t number = 0;    // milliseconds of wait, status of exit, number of signal
};

/// Errors: errc::bad_request with what is not understood.
result<std::vector<mock_step>> parse_mock_script(const std::vector<std::string>& argv);

}    // namespace caisson
