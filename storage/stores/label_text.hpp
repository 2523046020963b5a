#pragma once

#include <map>
#include <string>
#include <string_view>

namespace caisson::sqlite {

/// Labels as they are stored: a JSON object of strings.
std::string label_text(const std::map<std::string, std::string>& labels);
/// Throws boost::system::system_error or std::invalid_argument for another text.
std::map<std::string, std::string> labels_from(std::string_view text);

}    // namespace caisson::sqlite
