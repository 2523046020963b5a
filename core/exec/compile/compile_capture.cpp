#include "core/exec/compile/compile_capture.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace caisson {

namespace {

/// Many files are not worth it: each is a message to an agent.
constexpr std::size_t most_files = 1'000;

}    // namespace

compile_capture::compile_capture(const collect_spec& what, std::int64_t most_bytes, acknowledge done_with, std::function<void()> changed)
    : patterns_(what.patterns)
    , output_(what.output)
    , room_bytes_(most_bytes)
    , done_with_(std::move(done_with))
    , changed_(std::move(changed))
{
}

std::optional<std::vector<placed_file>> compile_capture::take()
{
    if (!complete_ || broken_)
        return std::nullopt;
    return std::move(files_);
}

void compile_capture::on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes)
{
    const auto end = offset + bytes.size();
    if (stream == protocol::stream_number::stdout_stream && !broken_) {
        decoder_.add(std::move(bytes));
        take_items();
    }
    done_with_(stream, end);
    if (ended())
        changed_();
}

void compile_capture::take_items()
{
    using item = protocol::collect_decoder::item;
    while (!broken_) {
        switch (decoder_.next()) {
        case item::need_more: return;
        case item::file: begin_file(); break;
        case item::data: content_ += decoder_.data().view(); break;
        case item::end:
            files_.push_back({decoder_.file().path, decoder_.file().mode & 0777U, shared_bytes(std::exchange(content_, {}))});
            break;
        case item::done:
            complete_ = decoder_.totals().problem.empty() && decoder_.totals().skipped == 0 && output_.empty();
            broken_ = !complete_;
            return;
        default: broken_ = true; return;
        }
    }
}

void compile_capture::begin_file()
{
    const auto& file = decoder_.file();
    const bool fits = room_bytes_ >= 0 && file.size <= static_cast<std::uint64_t>(room_bytes_) && files_.size() < most_files;
    const bool is_asked_for = file.is_output ? !output_.empty() && file.path == output_ : patterns_.takes(file.path);
    if (!fits || !is_asked_for) {
        broken_ = true;
        return;
    }
    if (file.is_output)
        output_.clear();
    room_bytes_ -= static_cast<std::int64_t>(file.size);
    content_.reserve(file.size);
}

/// The stream may end only behind DONE.
void compile_capture::on_eof(protocol::stream_number stream, std::uint64_t)
{
    if (stream == protocol::stream_number::stdout_stream && !complete_)
        give_up();
}

void compile_capture::give_up()
{
    broken_ = true;
    changed_();
}

std::optional<std::vector<placed_file>> changed_files(
    std::vector<placed_file> left, const std::vector<placed_file>& inputs, const std::vector<std::string>& patterns)
{
    const path_patterns meant(patterns);
    std::map<std::string_view, const placed_file*> put;    // of two with one path the last counts
    for (const auto& each : inputs)
        if (!S_ISDIR(each.mode) && meant.takes(each.path))
            put.insert_or_assign(each.path, &each);
    const auto is_as_put = [&](const placed_file& each) {
        const auto found = put.extract(each.path);
        return !found.empty() && found.mapped()->mode == each.mode && found.mapped()->content == each.content;
    };
    std::erase_if(left, is_as_put);
    if (!put.empty())
        return std::nullopt;
    return left;
}

}    // namespace caisson
