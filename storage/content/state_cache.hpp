#pragma once

#include "core/base/shared_bytes.hpp"

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace caisson::sqlite {

/// Texts of large states by their digests: what was used last, up to a bound. From any thread.
class state_cache {
public:
    explicit state_cache(std::size_t most_bytes) : most_bytes_(most_bytes) { }

    std::optional<shared_bytes> find(std::string_view digest);
    /// What is larger than a quarter of the bound is not kept.
    void put(std::string_view digest, shared_bytes text);

private:
    struct entry {
        std::string digest;
        shared_bytes text;
    };

    const std::size_t most_bytes_;
    std::mutex mutex_;
    std::list<entry> entries_;                                                      // used last in front
    std::unordered_map<std::string_view, std::list<entry>::iterator> by_digest_;    // the keys are the entries' own
    std::size_t bytes_ = 0;
};

}    // namespace caisson::sqlite
