#include "adapters/net/head.hpp"

namespace caisson::net {

bool head_scanner::refuse(int status, std::string message)
{
    refused_ = refusal{status, status == 400 ? errc::bad_request : errc::too_large, std::move(message)};
    return false;
}

bool head_scanner::scan(std::string_view buffered)
{
    if (refused_)
        return false;
    while (true) {
        const auto end = buffered.find('\n', looked_);
        if (end == std::string_view::npos) {
            looked_ = buffered.size();
            return check_growth(buffered.size());
        }
        if (end == at_ || buffered[end - 1] != '\r')
            return refuse(400, "a line of the head does not end in CRLF");
        const bool empty = end == at_ + 1;
        at_ = looked_ = end + 1;
        if (line_end_ == 0)
            line_end_ = at_;
        else if (!empty)
            ++fields_;
        check_growth(at_);
        if (refused_)
            return false;
        if (empty)
            return true;
    }
}

bool head_scanner::check_growth(std::size_t buffered)
{
    const auto line = line_end_ == 0 ? buffered : line_end_;
    if (line > limits_.line_bytes + 2)
        return refuse(414, "the request line is longer than " + std::to_string(limits_.line_bytes) + " bytes");
    if (line_end_ != 0 && buffered - line_end_ > limits_.header_bytes + 2)
        return refuse(431, "the header fields are larger than " + std::to_string(limits_.header_bytes) + " bytes");
    if (fields_ > limits_.header_count)
        return refuse(431, "there are more than " + std::to_string(limits_.header_count) + " header fields");
    return false;
}

}    // namespace caisson::net
