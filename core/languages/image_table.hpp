#pragma once

#include "core/base/config.hpp"
#include "core/languages/languages.hpp"

#include <map>
#include <string>
#include <string_view>

namespace caisson {

/// The config's images: one per language, one for commands, and the programs that run code in them.
class image_table {
public:
    image_table() = default;
    explicit image_table(const images_config& config);

    /// The image of a language, by its canonical name; empty: none.
    const std::string& image_of(std::string_view language) const;
    /// The image of commands and shell lines; may be empty.
    const std::string& standard() const { return standard_; }
    /// The program that runs a file of `language` (any of its names), or the compiled program, in `image`: a path, or a name to search
    /// in the image's PATH. Empty for an unknown language, and if the compiled program runs by itself.
    std::string interpreter(std::string_view image, std::string_view language) const;
    /// Like interpreter(), for the compiler; empty for a language without one.
    std::string compiler(std::string_view image, std::string_view language) const;
    /// Canonical names of the languages that have an image, for messages: "bash, python".
    std::string languages() const;

private:
    std::map<std::string, std::string, std::less<>> images_;          // by language
    std::map<std::string, std::string, std::less<>> interpreters_;    // by image
    std::string standard_;
};

}    // namespace caisson
