/// Frames of a server that may be hostile, as the command line reads them: each byte is given once, also when all is sent again.
#include "app/cli/frame_reader.hpp"
#include "fuzz/fuzz.hpp"

#include <vector>

namespace caisson::cli {
namespace {

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> out;
    while (!text.empty() && out.size() < 64) {
        out.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), out.back().size() + 1));
    }
    return out;
}

}    // namespace
}    // namespace caisson::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson;
    const fuzz::input in(data, size);
    const auto lines = cli::lines_of(in.rest());
    cli::frame_reader reader;
    for (const auto line : lines) {
        const auto effects = reader.take(line);
        FUZZ_CHECK(!reader.cursor().empty());
        if (effects.has_error()) {
            FUZZ_CHECK(effects.error().code == errc::bad_request);
            continue;
        }
        for (const auto& chunk : effects->output)
            FUZZ_CHECK(!chunk.bytes.empty());
    }
    for (const auto line : lines) {
        const auto again = reader.take(line);
        FUZZ_CHECK(again.has_error() || again->output.empty());
    }
    return 0;
}
