#pragma once

#include "app/cli/verbs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace caisson::cli {

/// What a verb wrote and returned.
struct outcome {
    int status = 0;
    std::string out;
    std::string err;
};

/// Runs a verb in this process and keeps what it writes.
template <class Options>
outcome captured(const Options& options, const verb_context& context)
{
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    outcome got;
    got.status = run_verb(options, context);
    got.out = ::testing::internal::GetCapturedStdout();
    got.err = ::testing::internal::GetCapturedStderr();
    return got;
}

}    // namespace caisson::cli
