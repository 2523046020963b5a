#include "adapters/host/used_networks.hpp"

#include <algorithm>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace caisson {

namespace {

bool is_same(int opened, const char* path)
{
    struct stat one{};
    struct stat other{};
    return ::fstat(opened, &one) == 0 && ::stat(path, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}    // namespace

unique_fd used_networks::of(const process_handle& process)
{
    const auto path = "/proc/" + std::to_string(process.identity().pid) + "/ns/net";
    unique_fd network(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!network || !process.alive() || is_same(network.get(), "/proc/self/ns/net"))
        return {};
    const unique_fd owner(::ioctl(network.get(), NS_GET_USERNS));
    return owner && is_same(owner.get(), "/proc/self/ns/user") ? std::move(network) : unique_fd();
}

unique_fd used_networks::take(steady_time now)
{
    const std::lock_guard lock(mutex_);
    if (kept_.empty() || now - kept_.front().since < lies_for)
        return {};
    auto oldest = std::move(kept_.front().network);
    kept_.pop_front();
    unneeded_ = std::min(unneeded_, kept_.size());
    return oldest;
}

void used_networks::give(unique_fd network, steady_time now)
{
    const std::lock_guard lock(mutex_);
    if (network && kept_.size() < most_)
        kept_.push_back({std::move(network), now});
}

void used_networks::tidy(steady_time now)
{
    const std::lock_guard lock(mutex_);
    if (now - since_ < kept_for)
        return;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(unneeded_));
    unneeded_ = kept_.size();
    since_ = now;
}

std::size_t used_networks::size() const
{
    const std::lock_guard lock(mutex_);
    return kept_.size();
}

}    // namespace caisson
