#pragma once

#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "core/languages/languages.hpp"
#include "core/skills/package_rules.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// What skills' images are on runtimes without images: programs of this host, by the table `images.host` of the config.
class host_images {
public:
    /// Looks for the programs at once: a name by `find`, a path as it is.
    explicit host_images(const std::vector<std::string>& table, const program_finder& find = &find_program);

    /// The program that runs a file of the skill's language `lang` (python, node, bash; empty: its own command) in `image`.
    /// Errors: errc::image_not_allowed with what to do: the image is not in the table, stands for another language, or its
    /// program is not installed.
    result<std::string> interpreter(std::string_view image, std::string_view lang) const;
    /// The same at upload: that the image stands for another language is the skill's mistake; what else is wrong is the server's.
    image_verdict judge(std::string_view image, std::string_view lang) const;

private:
    struct entry {
        std::string program;    // as the config says
        std::string path;       // empty: not installed
    };
    /// That `image` stands for another language than `lang`; empty: it does not.
    std::string contradiction(std::string_view image, std::string_view lang) const;

    std::map<std::string, entry, std::less<>> entries_;
};

/// Whether sandboxes of `runtime` are made of images, so that an image is what it is; the others run programs of this host.
bool has_images(std::string_view runtime);

/// Arguments between the interpreter of `lang` and the file: those that make live output live.
std::span<const std::string_view> interpreter_arguments(std::string_view lang);

}    // namespace caisson
