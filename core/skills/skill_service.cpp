#include "core/skills/skill_service.hpp"

#include "core/skills/version.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t copy_bytes = 256 << 10;
constexpr std::size_t erase_at_once = 64;
constexpr std::string_view digest_prefix = "sha256:";
/// Limit on a name or a version in a message.
constexpr std::size_t told_bytes = 160;

error no_such(const std::string& name, const std::string& version)
{
    return {errc::not_found, "skill not found: " + name.substr(0, told_bytes) + "@" + version.substr(0, told_bytes)};
}

/// Changes accept versions only: "latest" could resolve to another version when a request is repeated.
error no_such_to_change(const std::string& name, const std::string& version)
{
    auto what = no_such(name, version);
    if (version == "latest" || digest_of(version))
        what.detail += "; name a version: \"latest\" and digests are for reading and running";
    return what;
}

/// Replaces a store's errc::not_found by the documented message.
result<skill_revision> told(result<skill_revision> found, const std::string& name, const std::string& version)
{
    if (found.has_error() && found.error().code == errc::not_found)
        return no_such(name, version);
    return found;
}

skill_revision revision_of(const inspected_package& package, tenant_id tenant, content_id content, std::int64_t now_ms)
{
    skill_revision row;
    row.tenant = std::move(tenant);
    row.manifest = package.manifest;
    row.digest = package.digest;
    row.content = std::move(content);
    row.size_bytes = package.size_bytes;
    row.files = package.files;
    row.format = package.format;
    row.uploaded_at_ms = now_ms;
    return row;
}

bool is_higher(const skill_version_row& left, const skill_version_row& right)
{
    const auto a = parse_version(left.version);
    const auto b = parse_version(right.version);
    if (!a || !b)
        return a.has_value() > b.has_value();
    return *a != *b ? *a > *b : left.version < right.version;
}

std::string highest_of(const std::vector<std::string>& versions)
{
    const auto highest = latest_of(versions);
    return highest ? versions[*highest] : std::string();
}

std::string latest_enabled(const std::vector<skill_version_row>& rows)
{
    std::vector<std::string> versions;
    for (const auto& each : rows)
        if (!each.disabled)
            versions.push_back(each.version);
    return highest_of(versions);
}

}    // namespace

std::optional<std::string> digest_of(std::string_view version)
{
    constexpr std::size_t digits = 64;
    if (!version.starts_with(digest_prefix) || version.size() != digest_prefix.size() + digits)
        return std::nullopt;
    version.remove_prefix(digest_prefix.size());
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return std::ranges::all_of(version, is_digit) ? std::optional(std::string(version)) : std::nullopt;
}

/// Counts against the limit on uploads while it lives. Refuses bytes after `upload_time`, so that a slow client frees its slot.
class skill_service::counted_upload : public package_upload {
public:
    counted_upload(skill_service& service, tenant_id tenant)
        : service_(service), tenant_(std::move(tenant)), until_(service.use_.time.steady_now() + service.use_.upload_time)
    {
        ++service_.uploads_;
        ++service_.uploads_of_[tenant_];
    }
    ~counted_upload() override
    {
        --service_.uploads_;
        const auto own = service_.uploads_of_.find(tenant_);
        if (--own->second == 0)
            service_.uploads_of_.erase(own);
    }
    counted_upload(const counted_upload&) = delete;
    counted_upload& operator=(const counted_upload&) = delete;

    void begin(std::unique_ptr<package_upload> inner) { inner_ = std::move(inner); }
    task<result<void>> write(shared_bytes bytes) override
    {
        if (service_.use_.time.steady_now() >= until_)
            return refuse_slow();
        return inner_->write(std::move(bytes));
    }
    task<result<inspected_package>> inspect() override { return inner_->inspect(); }
    task<result<shared_bytes>> read(std::int64_t offset, std::size_t max_bytes) override { return inner_->read(offset, max_bytes); }

private:
    task<result<void>> refuse_slow()
    {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(service_.use_.upload_time).count();
        const auto limit = "did not come within " + std::to_string(seconds) + " s, which is as long as an upload may take";
        co_return error{errc::bad_request, "the package " + limit + "; send it again over a faster connection", {{"body", limit}}};
    }

