#include "adapters/net/accept.hpp"

#include "adapters/net/parameters.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace caisson::net {

namespace {

/// The elements of a comma-separated list; commas in quotes do not separate.
std::vector<std::string_view> elements(std::string_view list)
{
    std::vector<std::string_view> found;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < list.size(); ++at) {
        if (list[at] == '\\' && quoted) {
            ++at;
        } else if (list[at] == '"') {
            quoted = !quoted;
        } else if (list[at] == ',' && !quoted) {
            found.push_back(list.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    found.push_back(list.substr(std::min(begin, list.size())));
    return found;
}

/// The weight in thousandths: 500 for "0.5"; nothing if `text` is not a weight (RFC 9110 §12.4.2).
std::optional<int> weight(std::string_view text)
{
    constexpr std::size_t longest = 5;
    if (text.empty() || text.size() > longest || (text[0] != '0' && text[0] != '1') || (text.size() > 1 && text[1] != '.'))
        return std::nullopt;
    int thousandths = text[0] == '1' ? 1000 : 0;
    int place = 100;
    for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
        if (digit < '0' || digit > '9')
            return std::nullopt;
        thousandths += (digit - '0') * place;
        place /= 10;
    }
    return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

/// 3: the type itself, 2: its "type/*", 1: "*/*"; 0: no match.
int specificity(std::string_view range, std::string_view type)
{
    if (range == type)
        return 3;
    if (range.ends_with("/*") && range.substr(0, range.size() - 1) == type.substr(0, type.find('/') + 1))
        return 2;
    return range == "*/*" ? 1 : 0;
}

}    // namespace

preference preference_for(const headers& fields, std::string_view type)
{
    if (!fields.contains("Accept"))
        return {.thousandths = 1000};
    preference found;
    int best = 0;
    for (const auto& field : fields) {
        if (!equal_no_case(field.name, "Accept"))
            continue;
        for (const auto element : elements(field.value)) {
            const auto range = parse_parameters(element);
            const int fits = range ? specificity(range->value, type) : 0;
            const auto* asked = range ? range->find("q") : nullptr;
            const auto how_much = asked == nullptr ? 1000 : weight(*asked);
            if (fits > best && how_much) {
                best = fits;
                found = {*how_much, fits == 3};
            }
        }
    }
    return found;
}

bool prefers(const headers& fields, std::string_view type, std::string_view usual)
{
    const auto wanted = preference_for(fields, type);
    const auto other = preference_for(fields, usual).thousandths;
    return wanted.thousandths > other || (wanted.thousandths == other && wanted.thousandths > 0 && wanted.is_named);
}

}    // namespace caisson::net
