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

/// How code in a language becomes a program, for languages where it has to. Arguments may hold these marks, all as seen from the
/// directory that the command starts in:
///   {main} the code's file, {sources} it and the other files with one of the suffixes, as arguments of their own, {package} what Go
///   builds, {build} a directory for what is made, {stem} the code's file without its suffix, {class} the Java class that is started,
///   {work} the working directory, {memory} the memory limit in bytes, {standard} the request's standard or the default one, {flags}
///   what the request adds to the compiler's arguments, {libraries} its libraries, which come behind the sources.
struct compile_rule {
    std::string_view compiler;                      // name of the program
    std::string_view script;                        // what the program is to run, a file of this host: tsc of Node.js
    std::string_view in_image;                      // name of the compiler in images, if it is another there
    std::span<const std::string_view> arguments;    // of the compiler
    std::span<const std::string_view> suffixes;     // of source files: ".c"
    std::span<const std::pair<std::string_view, std::string_view>> env;            // of the compiler
    std::span<const std::pair<std::string_view, std::string_view>> program_env;    // of what it made; the request's own come before
    std::span<const std::string_view> version_probe;    // arguments that make the compiler print its version; after the script
    std::string_view declarations;                      // of a file {build}/host.d.ts; empty: none
    const compiler_choices* choices = nullptr;          // what a request may say to the compiler; null: nothing
    std::string_view made;    // what the program is, if that is one file: its name below {build}. What else is there is the compiler's own
};

/// A language in which code can be sent: one row of the table in language_table.cpp. Lives as long as the program.
struct language {
    std::string_view name;    // canonical
    std::span<const std::string_view> aliases;
    std::string_view file;                               // name of the code's file unless the request names one
    std::string_view interpreter;                        // name of the program; empty: what the compiler makes runs by itself
    std::span<const std::string_view> run;               // arguments between the interpreter and the file; of compiled code: all
    std::span<const std::string_view> version_probe;     // arguments that make the interpreter print its version; empty: it does not
    std::span<const std::string_view> end_of_options;    // behind the file, where the interpreter looks for its own options there too
    std::span<const std::string_view> other_programs;    // other names of the interpreter, or of the compiler if there is no interpreter
    std::string_view package;                            // of Debian, in which all that is needed comes
    const compile_rule* compile = nullptr;               // null: the code is run as it is
};

/// All languages that this build knows, installed or not.
std::span<const language> known_languages();

/// By canonical name or alias, in any case of letters; null if there is none.
const language* find_language(std::string_view name);

/// The version in what an interpreter printed: the first digits with dots, such as "3.11.2"; empty if there are none.
std::string version_in(std::string_view output);

/// Where a program is, as a path that the sandbox sees too; nothing if it is not installed. For an absolute path: that file.
using program_finder = std::function<std::optional<std::string>(std::string_view name)>;

/// Looks in /usr/bin, /usr/local/bin and /usr/local/go/bin. Only a real program counts: an executable ELF file that lies below /usr
/// with all links followed. Scripts are passed over, since version managers put their shims in these directories. An absolute path
/// is found if a file lies there, below /usr.
std::optional<std::string> find_program(std::string_view name);
/// The same with other directories; `root` is what the file must lie below.
std::optional<std::string> find_program_in(
    std::string_view name, std::span<const std::filesystem::path> directories, const std::filesystem::path& root);

/// Runs a program outside any sandbox, with a clean environment and a deadline, and returns what it printed to both streams.
using version_runner = std::function<task<result<std::string>>(std::vector<std::string> argv)>;

/// Which languages this host has. Made at start, cheaply; versions come later, by probe(). All but versions may be read from any thread.
class language_catalog {
public:
    struct entry {
        const language* what = nullptr;
        std::string path;        // of the interpreter; empty: not installed, or the language needs none
        std::string version;     // of the compiler, or of the interpreter; empty: not known (yet)
        std::string compiler;    // path; empty: not installed, or the language needs none
        std::string script;      // that the compiler's program runs
        bool available() const;
        /// What is missing first, by its program's name; empty if nothing is.
        std::string_view missing() const;
    };

    explicit language_catalog(const program_finder& find = &find_program);

    const std::vector<entry>& entries() const { return entries_; }
    /// By canonical name or alias; null if the language is not known. The entry may be unavailable.
    const entry* find(std::string_view name) const;
    /// "bash, python": canonical names of what is installed, for messages.
    std::string available_names() const;

    /// Asks each installed interpreter or compiler for its version. One that fails keeps an empty version.
    task<> probe(version_runner run);

private:
    std::vector<entry> entries_;
};

/// The argv that runs `file` (relative to the working directory) with `args`. `from` must be available, and is not compiled.
std::vector<std::string> run_command(const language_catalog::entry& from, std::string_view file, std::span<const std::string> args);

}    // namespace caisson