    skill_service& service_;
    tenant_id tenant_;
    steady_time until_;
    std::unique_ptr<package_upload> inner_;
};

task<result<std::unique_ptr<package_upload>>> skill_service::begin_upload(tenant_id tenant, std::vector<std::string> images)
{
    if (auto stored = ask(use_.may_store, tenant); stored.has_error())
        co_return stored.error();
    const auto share = std::max<std::size_t>(1, use_.max_uploads / 4);
    const auto own = uploads_of_.find(tenant);
    const auto running = own == uploads_of_.end() ? 0 : own->second;
    if (uploads_ >= use_.max_uploads || running >= share) {
        const bool of_tenant = running >= share;
        error busy{errc::queue_full, of_tenant ? "this tenant uploads too many packages at once; try again when some are done"
                                               : "too many packages are being uploaded; try again later"};
        busy.facts = limit_facts{"skills.max_uploads", of_tenant ? "tenant" : "server",
            static_cast<std::int64_t>(of_tenant ? share : use_.max_uploads), static_cast<std::int64_t>(of_tenant ? running : uploads_), 0,
            1};
        co_return busy;
    }
    auto counted = std::make_unique<counted_upload>(*this, std::move(tenant));
    auto begun = co_await use_.intake.begin(std::move(images));
    if (begun.has_error())
        co_return begun.error();
    counted->begin(std::move(*begun));
    co_return std::unique_ptr<package_upload>(std::move(counted));
}

task<result<content_info>> skill_service::copy_to_contents(tenant_id tenant, std::shared_ptr<package_upload> upload)
{
    auto writer = use_.contents.create(std::move(tenant));
    for (std::int64_t offset = 0;;) {
        auto piece = co_await upload->read(offset, copy_bytes);
        if (piece.has_error())
            co_return piece.error();
        if (piece->empty())
            break;
        offset += static_cast<std::int64_t>(piece->size());
        auto written = co_await writer->write(std::move(*piece));
        if (written.has_error())
            co_return written.error();
    }
    auto finishing = writer->finish();
    co_return co_await std::move(finishing);
}

task<result<skill_service::stored>> skill_service::store(tenant_id tenant, std::shared_ptr<package_upload> upload)
{
    auto package = co_await upload->inspect();
    if (package.has_error())
        co_return package.error();
    // Bytes that are already stored are copied too: the content store verifies and repairs its copy.
    auto content = co_await copy_to_contents(tenant, upload);
    if (content.has_error())
        co_return content.error();
    if (content->sha256 != package->digest)
        co_return error{errc::internal, "the package changed while it was stored"};
    auto row = revision_of(*package, tenant, content->id, use_.time.now_ms());
    const auto change = known_.changing(tenant, row.manifest.name);
    // If this throws, the record may exist: the content stays, and the janitor removes it later if no record names it.
    auto put = co_await use_.skills.put(std::move(row), use_.bounds);
    if (put.has_error()) {
        std::vector<content_id> unwanted(1, content->id);
        co_await erase_contents(tenant, std::move(unwanted));
        co_return put.error();
    }
    co_await erase_contents(tenant, std::move(put->unneeded));
    co_return stored{std::move(put->kept), std::move(package->notes)};
}

/// A failure is only logged: the janitor removes contents that no record names.
task<> skill_service::erase_contents(tenant_id tenant, std::vector<content_id> ids)
{
    for (std::size_t at = 0; at < ids.size(); at += erase_at_once) {
        const auto end = std::min(at + erase_at_once, ids.size());
        std::vector<content_id> some(ids.begin() + static_cast<std::ptrdiff_t>(at), ids.begin() + static_cast<std::ptrdiff_t>(end));
        std::string problem;
        try {
            auto erased = co_await use_.contents.erase(tenant, std::move(some));
            if (erased.has_error())
                problem = erased.error().detail;
        } catch (const std::exception& e) {
            problem = e.what();
        }
        if (!problem.empty()) {
            use_.log.warning("the bytes of removed packages are still there; they are removed later", {{"what", problem}});
            co_return;
        }
    }
}

