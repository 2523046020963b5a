#include "storage/stores/label_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace caisson::sqlite {

std::string label_text(const std::map<std::string, std::string>& labels)
{
    boost::json::object object;
    for (const auto& [name, value] : labels)
        object[name] = value;
    return boost::json::serialize(object);
}

std::map<std::string, std::string> labels_from(std::string_view text)
{
    std::map<std::string, std::string> labels;
    const auto value = boost::json::parse(text);
    for (const auto& member : value.as_object())
        labels.emplace(member.key(), std::string_view(member.value().as_string()));
    return labels;
}

}    // namespace caisson::sqlite
