#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The compiler options that a request may set: a language standard, and flags from an allow list. Other options could name other
/// programs, files of the sandbox or other output.
namespace caisson {

inline constexpr std::size_t max_compiler_flags = 32;
inline constexpr std::size_t max_compiler_flag_bytes = 256;

/// The variable part of a flag, after its fixed beginning.
enum class flag_value {
    none,          // empty: the flag is exact
    word,          // letters, digits and + - = . _; may be empty
    number,        // one or two digits
    name,          // a C identifier: letters, digits and _, without a leading digit
    definition,    // NAME, or NAME=VALUE with a value of printable ASCII
    library,       // 1 to 64 letters, digits and + - . _, starting with a letter or a digit
    list,          // letters, digits and + - . _ , (not empty)
    directory,     // below the working directory: relative, no ".."
};

struct flag_rule {
    std::string_view beginning;
    flag_value value = flag_value::none;
    bool is_library = false;    // placed after the sources
};

struct compiler_choices {
    std::span<const std::string_view> standards;    // empty: none can be chosen
    std::string_view standard_option;               // prefix of the standard: "-std="; a final space means two arguments
    std::string_view default_standard;              // empty: the compiler's default
    std::span<const flag_rule> flags;
};

/// The choices for the compilers of the language table.
extern const compiler_choices c_choices, cpp_choices, csharp_choices, d_choices, fortran_choices, go_choices, java_choices, nim_choices,
    pascal_choices, rust_choices, typescript_choices;

/// A request's checked compiler options.
struct compiler_wishes {
    std::string standard;    // empty: the default
    std::vector<std::string> flags;
};

/// Why a standard or a flag is not allowed: a sentence without the field's name that lists the allowed values. Empty if it is allowed.
std::string standard_problem(const compiler_choices& choices, std::string_view standard);
std::string flag_problem(const compiler_choices& choices, std::string_view flag);

/// The compiler's arguments for the marks {standard}, {flags} and {libraries}; may be empty.
std::vector<std::string> standard_arguments(const compiler_choices& choices, const compiler_wishes& wishes);
std::vector<std::string> flag_arguments(const compiler_choices& choices, const compiler_wishes& wishes);
std::vector<std::string> library_arguments(const compiler_choices& choices, const compiler_wishes& wishes);

}    // namespace caisson
