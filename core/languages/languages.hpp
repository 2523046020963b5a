#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

struct compiler_choices;

/// How to compile code of a language. Arguments may contain these marks, with paths relative to the command's start directory:
///   {main} the code's file, {sources} that file and the other files with one of the suffixes, as separate arguments, {package} Go's
///   build target, {build} the build directory, {stem} the code's file without its suffix, {class} the Java class to start,
///   {work} the working directory, {memory} the memory limit in bytes, {standard} the request's standard or the default one, {flags}
///   the request's compiler flags, {libraries} its libraries, which come after the sources.
struct compile_rule {
    std::string_view compiler;                                             // name of the program
    std::string_view script;                                               // file of this host that the program runs: tsc of Node.js
    std::string_view in_image;                                             // name of the compiler in images, if it differs
    std::span<const std::string_view> arguments;                           // of the compiler
    std::span<const std::string_view> suffixes;                            // of source files: ".c"
    std::span<const std::pair<std::string_view, std::string_view>> env;    // of the compiler
    std::span<const std::pair<std::string_view, std::string_view>> program_env;    // of the compiled program; the request's take precedence
    std::span<const std::string_view> version_probe;    // arguments, after the script, that print the compiler's version
    std::string_view declarations;                      // content of {build}/host.d.ts; empty: no such file
    const compiler_choices* choices = nullptr;          // options that a request may set; null: none
    std::string_view made;    // name of the program below {build}, if it is one file; other files there belong to the compiler
};

/// A language that requests can use: one row of the table in language_table.cpp. Static lifetime.
struct language {
    std::string_view name;    // canonical
    std::span<const std::string_view> aliases;
    std::string_view file;                               // default name of the code's file
    std::string_view interpreter;                        // name of the program; empty: the compiled program runs by itself
    std::span<const std::string_view> run;               // arguments between interpreter and file; for compiled code: all arguments
    std::span<const std::string_view> version_probe;     // arguments that print the interpreter's version; empty: it cannot
    std::span<const std::string_view> end_of_options;    // after the file, if the interpreter would parse options there
    std::span<const std::string_view> other_programs;    // other names of the interpreter, or of the compiler if there is no interpreter
    std::string_view package;                            // Debian package that installs everything needed
    const compile_rule* compile = nullptr;               // null: not compiled
};

/// All languages of this build, installed or not.
std::span<const language> known_languages();

/// Finds a language by canonical name or alias, ignoring case; null if unknown.
const language* find_language(std::string_view name);

/// The version in an interpreter's output: the first digits with dots, such as "3.11.2"; empty if there are none.
std::string version_in(std::string_view output);

/// Finds a program by name or absolute path. Returns a path that is valid in sandboxes too; nothing if it is not installed.
using program_finder = std::function<std::optional<std::string>(std::string_view name)>;

/// Searches /usr/bin, /usr/local/bin and /usr/local/go/bin for an executable ELF file that lies below /usr after all links are resolved.
/// Ignores scripts, because version managers put shims in these directories. An absolute path only needs to be a regular file below
/// /usr.
std::optional<std::string> find_program(std::string_view name);
/// Searches other directories; the file must lie below `root`.
std::optional<std::string> find_program_in(
    std::string_view name, std::span<const std::filesystem::path> directories, const std::filesystem::path& root);

/// Runs a program outside any sandbox, with a clean environment and a deadline. Returns its stdout and stderr together.
using version_runner = std::function<task<result<std::string>>(std::vector<std::string> argv)>;

/// The languages of this host. Constructed cheaply at start; probe() adds versions later. All but versions may be read from any thread.
class language_catalog {
public:
    struct entry {
        const language* what = nullptr;
        std::string path;        // of the interpreter; empty: not installed or not needed
        std::string version;     // of the compiler, else of the interpreter; empty: unknown
        std::string compiler;    // path; empty: not installed or not needed
        std::string script;      // compile_rule::script
        bool available() const;
        /// Name of the first missing program; empty if none is missing.
        std::string_view missing() const;
    };

    explicit language_catalog(const program_finder& find = &find_program);

    const std::vector<entry>& entries() const { return entries_; }
    /// Finds an entry by canonical name or alias; null for an unknown language. The entry may be unavailable.
    const entry* find(std::string_view name) const;
    /// Canonical names of installed languages, for messages: "bash, python".
    std::string available_names() const;

    /// Asks each installed interpreter or compiler for its version. After a failure the version stays empty.
    task<> probe(version_runner run);

private:
    std::vector<entry> entries_;
};

/// The argv that runs `file` (relative to the working directory) with `args`. `from` must be available and not compiled.
std::vector<std::string> run_command(const language_catalog::entry& from, std::string_view file, std::span<const std::string> args);

}    // namespace caisson
