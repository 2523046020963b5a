#pragma once

#include "core/base/clock.hpp"
#include "core/base/log.hpp"
#include "core/base/storage_gate.hpp"
#include "core/files/ports.hpp"
#include "core/skills/known_skills.hpp"
#include "core/skills/ports.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// What a skill_service works on; everything outlives it.
struct skill_services {
    const clock& time;
    logger& log;
    skill_store& skills;
    content_store& contents;
    package_intake& intake;
    skill_bounds bounds = {};
    std::size_t max_uploads = 64;    // at once; a quarter of them of one tenant
    /// Told of each package that has been removed; may be empty.
    std::function<void(const tenant_id&, const std::string& digest)> erased = {};
    storage_gate may_store = {};    // asked before an upload
    /// Of one upload, from its begin to its last byte: 50 MiB at 64 KiB/s.
    std::chrono::milliseconds upload_time = std::chrono::seconds(800);
};

/// A skill with its versions, the highest first.
struct skill_summary {
    std::string name;
    std::string latest;    // empty: all are disabled
    std::vector<skill_version_row> versions;
};

/// The registry: what tenants upload, and what their names and versions mean. I/O thread only. All calls throw storage_error
/// when the databases are broken; a version is the whole new one or the whole old one whenever the server is killed.
class skill_service : public skill_finder {
public:
    explicit skill_service(skill_services use) : use_(std::move(use)) { }

    /// Where the bytes of a package go, which may name `images`. Errors: errc::queue_full with facts; what package_intake says.
    task<result<std::unique_ptr<package_upload>>> begin_upload(tenant_id tenant, std::vector<std::string> images);

    struct stored {
        skill_revision revision;
        std::vector<std::string> notes;
    };
    /// Keeps what was uploaded: from now on its version means it. The same bytes again change nothing. Errors: those of
    /// package_upload::inspect and skill_store::put.
    task<result<stored>> store(tenant_id tenant, std::shared_ptr<package_upload> upload);

    /// For running it; from memory where nothing changed. Errors: errc::not_found, errc::conflict if the version is disabled.
    task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) override;
    /// The same for looking at it: disabled versions too. "latest" passes over them.
    task<result<skill_revision>> show(tenant_id tenant, std::string name, std::string version);
    /// Errors: errc::not_found.
    task<result<skill_summary>> summary(tenant_id tenant, std::string name);
    task<result<std::vector<skill_version_row>>> list(tenant_id tenant, skill_filter filter);
    /// All packages of a skill, those that were replaced too. Errors: errc::not_found if there is no such skill.
    task<result<std::vector<skill_revision>>> revisions(
        tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit);
    /// Returns the version as it is now. `version` is a version, not "latest". Errors: errc::not_found.
    task<result<skill_revision>> set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled);
    /// Removes a version, or all of them if `version` is empty, with all packages that it ever meant. Errors: errc::not_found.
    task<result<void>> erase(tenant_id tenant, std::string name, std::string version);
    /// See content_store::read.
    task<result<shared_bytes>> read(skill_revision of, std::int64_t offset, std::size_t max_bytes);

    std::size_t uploads() const { return uploads_; }

private:
    class counted_upload;

    task<result<std::string>> latest(tenant_id tenant, std::string name);
    task<result<content_info>> copy_to_contents(tenant_id tenant, std::shared_ptr<package_upload> upload);
    task<> erase_contents(tenant_id tenant, std::vector<content_id> ids);

    skill_services use_;
    known_skills known_;
    std::size_t uploads_ = 0;
    std::map<tenant_id, std::size_t> uploads_of_;
};

/// "sha256:" and a digest, as a version: the digest, or nothing if `version` is something else.
std::optional<std::string> digest_of(std::string_view version);

}    // namespace caisson
