#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A language in which code can be sent: one row of the table in languages.cpp. Lives as long as the program.
struct language {
    std::string_view name;    // canonical
    std::span<const std::string_view> aliases;
    std::string_view file;                              // name of the code's file unless the request names one
    std::string_view interpreter;                       // name of the program
    std::span<const std::string_view> run;              // arguments between the interpreter and the file
    std::span<const std::string_view> version_probe;    // arguments that make the interpreter print its version
};

/// All languages that this build knows, installed or not.
std::span<const language> known_languages();

/// By canonical name or alias, in any case of letters; null if there is none.
const language* find_language(std::string_view name);

/// The version in what an interpreter printed: the first digits with dots, such as "3.11.2"; empty if there are none.
std::string version_in(std::string_view output);

/// Where an interpreter is, as a path that the sandbox sees too; nothing if it is not installed.
using program_finder = std::function<std::optional<std::string>(std::string_view name)>;

/// Looks in /usr/bin, then in /usr/local/bin. Only a real program counts: an executable ELF file that lies below /usr with
/// all links followed. Scripts are passed over, since version managers put their shims in these directories.
std::optional<std::string> find_program(std::string_view name);
/// The same with other directories; `root` is what the file must lie below.
std::optional<std::string> find_program_in(
    std::string_view name, std::span<const std::filesystem::path> directories, const std::filesystem::path& root);

/// Runs a program outside any sandbox, with a clean environment and a deadline, and returns what it printed to both streams.
using version_runner = std::function<task<result<std::string>>(std::vector<std::string> argv)>;

/// Which languages this host has. Made at start, cheaply; versions come later, by probe(). I/O thread.
class language_catalog {
public:
    struct entry {
        const language* what = nullptr;
        std::string path;       // of the interpreter; empty: not installed
        std::string version;    // empty: not known (yet)
        bool available() const { return !path.empty(); }
    };

    explicit language_catalog(const program_finder& find = &find_program);

    const std::vector<entry>& entries() const { return entries_; }
    /// By canonical name or alias; null if the language is not known. The entry may be unavailable.
    const entry* find(std::string_view name) const;
    /// "bash, python": canonical names of what is installed, for messages.
    std::string available_names() const;

    /// Asks each installed interpreter for its version. One that fails keeps an empty version.
    task<> probe(version_runner run);

private:
    std::vector<entry> entries_;
};

/// The argv that runs `file` (relative to the working directory) with `args`. `from` must be available.
std::vector<std::string> run_command(const language_catalog::entry& from, std::string_view file, std::span<const std::string> args);

}    // namespace caisson
