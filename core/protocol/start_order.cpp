#include "core/protocol/start_order.hpp"

#include "core/protocol/messages.hpp"

#include <cerrno>
#include <utility>

namespace caisson::protocol {

void start_order::put_file(std::string path, std::uint32_t mode, shared_bytes content)
{
    if (!fits_frame(path, max_path_bytes))
        return refuse(path.size() > max_path_bytes ? ENAMETOOLONG : EINVAL, "file " + path.substr(0, max_path_bytes));
    files_.push_back({std::move(path), mode, std::move(content)});
}

void start_order::spawn(const spawn_request& request, shared_descriptors join)
{
    spawn_ = shared_bytes(encode_spawn(request));
    if (spawn_.size() > max_spawn_bytes)
        refuse(E2BIG, "spawn");
    join_ = std::move(join);
    stdin_open_ = request.stdin_open;
    spawn_wanted_ = true;
}

void start_order::refuse(int code, std::string step)
{
    if (!refusal_)
        refusal_.emplace(refusal{code, std::move(step)});
}

bool start_order::fill_file(frame_batch& batch, exec_number number)
{
    if (file_index_ == files_.size())
        return false;
    const auto& file = files_[file_index_];
    auto part = file.content.slice(file_offset_);
    part = part.slice(0, chunk_length(part.view()));
    const bool last = file_offset_ + part.size() == file.content.size();
    encode_frame(batch.text(), number, file_chunk{file.mode, file_offset_, last, file.path, part.view()});
    file_offset_ = last ? 0 : file_offset_ + part.size();
    file_index_ += last ? 1 : 0;
    batch.finish_frame(std::move(part));
    return true;
}

void start_order::fill_spawn(frame_batch& batch, exec_number number, bool carries_descriptors)
{
    const bool joins = carries_descriptors && has_descriptors();
    if (joins)
        batch.set_descriptors(join_);
    const auto total = static_cast<std::uint32_t>(spawn_.size());
    for (std::size_t at = 0; at < spawn_.size();) {
        auto part = spawn_.slice(at);
        part = part.slice(0, chunk_length(part.view()));
        const auto descriptors = static_cast<std::uint8_t>(joins && at == 0 ? join_->size() : 0);
        encode_frame(batch.text(), number, spawn_chunk{static_cast<std::uint32_t>(at), total, descriptors, part.view()});
        at += part.size();
        batch.finish_frame(std::move(part));
    }
}

void start_order::confirm()
{
    spawn_wanted_ = false;
    spawn_ = {};
    join_.reset();
    files_.clear();
}

void start_order::restart()
{
    file_index_ = 0;
    file_offset_ = 0;
}

}    // namespace caisson::protocol
