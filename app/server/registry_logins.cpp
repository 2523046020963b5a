#include "app/server/registry_logins.hpp"

#include <fstream>
#include <utility>

namespace caisson {

namespace {

constexpr std::size_t longest_password = 64 << 10;

/// The file's text without line ends at its end; empty if it cannot be read.
std::string password_in(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(longest_password, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.pop_back();
    return text;
}

}    // namespace

std::function<result<std::optional<registry_login>>(const std::string&)> registry_logins(const images_config& config)
{
    return [logins = config.credentials](const std::string& registry) -> result<std::optional<registry_login>> {
        const auto found = logins.find(registry);
        if (found == logins.end())
            return std::nullopt;
        secret password(password_in(found->second.password_file));
        if (password.empty())
            return error{errc::image_unavailable, "the password for the registry " + registry + " cannot be read (images.credentials)"};
        return registry_login{found->second.username, std::move(password)};
    };
}

image_options options_with_logins(const server_config& config)
{
    auto options = image_options_of(config);
    options.login = registry_logins(config.images);
    return options;
}

}    // namespace caisson
