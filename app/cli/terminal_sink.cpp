#include "app/cli/terminal_sink.hpp"

namespace caisson::cli {

task<bool> terminal_sink::write(frame_effects effects)
{
    if (!effects.note.empty())
        static_cast<void>(co_await err_.write("caisson: " + effects.note + "\n"));
    for (auto& chunk : effects.output) {
        const bool is_error = chunk.stream == "stderr";
        if (!only_.empty() && (only_ == "stderr") != is_error)
            continue;
        auto& to = is_error ? err_ : out_;
        const bool written = co_await to.write(std::move(chunk.bytes));
        if (!written)
            co_return false;
    }
    co_return true;
}

task<bool> log_sink::write(frame_effects effects)
{
    auto text = effects.note.empty() ? std::string() : "caisson: " + effects.note + "\n";
    for (auto& chunk : effects.output)
        text += chunk.bytes;
    return err_.write(std::move(text));
}

}    // namespace caisson::cli
