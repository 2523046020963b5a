#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a request may say to a compiler: a standard of its language, and flags of a list. Whatever else a compiler takes could name
/// other programs, files of the sandbox or other output.
namespace caisson {

inline constexpr std::size_t max_compiler_flags = 32;
inline constexpr std::size_t max_compiler_flag_bytes = 256;

/// What follows the fixed beginning of a flag.
enum class flag_value {
    none,          // nothing: the flag is exact
    word,          // nothing, or letters, digits and + - = . _
    number,        // one or two digits
    name,          // a name of C: letters, digits and _
    definition,    // a name, or a name, = and printable ASCII
    library,       // 1 to 64 letters, digits and + - . _, the first a letter or a digit
    list,          // words with commas between
    directory,     // below the working directory: relative, no ".."
};

struct flag_rule {
    std::string_view beginning;
    flag_value value = flag_value::none;
    bool is_library = false;    // comes behind the sources
};

struct compiler_choices {
    std::span<const std::string_view> standards;    // empty: there is no choice
    std::string_view standard_option;               // "-std=", which a standard is appended to
    std::string_view default_standard;              // empty: the compiler's own
    std::span<const flag_rule> flags;
};

/// Of the compilers that the table of languages has.
extern const compiler_choices c_choices, cpp_choices, csharp_choices, d_choices, fortran_choices, go_choices, java_choices, nim_choices,
    pascal_choices, rust_choices, typescript_choices;

/// What a request says to its compiler, checked.
struct compiler_wishes {
    std::string standard;    // empty: the default
    std::vector<std::string> flags;
};

/// What is wrong with a standard or a flag: a sentence without the field's name that says what is allowed; empty if nothing is.
std::string standard_problem(const compiler_choices& choices, std::string_view standard);
std::string flag_problem(const compiler_choices& choices, std::string_view flag);

/// The compiler's arguments for the marks {standard}, {flags} and {libraries}; none where nothing is to be said.
std::vector<std::string> standard_arguments(const compiler_choices& choices, const compiler_wishes& wishes);
std::vector<std::string> flag_arguments(const compiler_choices& choices, const compiler_wishes& wishes);
std::vector<std::string> library_arguments(const compiler_choices& choices, const compiler_wishes& wishes);

}    // namespace caisson
