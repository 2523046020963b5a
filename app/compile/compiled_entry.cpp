#include "app/compile/compiled_entry.hpp"

#include "core/protocol/collect_stream.hpp"

namespace caisson {

namespace {

constexpr std::string_view magic = "CSNCMPL1";
constexpr std::size_t digest_bytes = 32;

void put_number(std::string& out, std::uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        out.push_back(static_cast<char>(value >> (8 * i)));
}

void put_text(std::string& out, std::string_view text)
{
    put_number(out, text.size(), 8);
    out += text;
}

/// Reads values in order; after a failure all values are empty.
class entry_reader {
public:
    explicit entry_reader(shared_bytes bytes) : rest_(std::move(bytes)) { }

    std::uint64_t number(int bytes)
    {
        const auto raw = take(static_cast<std::uint64_t>(bytes));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < raw.size(); ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw.view()[i])) << (8 * i);
        return value;
    }
    shared_bytes bytes() { return take(number(8)); }
    std::string text() { return std::string(bytes().view()); }

    bool is_good() const { return good_; }
    bool is_at_end() const { return good_ && rest_.empty(); }

private:
    shared_bytes take(std::uint64_t count)
    {
        good_ = good_ && count <= rest_.size();
        if (!good_)
            return {};
        const auto part = rest_.slice(0, count);
        rest_ = rest_.slice(count);
        return part;
    }

    shared_bytes rest_;
    bool good_ = true;
};

std::optional<compiled_result> read_result(entry_reader& from)
{
    compiled_result result;
    result.output = from.text();
    result.output_truncated = from.number(1) != 0;
    const auto count = from.number(4);
    for (std::uint64_t i = 0; i < count && from.is_good(); ++i) {
        placed_file file;
        file.path = from.text();
        file.mode = static_cast<std::uint32_t>(from.number(4)) & 0777U;
        file.content = from.bytes();
        if (!protocol::is_collectable_path(file.path))
            return std::nullopt;
        result.files.push_back(std::move(file));
    }
    if (!from.is_at_end())
        return std::nullopt;
    return result;
}

}    // namespace

std::string pack_entry(const tenant_id& tenant, const std::string& key, const compiled_result& result, hasher& sha256)
{
    std::string out(magic);
    out.append(digest_bytes, '\0');
    put_text(out, tenant.str());
    put_text(out, key);
    put_text(out, result.output);
    put_number(out, result.output_truncated ? 1 : 0, 1);
    put_number(out, result.files.size(), 4);
    for (const auto& file : result.files) {
        put_text(out, file.path);
        put_number(out, file.mode, 4);
        put_text(out, file.content.view());
    }
    sha256.add(std::string_view(out).substr(magic.size() + digest_bytes));
    out.replace(magic.size(), digest_bytes, sha256.finish());
    return out;
}

std::optional<compiled_result> unpack_entry(const tenant_id& tenant, const std::string& key, shared_bytes bytes, hasher& sha256)
{
    constexpr auto head = magic.size() + digest_bytes;
    if (bytes.size() < head || !bytes.view().starts_with(magic))
        return std::nullopt;
    const auto body = bytes.slice(head);
    sha256.add(body.view());
    if (sha256.finish() != bytes.view().substr(magic.size(), digest_bytes))
        return std::nullopt;
    entry_reader from(body);
    const bool is_this = from.text() == tenant.str() && from.text() == key;
    return is_this ? read_result(from) : std::nullopt;
}

}    // namespace caisson
