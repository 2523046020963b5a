#pragma once

#include "core/base/clock.hpp"
#include "core/images/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace caisson {

/// What an engine said of its images, for as long as that is sure to hold: while its changes are heard, none came, and for a second
/// at most, since there are engines that do not tell of each. Without I/O.
class known_images {
public:
    /// Changes are heard from now on.
    void begin_hearing();
    /// They are not heard any more: nothing is known, and nothing is kept.
    void end_hearing();
    /// An image is another one, is new or is gone: nothing is known any more.
    void forget();

    /// To be read before the engine is asked, and handed to keep() with its answer.
    std::uint64_t version() const { return version_; }
    /// What the engine answered when it was asked for `reference` at `asked_at`; dropped if something changed since `version`.
    void keep(const std::string& reference, const stored_image& image, std::uint64_t version, steady_time asked_at);
    /// Nothing: ask the engine.
    std::optional<stored_image> find(const std::string& reference, steady_time now) const;

private:
    struct entry {
        stored_image image;
        steady_time asked_at;
    };

    bool hears_ = false;
    std::uint64_t version_ = 0;
    std::map<std::string, entry> entries_;
};

}    // namespace caisson
