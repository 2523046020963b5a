#pragma once

#include "core/base/clock.hpp"
#include "core/images/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// A cache of an engine's answers about its images. An answer is valid for a second at most, and only while the engine reports changes and
/// has reported none since. The bound of a second is for engines that do not report every change. Without I/O.
class known_images {
public:
    /// The engine reports changes from now on.
    void begin_hearing();
    /// The engine reports no changes any more. Clears the cache; keep() does nothing from now on.
    void end_hearing();
    /// An image was changed, added or removed. Clears the cache.
    void forget();

    /// Read it before asking the engine, and pass it to keep() with the answer.
    std::uint64_t version() const { return version_; }
    /// Stores the engine's answer to a question for `reference` at `asked_at`. Drops it if something changed since `version`.
    void keep(const std::string& reference, const stored_image& image, std::uint64_t version, steady_time asked_at);
    /// The engine does not have the image.
    void drop(const std::string& reference);
    /// The cached image; nothing if the engine must be asked. Counts as a use.
    std::optional<stored_image> find(const std::string& reference, steady_time now);

    /// Whether any image was used in the last minute.
    bool is_in_use(steady_time now) const;
    /// Recently used images whose answers will soon expire, to be asked for again: the last used first, sixteen at most.
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