task<result<std::string>> skill_service::latest(tenant_id tenant, std::string name)
{
    auto enabled = co_await use_.skills.enabled_versions(std::move(tenant), name);
    if (enabled.has_error())
        co_return enabled.error();
    auto version = highest_of(*enabled);
    if (version.empty())
        co_return no_such(name, "latest");
    co_return version;
}

task<result<skill_revision>> skill_service::show(tenant_id tenant, std::string name, std::string version)
{
    if (const auto digest = digest_of(version)) {
        auto found = co_await use_.skills.find_digest(std::move(tenant), *digest);
        if (found.has_value() && found->manifest.name != name)
            co_return no_such(name, version);
        co_return told(std::move(found), name, version);
    }
    if (version.empty() || version == "latest") {
        auto resolved = co_await latest(tenant, name);
        if (resolved.has_error())
            co_return resolved.error();
        version = std::move(*resolved);
    }
    auto found = co_await use_.skills.find(std::move(tenant), name, version);
    co_return told(std::move(found), name, version);
}

task<result<skill_revision>> skill_service::find(tenant_id tenant, std::string name, std::string version)
{
    if (const auto* const known = known_.find(tenant, name, version))
        co_return *known;
    const auto since = known_.now(tenant, name);
    auto found = co_await show(tenant, name, version);
    if (found.has_error())
        co_return found;
    if (found->disabled)
        co_return error{errc::conflict, "the skill \"" + found->manifest.name + "\" is disabled in version \"" + found->manifest.version +
                                            "\"; enable it, or name another version"};
    known_.keep(std::move(version), *found, since);
    co_return found;
}

task<result<skill_summary>> skill_service::summary(tenant_id tenant, std::string name)
{
    auto rows = co_await use_.skills.versions(std::move(tenant), name);
    if (rows.has_error())
        co_return rows.error();
    if (rows->empty())
        co_return error{errc::not_found, "skill not found: " + name.substr(0, told_bytes)};
    std::ranges::sort(*rows, is_higher);
    auto highest = latest_enabled(*rows);
    co_return skill_summary{std::move(name), std::move(highest), std::move(*rows)};
}

task<result<std::vector<skill_version_row>>> skill_service::list(tenant_id tenant, skill_filter filter)
{
    return use_.skills.list(std::move(tenant), std::move(filter));
}

task<result<std::vector<skill_revision>>> skill_service::revisions(
    tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit)
{
    const bool first = !after;
    auto rows = co_await use_.skills.revisions(std::move(tenant), name, std::move(after), limit);
    if (rows.has_value() && rows->empty() && first)
        co_return error{errc::not_found, "skill not found: " + name.substr(0, told_bytes)};
    co_return rows;
}

task<result<skill_revision>> skill_service::set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled)
{
    const auto change = known_.changing(tenant, name);
    auto changed = co_await use_.skills.set_disabled(tenant, name, version, disabled);
    if (changed.has_error())
        co_return changed.error().code == errc::not_found ? no_such_to_change(name, version) : changed.error();
    auto found = co_await use_.skills.find(std::move(tenant), name, version);
    co_return told(std::move(found), name, version);
}

task<result<void>> skill_service::erase(tenant_id tenant, std::string name, std::string version)
{
    const auto change = known_.changing(tenant, name);
    auto gone = co_await use_.skills.erase(tenant, name, version);
    if (gone.has_error() && gone.error().code == errc::not_found)
        co_return version.empty() ? error{errc::not_found, "skill not found: " + name.substr(0, told_bytes)}
                                  : no_such_to_change(name, version);
    if (gone.has_error())
        co_return gone.error();
    std::vector<content_id> contents;
    for (const auto& each : *gone) {
        contents.push_back(each.content);
        if (use_.erased)
            use_.erased(tenant, each.digest);
    }
    co_await erase_contents(std::move(tenant), std::move(contents));
    co_return result<void>();
}

task<result<shared_bytes>> skill_service::read(skill_revision of, std::int64_t offset, std::size_t max_bytes)
{
    return use_.contents.read(std::move(of.tenant), std::move(of.content), offset, max_bytes);
}

}    // namespace caisson
