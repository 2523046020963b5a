#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace caisson::cli {

/// Exit statuses of the client verbs.
namespace exit_status {
inline constexpr int ok = 0;
inline constexpr int failed = 1;    // refused by the server, or not found
inline constexpr int usage = 2;
inline constexpr int timeout = 124;           // of `run`: a time limit ended the program
inline constexpr int infrastructure = 125;    // of `run`: the program was not run, or its end is not known
inline constexpr int cancelled = 130;         // 128 + SIGINT; of `run`: cancelled or left; of others: interrupted
inline constexpr int signal_base = 128;
}    // namespace exit_status

/// The exit status of `run`, from an exit event or a record (status, verdict, exit_code, signal).
int exit_status_of(const boost::json::object& end);

/// A sentence about an end that is not a plain exit; empty for a plain exit.
std::string ending_note(const boost::json::object& end);

/// A sentence about why an execution failed, also for a plain exit; empty for a success.
std::string failure_of(const boost::json::object& end);

/// The compiler's output if the compilation failed; ends with a line feed; empty if there is none.
std::string compiler_output(const boost::json::object& end);

/// A string member; empty if it is absent or of another type.
std::string text_of(const boost::json::object& from, std::string_view name);
/// An integer member; 0 if it is absent or of another type.
std::int64_t number_of(const boost::json::object& from, std::string_view name);
/// True if the member exists and is true.
bool is_true(const boost::json::object& from, std::string_view name);

}    // namespace caisson::cli
