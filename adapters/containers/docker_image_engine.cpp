#include "adapters/containers/docker_image_engine.hpp"

#include "adapters/containers/trial_images.hpp"
#include "adapters/engine/events.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// An engine unpacks an archive before it answers.
constexpr auto longest_unpacking = 15min;

stored_image stored_from(docker::image_info info)
{
    stored_image out;
    out.id = std::move(info.id);
    out.tags = std::move(info.tags);
    out.digests = std::move(info.digests);
    out.size_bytes = info.size_bytes;
    out.created_at_ms = info.created_at_ms;
    out.architecture = std::move(info.architecture);
    out.os = std::move(info.os);
    return out;
}

/// Adapts a tar_source to the client's upload body.
class tar_body : public net::body_source {
public:
    explicit tar_body(tar_source* from) : from_(from) { }
    std::uint64_t size_bytes() const override { return from_->size_bytes(); }
    task<result<shared_bytes>> read() override { return from_->read(); }

private:
    tar_source* from_;
};

net::transfer_options transfer()
{
    net::transfer_options how;
    how.answer_timeout = longest_unpacking;
    return how;
}

}    // namespace

task<result<stored_image>> docker_image_engine::inspect(std::string reference, steady_time deadline)
{
    auto found = co_await images_.inspect(std::move(reference), deadline);
    if (found.has_error())
        co_return found.error();
    co_return stored_from(std::move(*found));
}

task<result<std::vector<stored_image>>> docker_image_engine::list(steady_time deadline)
{
    auto found = co_await images_.list(deadline);
    if (found.has_error())
        co_return found.error();
    std::vector<stored_image> all;
    for (auto& each : *found)
        if (!is_trial_image(each))
            all.push_back(stored_from(std::move(each)));
    co_return all;
}

task<result<void>> docker_image_engine::pull(std::string reference, std::optional<registry_login> login, image_watcher watcher,
    std::chrono::milliseconds stall, steady_time deadline)
{
    std::optional<docker::registry_credentials> credentials;
    if (login)
        credentials = docker::registry_credentials{login->username, std::string(login->password.reveal())};
    std::function<void(const docker::pull_progress&)> progress = [watcher = std::move(watcher)](const docker::pull_progress& now) {
        if (watcher)
            watcher({now.layers, now.layers_done, now.bytes, now.bytes_total});
    };
    auto pulling = images_.pull(std::move(reference), std::move(credentials), std::move(progress), stall, deadline);
    co_return co_await std::move(pulling);
}

task<result<void>> docker_image_engine::import(std::string reference, tar_source* tar, std::vector<std::string> changes)
{
    tar_body body(tar);
    auto importing = images_.import(std::move(reference), body, std::move(changes), transfer());
    co_return co_await std::move(importing);
}

task<result<std::vector<std::string>>> docker_image_engine::load(tar_source* tar)
{
    tar_body body(tar);
    auto loading = images_.load(body, transfer());
    co_return co_await std::move(loading);
}

task<result<void>> docker_image_engine::remove(std::string reference, steady_time deadline)
{
    return images_.remove(std::move(reference), deadline);
}

task<> docker_image_engine::follow(image_listener to)
{
    docker::event_feed::listener hears;
    hears.take = [changed = std::move(to.changed)](const docker::container_event&) { changed(); };
    hears.restored = [] { };
    hears.lost = std::move(to.broke);
    hears.begun = std::move(to.begun);
    docker::event_feed feed(engine_, engine_.time(), {}, std::move(hears), "image");
    co_await feed.run();
}

}    // namespace caisson
