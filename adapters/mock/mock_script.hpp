#pragma once

#include "core/base/error.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace caisson {

/// A step of a program of the mock runtime. After the last step the program exits with 0. The steps as an argv:
///
///   mock [--stdout TEXT] [--stderr TEXT] [--cat] [--wait-ms N] [--hang] [--oom] [--fill-disk] [--die] [--exit N] [--signal N]
///
/// --cat copies stdin to stdout until its end; --hang waits for a signal; --oom acts as if the kernel killed the program for
/// memory; --die ends the whole sandbox.
struct mock_step {
    enum class kind { print_stdout, print_stderr, cat, wait, hang, oom, fill_disk, die, exit, signal };
    kind what = kind::hang;
    std::string text = {};      // for print_stdout and print_stderr
    std::int64_t number = 0;    // wait: milliseconds; exit: status; signal: number
};

/// Errors: errc::bad_request with the part that is not understood.
result<std::vector<mock_step>> parse_mock_script(const std::vector<std::string>& argv);

}    // namespace caisson
