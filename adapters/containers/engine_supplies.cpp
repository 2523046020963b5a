#include "adapters/containers/engine_runtime.hpp"
#include "adapters/containers/image_settings.hpp"

/// Brings the agent and packages to an engine that does not see this host's files.
namespace caisson {

/// The helper has the sandbox's name and labels, so that removing the sandbox also removes the helper.
result<docker::container_spec> engine_runtime::plan_helper(const sandbox_spec& spec, const docker::image_info& image) const
{
    auto helper = docker::plan_container(spec, settings_);
    helper.tmpfs.clear();
    const auto fitted = docker::leave_out_settings(helper, image);
    if (fitted.has_error())
        return fitted.error();
    return helper;
}

task<result<engine_runtime::supplies>> engine_runtime::bring_supplies(sandbox_spec spec, docker::image_info image)
{
    if (!spec.trees.empty() && services_.packages == nullptr)
        co_return error{
            errc::not_implemented, "the engine does not see this host's directories: packages cannot be shown to programs there"};
    auto helper = plan_helper(spec, image);
    if (helper.has_error())
        co_return helper.error();
    auto done = co_await volume_.fill(*helper);
    if (done.has_error() && done.error().code == errc::not_found)
        co_return error{errc::image_unavailable, "the engine does not have the image " + spec.image + ": " + done.error().detail};
    if (done.has_error())
        co_return done.error();
    supplies brought;
    for (const auto& tree : spec.trees) {
        auto package = co_await services_.packages->bring(tree.host_path, *helper);
        if (package.has_error())
            co_return package.error();
        brought.push_back(std::move(*package));
    }
    co_return brought;
}

void engine_runtime::mount_supplies(sandbox_spec& spec, const supplies& brought)
{
    for (std::size_t i = 0; i < brought.size(); ++i)
        spec.trees[i].host_path = brought[i]->volume();
}

task<result<void>> engine_runtime::confirm_supplies(const supplies* brought)
{
    for (const auto& each : *brought) {
        auto confirmed = co_await services_.packages->confirm(each.get());
        if (confirmed.has_error())
            co_return confirmed;
    }
    co_return result<void>();
}

}    // namespace caisson
