#pragma once

#include "adapters/net/client.hpp"

namespace caisson::docker {

/// An upload body in memory.
class text_source final : public net::body_source {
public:
    explicit text_source(std::string text) : text_(std::move(text)) { }

    std::uint64_t size_bytes() const override { return text_.size(); }
    task<result<shared_bytes>> read() override
    {
        auto piece = text_.slice(given_, most_piece_bytes);
        given_ += piece.size();
        co_return piece;
    }

private:
    static constexpr std::size_t most_piece_bytes = 256 * 1024;

    shared_bytes text_;
    std::size_t given_ = 0;
};

}    // namespace caisson::docker
