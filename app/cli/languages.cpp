#include "app/cli/languages.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace caisson::cli {

std::string language_of_file(const std::filesystem::path& file)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known{{
        {".py", "python"},
        {".js", "javascript"},
        {".mjs", "javascript"},
        {".cjs", "javascript"},
        {".sh", "bash"},
        {".bash", "bash"},
    }};
    const auto extension = file.extension().string();
    for (const auto& [ending, language] : known)
        if (extension == ending)
            return std::string(language);
    return {};
}

}    // namespace caisson::cli
