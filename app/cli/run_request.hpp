#pragma once

#include "app/cli/command_line.hpp"
#include "app/cli/terminal.hpp"
#include "core/base/error.hpp"

#include <boost/json/object.hpp>

namespace caisson::cli {

/// A file of --file.
struct uploaded_file {
    std::string name;    // in the sandbox
    std::string content;
    bool is_executable = false;    // by its owner, on this machine
};

/// Data read from this machine before the request is made.
struct run_inputs {
    std::string program;    // from FILE or standard input
    std::vector<uploaded_file> files;
    std::optional<window_size> window;    // of the terminal, for --pty
};

/// Largest program or file to read. The server's own limit on requests applies later.
inline constexpr std::size_t max_upload_bytes = 64 << 20;

/// Reads the files that `options` name. Errors: those of read_whole; errc::bad_request for a program that is not UTF-8.
result<run_inputs> read_inputs(const run_options& options);

/// A JSON object with the pairs as members.
boost::json::object object_of(const named_texts& pairs);

/// The body of POST /v1/executions. No I/O.
boost::json::object run_request(const run_options& options, run_inputs inputs);

}    // namespace caisson::cli
