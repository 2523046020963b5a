#include "core/exec/collect/left_out_files.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <utility>

namespace caisson {

namespace {

constexpr std::size_t most_told = 100;
constexpr std::size_t most_told_bytes = 16 << 10;
constexpr std::size_t most_text_bytes = 512;

std::string cut_to(std::string text, std::size_t most)
{
    if (text.size() <= most)
        return text;
    text.resize(most);
    text.resize(text.size() - incomplete_utf8_tail(text));
    return text + "…";
}

}    // namespace

void left_out_files::tell(std::string path, std::string reason)
{
    skipped_file one{cut_to(std::move(path), most_text_bytes), cut_to(std::move(reason), most_text_bytes)};
    bytes_ += one.path.size() + one.reason.size();
    if (told_.size() < most_told && bytes_ <= most_told_bytes)
        told_.push_back(std::move(one));
}

void left_out_files::move_into(collect_summary& summary)
{
    summary.skipped_files = std::max(count_, static_cast<std::int64_t>(told_.size()));
    summary.skipped = std::move(told_);
}

}    // namespace caisson
