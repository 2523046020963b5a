#include "core/languages/image_table.hpp"

namespace caisson {

namespace {

using text_map = std::map<std::string, std::string, std::less<>>;

/// Splits "KEY=VALUE" lines; the config's checks refuse others.
text_map pairs_of(const std::vector<std::string>& lines)
{
    text_map out;
    for (const auto& line : lines)
        if (const auto equals = line.find('='); equals != std::string::npos)
            out.insert_or_assign(line.substr(0, equals), line.substr(equals + 1));
    return out;
}

}    // namespace

image_table::image_table(const images_config& config) : interpreters_(pairs_of(config.interpreters)), standard_(config.standard)
{
    for (auto& [name, image] : pairs_of(config.languages))
        if (const auto* known = find_language(name))
            images_.insert_or_assign(std::string(known->name), image);
}

const std::string& image_table::image_of(std::string_view language) const
{
    static const std::string none;
    const auto found = images_.find(language);
    return found == images_.end() ? none : found->second;
}

std::string image_table::interpreter(std::string_view image, std::string_view language) const
{
    const auto* known = find_language(language);
    const bool compiled = known != nullptr && known->compile != nullptr;
    if (const auto own = interpreters_.find(image); own != interpreters_.end() && !compiled)
        return own->second;
    return known == nullptr ? std::string() : std::string(known->interpreter);
}

std::string image_table::compiler(std::string_view image, std::string_view language) const
{
    const auto* known = find_language(language);
    if (known == nullptr || known->compile == nullptr)
        return {};
    if (const auto own = interpreters_.find(image); own != interpreters_.end())
        return own->second;
    return std::string(known->compile->in_image.empty() ? known->compile->compiler : known->compile->in_image);
}

std::string image_table::languages() const
{
    std::string names;
    for (const auto& [name, image] : images_)
        names.append(names.empty() ? "" : ", ").append(name);
    return names;
}

}    // namespace caisson
