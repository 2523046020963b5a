#include "adapters/net/parameters.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

bool is_token_char(char c) { return c > ' ' && c < 127 && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos; }

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

/// The unparsed rest of a text.
class reader {
public:
    explicit reader(std::string_view text) : left_(text) { }

    bool at_end() const { return left_.empty(); }
    bool take(char c)
    {
        const bool there = left_.starts_with(c);
        left_.remove_prefix(there ? 1 : 0);
        return there;
    }
    void skip_space() { left_.remove_prefix(std::min(left_.find_first_not_of(" \t"), left_.size())); }
    std::string_view token()
    {
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(left_, is_token_char) - left_.begin());
        const auto out = left_.substr(0, end);
        left_.remove_prefix(end);
        return out;
    }
    /// Call after the opening quote. Returns nothing without a closing quote.
    std::optional<std::string> quoted()
    {
        std::string out;
        while (!left_.empty()) {
            const char c = left_.front();
            left_.remove_prefix(1);
            if (c == '"')
                return out;
            const bool escapes = c == '\\' && (left_.starts_with('"') || left_.starts_with('\\'));
            out += escapes ? left_.front() : c;
            left_.remove_prefix(escapes ? 1 : 0);
        }
        return std::nullopt;
    }

private:
    std::string_view left_;
};

std::optional<std::string> parameter_value(reader& from)
{
    if (from.take('"'))
        return from.quoted();
    std::string out(from.token());
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}    // namespace

const std::string* parameters::find(std::string_view name) const
{
    const auto found = std::ranges::find(list, name, [](const auto& each) { return std::string_view(each.first); });
    return found == list.end() ? nullptr : &found->second;
}

std::optional<parameters> parse_parameters(std::string_view text)
{
    const auto first_end = std::min(text.find(';'), text.size());
    auto value = text.substr(0, first_end);
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    parameters out{lower_case(value)};
    reader from(text.substr(first_end));
    while (!from.at_end()) {
        if (!from.take(';'))
            return std::nullopt;
        from.skip_space();
        auto name = lower_case(from.token());
        if (name.empty() || !from.take('='))
            return std::nullopt;
        auto what = parameter_value(from);
        if (!what || out.find(name))
            return std::nullopt;
        out.list.emplace_back(std::move(name), std::move(*what));
        from.skip_space();
    }
    return out;
}

}    // namespace caisson::net
