#include "adapters/engine/json_lines.hpp"

#include <algorithm>

namespace caisson::docker {

namespace {

constexpr std::size_t step_bytes = 64 * 1024;    // parsed at once, so that an oversized object is detected early

error not_understood(const std::string& why)
{
    return {errc::runtime_unavailable, "what the Docker engine sends is not understood: " + why};
}

void skip_space(std::string_view& bytes) { bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size())); }

}    // namespace

result<std::optional<boost::json::object>> json_lines::next(std::string_view& bytes)
{
    if (held_ == 0)
        skip_space(bytes);
    while (!bytes.empty()) {
        if (held_ == 0 && bytes.front() != '{')
            return not_understood("an object was expected");
        boost::system::error_code failed;
        const auto taken = parser_.write_some(bytes.data(), std::min(bytes.size(), step_bytes), failed);
        if (failed)
            return not_understood(failed.message());
        bytes.remove_prefix(taken);
        held_ += taken;
        if (held_ > most_)
            return not_understood("an object is larger than " + std::to_string(most_) + " bytes");
        if (parser_.done()) {
            auto object = std::move(parser_.release().as_object());
            parser_.reset();
            held_ = 0;
            return std::optional(std::move(object));
        }
    }
    return std::optional<boost::json::object>();
}

}    // namespace caisson::docker
