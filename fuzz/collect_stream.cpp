/// What the agent's collector says to the server, with the agent hostile; and patterns with paths. The stream means the same whatever
/// pieces it comes in, its files keep to the rules of their paths and sizes, and a walk by steps takes what the whole path says.
#include "core/protocol/collect_stream.hpp"
#include "core/files/patterns.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

namespace caisson::protocol {
namespace {

/// What it says, as one text, checked on the way.
class listener {
public:
    /// False when nothing more can come.
    bool take_all(collect_decoder& decoder)
    {
        for (auto next = decoder.next(); next != collect_decoder::item::need_more; next = decoder.next())
            if (!take(next, decoder))
                return false;
        return true;
    }
    const std::string& said() const { return said_; }

private:
    bool take(collect_decoder::item next, collect_decoder& decoder)
    {
        using item = collect_decoder::item;
        const auto& file = decoder.file();
        switch (next) {
        case item::file:
            FUZZ_CHECK(!inside_ && is_collectable_path(file.path) && file.mode <= 0777);
            FUZZ_CHECK(file.is_output ? first_ : file.path > last_);
            first_ = false;
            last_ = file.is_output ? last_ : file.path;
            left_ = file.size;
            inside_ = true;
            said_ += "[" + file.path + ":" + std::to_string(file.size) + "]";
            return true;
        case item::data:
            FUZZ_CHECK(inside_ && !decoder.data().empty() && decoder.data().size() <= left_);
            left_ -= decoder.data().size();
            said_ += decoder.data().view();
            return true;
        case item::end: FUZZ_CHECK(inside_ && left_ == 0); break;
        case item::cut: FUZZ_CHECK(inside_ && decoder.reason().size() <= max_collect_reason); break;
        case item::skipped:
            FUZZ_CHECK(!inside_ && ++skipped_ <= max_collect_skipped && decoder.path().size() <= max_collect_path);
            said_ += "<" + decoder.path() + ":" + decoder.reason() + ">";
            return true;
        case item::done:
            FUZZ_CHECK(!inside_ && decoder.totals().skipped >= skipped_);
            said_ += "done";
            return true;
        case item::broken:
            FUZZ_CHECK(decoder.next() == item::broken);
            said_ += "broken";
            return false;
        case item::need_more: break;
        }
        inside_ = false;
        said_ += ".";
        return true;
    }

    std::string said_;
    std::string last_;
    bool inside_ = false;
    bool first_ = true;
    std::uint64_t left_ = 0;
    std::uint64_t skipped_ = 0;
};

std::string heard(std::string_view bytes, std::uint8_t cuts)
{
    collect_decoder decoder;
    listener to;
    fuzz::in_pieces(bytes, cuts, cuts == 0 ? 1 : bytes.size() + 1, [&](std::string_view piece) {
        decoder.add(shared_bytes(std::string(piece)));
        return to.take_all(decoder);
    });
    return to.said();
}

void try_stream(fuzz::input in)
{
    const auto cuts = static_cast<std::uint8_t>(in.byte() | 1);
    const auto bytes = std::string(collect_magic) + std::string(in.rest());
    FUZZ_CHECK(heard(bytes, 0) == heard(bytes, cuts));
    heard(in.rest(), cuts);
}

void try_patterns(fuzz::input in)
{
    const std::vector<std::string> words{std::string(in.take(in.byte() % 64)), std::string(in.take(in.byte() % 64))};
    for (const auto& each : words)
        if (!pattern_problem(each).empty())
            return;
    const std::string path(in.take(200));
    const path_patterns patterns(words);
    auto at = patterns.start();
    std::string_view rest = path;
    for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
        at = patterns.enter(at, rest.substr(0, slash));
        rest.remove_prefix(slash + 1);
    }
    FUZZ_CHECK(patterns.takes(path) == patterns.takes(at, rest));
    FUZZ_CHECK(!at.empty() || !patterns.takes(path));
}

}    // namespace
}    // namespace caisson::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson::protocol;
    caisson::fuzz::input in(data, size);
    if (in.byte() % 4 == 0)
        try_patterns(in);
    else
        try_stream(in);
    return 0;
}
