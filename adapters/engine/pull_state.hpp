#pragma once

#include "adapters/engine/images.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::docker {

/// What the engine tells of a pull, object by object. No I/O.
class pull_state {
public:
    enum class step { same, moved };

    /// `image` is for the progress.
    explicit pull_state(std::string image) { progress_.image = std::move(image); }

    /// `moved`: a layer got on, or the engine did. Throws std::exception on foreign JSON.
    step take(const boost::json::object& line);

    const pull_progress& progress() const { return progress_; }
    /// Why there is no image: the engine sends it last, below a status of 200.
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
    std::string status_;    // the last that is of no layer
    pull_progress progress_;
    std::optional<error> failed_;
};

/// `from`, an error of the engine, with the code that its message stands for if a registry said it: errc::not_found, errc::forbidden.
error pull_error(error from);

}    // namespace caisson::docker
