#pragma once

#include "core/base/config.hpp"
#include "core/languages/languages.hpp"

#include <map>
#include <string>
#include <string_view>

namespace caisson {

/// What runs in which image, by the config: the image of a language, that of commands, and the programs that run code in images.
class image_table {
public:
    image_table() = default;
    explicit image_table(const images_config& config);

    /// Of code in a language, by its canonical name; empty: there is none.
    const std::string& image_of(std::string_view language) const;
    /// Of commands and shell lines; may be empty.
    const std::string& standard() const { return standard_; }
    /// The program that runs a file of `language` (by any of its names), or what its compiler made of it, in `image`: a path, or a name
    /// that is looked for in the image's PATH. Empty for a language that is not known, and where what the compiler made runs by itself.
    std::string interpreter(std::string_view image, std::string_view language) const;
    /// The same of what compiles it; empty for a language that is not compiled.
    std::string compiler(std::string_view image, std::string_view language) const;
    /// "bash, python": canonical names of the languages that have an image, for messages.
    std::string languages() const;

private:
    std::map<std::string, std::string, std::less<>> images_;          // by language
    std::map<std::string, std::string, std::less<>> interpreters_;    // by image
    std::string standard_;
};

}    // namespace caisson
