#pragma once

#include "adapters/engine/images.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::docker {

/// Tracks a pull from the engine's objects. No I/O.
class pull_state {
public:
    enum class step { same, moved };

    /// `image` is reported in the progress.
    explicit pull_state(std::string image) { progress_.image = std::move(image); }

    /// Returns `moved` if a layer or the pull itself made progress. Throws std::exception on unexpected JSON.
    step take(const boost::json::object& line);

    const pull_progress& progress() const { return progress_; }
    /// The pull's error, which the engine sends as the last object of a 200 response.
    const std::optional<error>& failed() const { return failed_; }

private:
    struct layer {
        std::string status;
        std::int64_t current = 0;    // of this status
        std::int64_t bytes = 0;      // of the download
        std::int64_t total = 0;
        bool done = false;
    };

    step take_layer(std::string id, std::string status, std::int64_t current, std::int64_t total);
    void count();

    std::map<std::string, layer> layers_;
    std::string status_;    // the last status without a layer
    pull_progress progress_;
    std::optional<error> failed_;
};

/// `from`, an engine's error, with the code derived from a registry's message if there is one: errc::not_found, errc::forbidden.
error pull_error(error from);

}    // namespace caisson::docker
