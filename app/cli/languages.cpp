#include "app/cli/languages.hpp"

#include <string_view>
#include <utility>

namespace caisson::cli {

namespace {

constexpr std::pair<std::string_view, std::string_view> known[]{
    {".awk", "awk"},
    {".sh", "bash"},
    {".bash", "bash"},
    {".c", "c"},
    {".cpp", "cpp"},
    {".cc", "cpp"},
    {".cxx", "cpp"},
    {".cs", "csharp"},
    {".d", "d"},
    {".f90", "fortran"},
    {".f95", "fortran"},
    {".go", "go"},
    {".java", "java"},
    {".js", "javascript"},
    {".mjs", "javascript"},
    {".cjs", "javascript"},
    {".lisp", "lisp"},
    {".lua", "lua"},
    {".nim", "nim"},
    {".pas", "pascal"},
    {".pl", "perl"},
    {".php", "php"},
    {".py", "python"},
    {".R", "r"},
    {".r", "r"},
    {".rb", "ruby"},
    {".rs", "rust"},
    {".scm", "scheme"},
    {".tcl", "tcl"},
    {".ts", "typescript"},
};

}    // namespace

std::string language_of_file(const std::filesystem::path& file)
{
    const auto extension = file.extension().string();
    for (const auto& [ending, language] : known)
        if (extension == ending)
            return std::string(language);
    return {};
}

}    // namespace caisson::cli
