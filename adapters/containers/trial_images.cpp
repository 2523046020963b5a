#include "adapters/containers/trial_images.hpp"

#include "adapters/engine/text_source.hpp"

#include <algorithm>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view repository = "caisson-trial:";
constexpr std::size_t empty_tar_bytes = 1024;    // the two zero blocks that end a tar

}    // namespace

std::string trial_image_of(const sandbox_id& id) { return std::string(repository) + id.str(); }

task<result<void>> import_trial_image(docker::images* into, sandbox_id of, docker::container_settings settings)
{
    docker::text_source tar(std::string(empty_tar_bytes, '\0'));
    std::vector<std::string> changes;
    for (const auto& label : docker::own_labels(settings))
        changes.push_back("LABEL " + label);
    net::transfer_options how;
    how.connect_timeout = how.stall_timeout = how.answer_timeout = 10s;
    co_return co_await into->import(trial_image_of(of), tar, std::move(changes), std::move(how));
}

task<result<std::vector<sandbox_id>>> trial_images_on(docker::images* where, docker::container_settings settings, steady_time deadline)
{
    const auto listed = co_await where->list(deadline, docker::own_labels(settings));
    if (listed.has_error())
        co_return listed.error();
    std::vector<sandbox_id> found;
    for (const auto& image : *listed)
        for (const auto& tag : image.tags)
            if (tag.starts_with(repository))
                if (auto id = sandbox_id::parse(std::string_view(tag).substr(repository.size())))
                    found.push_back(std::move(*id));
    co_return found;
}

bool is_trial_image(const docker::image_info& of)
{
    const auto is_of_trial = [](const std::string& tag) { return tag.starts_with(repository); };
    return of.labels.contains(docker::instance_label) && !of.tags.empty() && std::ranges::all_of(of.tags, is_of_trial);
}

task<result<void>> remove_trial_image(docker::images* from, sandbox_id of, steady_time deadline)
{
    auto removed = co_await from->remove(trial_image_of(of), deadline);
    if (removed.has_error() && removed.error().code == errc::not_found)
        co_return result<void>();
    co_return removed;
}

}    // namespace caisson
