#include "core/protocol/collect_stream.hpp"

#include "core/base/utf8.hpp"
#include "core/protocol/frame.hpp"

#include <algorithm>

namespace caisson::protocol {

namespace {

constexpr std::size_t head_bytes = 4 + 1;
constexpr std::size_t file_front = 1 + 8 + 4 + 8;
constexpr std::uint32_t all_modes = 0777;
/// Maximum body of every record except DATA.
constexpr std::size_t max_body = file_front + max_collect_path + max_collect_reason;

bool is_plain(std::string_view text)
{
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    return is_utf8(text) && std::none_of(text.begin(), text.end(), is_control);
}

bool is_reason(std::string_view text) { return text.size() <= max_collect_reason && is_plain(text); }

void append_head(std::string& out, collect_record type, std::size_t body)
{
    append_number(out, body, 4);
    append_number(out, static_cast<std::uint8_t>(type), 1);
}

std::uint64_t number_at(std::string_view bytes, std::size_t width)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return value;
}

}    // namespace

bool is_collectable_path(std::string_view path)
{
    if (path.empty() || path.size() > max_collect_path || !is_plain(path))
        return false;
    for (;;) {
        const auto slash = path.find('/');
        const auto name = path.substr(0, slash);
        if (name.empty() || name == "." || name == "..")
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

void append_file(std::string& out, const collected_file& file)
{
    append_head(out, collect_record::file, file_front + file.path.size());
    append_number(out, file.is_output ? 1 : 0, 1);
    append_number(out, file.size, 8);
    append_number(out, file.mode, 4);
    append_number(out, file.modified_ms, 8);
    out += file.path;
}

void append_data_head(std::string& out, std::size_t bytes) { append_head(out, collect_record::data, bytes); }

void append_end(std::string& out) { append_head(out, collect_record::end, 0); }

void append_cut(std::string& out, std::string_view reason)
{
    append_head(out, collect_record::cut, reason.size());
    out += reason;
}

void append_skipped(std::string& out, std::string_view path, std::string_view reason)
{
    append_head(out, collect_record::skipped, 4 + path.size() + reason.size());
    append_number(out, path.size(), 4);
    out.append(path).append(reason);
}

void append_done(std::string& out, const collect_totals& totals)
{
    append_head(out, collect_record::done, 16 + totals.problem.size());
    append_number(out, totals.skipped, 8);
    append_number(out, totals.entries, 8);
    out += totals.problem;
}

void collect_decoder::add(shared_bytes bytes)
{
    if (bytes.empty() || broken_)
        return;
    pending_ += bytes.size();
    chunks_.push_back(std::move(bytes));
}

collect_decoder::item collect_decoder::next()
{
    if (broken_ || (done_ && pending_ > 0))
        return fail();
    if (done_)
        return item::need_more;
    if (data_left_ > 0)
        return next_data();
    if (!greeted_) {
        if (!gather(collect_magic.size()))
            return item::need_more;
        greeted_ = std::exchange(head_, {}) == collect_magic;
        if (!greeted_)
            return fail();
    }
    if (!gather(head_bytes))
        return item::need_more;
    const auto length = number_at(head_, 4);
    const auto type = static_cast<collect_record>(head_[4]);
    if (type == collect_record::data) {
        head_.clear();
        if (!in_file_ || length == 0 || length > max_collect_data || length > file_left_)
            return fail();
        data_left_ = length;
        return next_data();
    }
    if (length > max_body)
        return fail();
    if (!gather(head_bytes + length))
        return item::need_more;
    const auto record = std::exchange(head_, {});
    return decode(type, std::string_view(record).substr(head_bytes));
}

collect_decoder::item collect_decoder::next_data()
{
    data_ = take_piece(data_left_);
    if (data_.empty())
        return item::need_more;
    data_left_ -= data_.size();
    file_left_ -= data_.size();
    return item::data;
}

collect_decoder::item collect_decoder::decode(collect_record type, std::string_view body)
{
    switch (type) {
    case collect_record::file: return decode_file(body);
    case collect_record::skipped: return decode_skipped(body);
    case collect_record::done: return decode_done(body);
    case collect_record::end:
        if (!in_file_ || file_left_ > 0 || !body.empty())
            return fail();
        in_file_ = false;
        return item::end;
    case collect_record::cut:
        if (!in_file_ || !is_reason(body))
            return fail();
        in_file_ = false;
        reason_ = body;
        return item::cut;
    case collect_record::data: break;
    }
    return fail();
}

collect_decoder::item collect_decoder::decode_file(std::string_view body)
{
    if (in_file_ || body.size() < file_front)
        return fail();
    const auto kind = number_at(body, 1);
    file_ = {kind == 1, number_at(body.substr(1), 8), static_cast<std::uint32_t>(number_at(body.substr(9), 4)),
        number_at(body.substr(13), 8), std::string(body.substr(file_front))};
    const bool in_order = file_.is_output ? output_possible_ : file_.path > last_path_;
    constexpr auto most = std::uint64_t{1} << 62;
    if (kind > 1 || !in_order || !is_collectable_path(file_.path) || file_.mode > all_modes || file_.size > most ||
        file_.modified_ms > most)
        return fail();
    output_possible_ = false;
    if (!file_.is_output)
        last_path_ = file_.path;
    file_left_ = file_.size;
    in_file_ = true;
    return item::file;
}

collect_decoder::item collect_decoder::decode_skipped(std::string_view body)
{
    if (in_file_ || body.size() < 4 || ++skipped_ > max_collect_skipped)
        return fail();
    const auto length = number_at(body, 4);
    body.remove_prefix(4);
    if (length > body.size() || length > max_collect_path)
        return fail();
    path_ = body.substr(0, length);
    reason_ = body.substr(length);
    return is_plain(path_) && is_reason(reason_) ? item::skipped : fail();
}

collect_decoder::item collect_decoder::decode_done(std::string_view body)
{
    if (in_file_ || body.size() < 16)
        return fail();
    totals_ = {number_at(body, 8), number_at(body.substr(8), 8), std::string(body.substr(16))};
    if (totals_.skipped < skipped_ || !is_reason(totals_.problem))
        return fail();
    done_ = true;
    return item::done;
}

collect_decoder::item collect_decoder::fail()
{
    broken_ = true;
    chunks_.clear();
    return item::broken;
}

/// Fills head_ up to `bytes` bytes; false if more input is needed.
bool collect_decoder::gather(std::size_t bytes)
{
    while (head_.size() < bytes) {
        const auto piece = take_piece(bytes - head_.size());
        if (piece.empty())
            return false;
        head_ += piece.view();
    }
    return true;
}

shared_bytes collect_decoder::take_piece(std::size_t most)
{
    if (chunks_.empty())
        return {};
    auto& front = chunks_.front();
    const auto piece = front.slice(0, most);
    if (piece.size() == front.size())
        chunks_.pop_front();
    else
        front = front.slice(piece.size());
    pending_ -= piece.size();
    return piece;
}

}    // namespace caisson::protocol
