#include "app/cli/line_splitter.hpp"

namespace caisson::cli {

std::optional<std::string> line_splitter::next()
{
    const auto end = kept_.find('\n', begin_);
    if (end == std::string::npos) {
        kept_.erase(0, begin_);
        begin_ = 0;
        return std::nullopt;
    }
    auto line = kept_.substr(begin_, end - begin_);
    begin_ = end + 1;
    return line;
}

}    // namespace caisson::cli
