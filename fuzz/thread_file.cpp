/// The file of an exported thread: any bytes are refused with the line that is wrong, or are a thread that is written and read back the
/// same, however they are cut.
#include "core/threads/thread_file.hpp"
#include "adapters/crypto/sha256_hasher.hpp"
#include "core/base/utf8.hpp"
#include "core/threads/rules.hpp"
#include "fuzz/fuzz.hpp"

#include <string>
#include <unordered_map>

namespace {

using namespace caisson;

constexpr state_bounds bounds{.max_bytes = 4'096, .max_depth = 12};
constexpr std::int64_t now_ms = 1'800'000'000'000;

/// Keeps states as they are.
class plain_packer : public state_packer {
public:
    packed_state pack(state_info info, std::string digest, std::string_view text, const packing_base*) const override
    {
        return {std::move(info), std::move(digest), std::nullopt, {}, shared_bytes(std::string(text))};
    }
    bool wants_base(std::size_t) const override { return false; }
};

struct reading {
    result<void> outcome;
    std::vector<checkpoint_draft> drafts;
    retention_policy policy;
};

reading read(std::string_view text, std::uint8_t seed)
{
    static const plain_packer packer;
    thread_file_reader reader({tenant_id::from_trusted("ten_1"), packer, &make_sha256_hasher, bounds, now_ms});
    result<void> outcome;
    fuzz::in_pieces(text, seed, 64, [&](std::string_view piece) {
        outcome = reader.feed(piece, nullptr);
        return outcome.has_value();
    });
    if (outcome.has_value())
        outcome = reader.finish();
    return {std::move(outcome), reader.take(), reader.policy()};
}

/// `text` with an end that is right, unless it has one: else no input would get past the digest.
std::string with_end(std::string_view text)
{
    std::string whole(text);
    if (!whole.ends_with('\n'))
        whole += '\n';
    std::int64_t checkpoints = 0;
    for (auto at = whole.find("{\"checkpoint\":"); at != std::string::npos; at = whole.find("{\"checkpoint\":", at + 1))
        checkpoints += at == 0 || whole[at - 1] == '\n' ? 1 : 0;
    const auto hash = make_sha256_hasher();
    hash->add(whole);
    return whole + "{\"end\":{\"checkpoints\":" + std::to_string(checkpoints) + ",\"sha256\":\"" + to_hex(hash->finish()) + "\"}}\n";
}

/// What a store makes of them: each with its state.
std::vector<loaded_checkpoint> checked_checkpoints(const std::vector<checkpoint_draft>& drafts)
{
    std::unordered_map<std::string, shared_bytes> states;
    std::unordered_map<std::string, std::int64_t> positions;
    std::vector<loaded_checkpoint> all;
    for (const auto& each : drafts) {
        const auto& row = each.row;
        FUZZ_CHECK(row.position > (all.empty() ? 0 : all.back().row.position));
        FUZZ_CHECK(!row.parent || positions.contains(row.parent->str()));
        FUZZ_CHECK(row.gap >= 0 && row.gap < row.position - (row.parent ? positions.at(row.parent->str()) : 0));
        FUZZ_CHECK(!check_checkpoint_id(row.id.str()) && positions.emplace(row.id.str(), row.position).second);
        FUZZ_CHECK(row.created_at_ms >= (all.empty() ? 0 : all.back().row.created_at_ms));
        FUZZ_CHECK(is_media_type(row.state.media_type) && checked_metadata(row.metadata).value() == row.metadata);
        if (!each.state.bytes.empty())
            states.emplace(each.state.digest, each.state.bytes);
        const auto state = states.find(each.state.digest);
        FUZZ_CHECK(row.state.size_bytes == 0 || state != states.end());
        all.push_back({row, state == states.end() ? shared_bytes() : state->second, each.request.digest});
        FUZZ_CHECK(std::ssize(all.back().state.view()) == row.state.size_bytes);
    }
    return all;
}

std::string file_of(const retention_policy& policy, const std::vector<loaded_checkpoint>& all)
{
    thread_row thread;
    thread.name = thread_name("t");
    thread.retention = policy;
    thread_file_writer writer(thread, &make_sha256_hasher);
    auto text = writer.lines(all);
    return text + writer.end();
}

}    // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const auto seed = in.byte();
    const bool ended = in.byte() % 2 == 1;
    const auto text = ended ? std::string(in.rest()) : with_end(in.rest());
    const auto found = read(text, seed);
    if (found.outcome.has_error()) {
        const auto& why = found.outcome.error();
        FUZZ_CHECK(why.code == errc::bad_request || why.code == errc::too_large);
        FUZZ_CHECK(is_utf8(why.detail) && why.detail.find("line ") != std::string::npos);
        return 0;
    }
    FUZZ_CHECK(check_retention(found.policy).empty());
    const auto all = checked_checkpoints(found.drafts);
    const auto written = file_of(found.policy, all);
    const auto again = read(written, static_cast<std::uint8_t>(~seed));
    FUZZ_CHECK(again.outcome.has_value() && again.policy == found.policy && again.drafts.size() == found.drafts.size());
    FUZZ_CHECK(file_of(again.policy, checked_checkpoints(again.drafts)) == written);
    return 0;
}
