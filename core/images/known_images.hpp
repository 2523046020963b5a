#pragma once

#include "core/base/clock.hpp"
#include "core/images/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
    /// The engine does not have it.
    void drop(const std::string& reference);
    /// Somebody uses it. Nothing: ask the engine.
    std::optional<stored_image> find(const std::string& reference, steady_time now);

    /// Whether one was used in the last minute.
    bool is_in_use(steady_time now) const;
    /// Those, the ones that were used last first and sixteen at most, of which soon nothing would be known for their age: to be asked for
    /// again.
    std::vector<std::string> due(steady_time now) const;

private:
    struct entry {
        stored_image image;
        steady_time asked_at;
        steady_time used_at;
    };

    bool hears_ = false;
    std::uint64_t version_ = 0;
    std::map<std::string, entry> entries_;
};

}    // namespace caisson
