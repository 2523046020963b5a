#include "adapters/net/tls_files.hpp"

#include "core/base/clock.hpp"

#include <sys/stat.h>

namespace caisson::net {

namespace {

constexpr std::int64_t soon_days = 14;

file_stamp stamp_of(const std::filesystem::path& file)
{
    struct ::stat found{};
    if (::stat(file.c_str(), &found) != 0)
        return {};
    return {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec};
}

bool others_read(const std::filesystem::path& file)
{
    struct ::stat found{};
    return ::stat(file.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

}    // namespace

std::array<file_stamp, 2> stamps_of(const tls_files& files) { return {stamp_of(files.certificate), stamp_of(files.key)}; }

std::string lifetime_text(const certificate_facts& facts, std::int64_t now_ms)
{
    const auto when = to_rfc3339(facts.not_after_ms);
    const auto days = facts.days_left(now_ms);
    if (days < 0)
        return "expired on " + when;
    return "expires in " + std::to_string(days) + (days == 1 ? " day, on " : " days, on ") + when;
}

std::vector<std::string> weaknesses_of(const certificate_facts& facts, const tls_files& files, std::int64_t now_ms)
{
    std::vector<std::string> out;
    const auto days = facts.days_left(now_ms);
    if (days < 0)
        out.push_back("the TLS certificate " + lifetime_text(facts, now_ms) + ": clients refuse it; renew it");
    else if (days < soon_days)
        out.push_back("the TLS certificate " + lifetime_text(facts, now_ms) + ": renew it");
    if (facts.not_before_ms > now_ms)
        out.push_back("the TLS certificate is valid only from " + to_rfc3339(facts.not_before_ms) + " on; is this machine's clock right?");
    if (others_read(files.key))
        out.push_back("the TLS key " + files.key.string() + " can be read by every user of this machine: chmod o-r it");
    return out;
}

}    // namespace caisson::net
