#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson::net {

/// A field value such as `form-data; name="a"; filename="b.txt"`.
struct parameters {
    std::string value;                                             // before the first ';', in lower case
    std::vector<std::pair<std::string, std::string>> list = {};    // names in lower case, values without quotes

    const std::string* find(std::string_view name) const;
};

/// Returns nothing if `text` is malformed or repeats a parameter. In quotes `\"` and `\\` are escapes; other backslashes are literal.
std::optional<parameters> parse_parameters(std::string_view text);

}    // namespace caisson::net
