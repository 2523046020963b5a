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

/// The collaborators of a skill_service; all outlive it.
struct skill_services {
    const clock& time;
    logger& log;
    skill_store& skills;
    content_store& contents;
    package_intake& intake;
    skill_bounds bounds = {};
    std::size_t max_uploads = 64;    // concurrent; one tenant gets at most a quarter, but at least 1
    /// Called for each package that was removed; may be empty.
    std::function<void(const tenant_id&, const std::string& digest)> erased = {};
    storage_gate may_store = {};    // asked before an upload
    /// Limit on one upload, from begin_upload() to its last byte: 50 MiB at 64 KiB/s.
    std::chrono::milliseconds upload_time = std::chrono::seconds(800);
};

/// A skill with its versions, highest first.
struct skill_summary {
    std::string name;
    std::string latest;    // empty: all versions are disabled
    std::vector<skill_version_row> versions;
};

/// The skill registry: stores uploads and resolves names and versions. I/O thread only. All calls throw storage_error when a database
/// is broken. Replacing a version is atomic, even if the server is killed.
class skill_service : public skill_finder {
public:
    explicit skill_service(skill_services use) : use_(std::move(use)) { }

    /// Starts an upload; the package may name any of `images`. Errors: errc::queue_full with facts; those of package_intake.
    task<result<std::unique_ptr<package_upload>>> begin_upload(tenant_id tenant, std::vector<std::string> images);

    struct stored {
        skill_revision revision;
        std::vector<std::string> notes;
    };
    /// Stores the uploaded package and makes it current for its version. Storing the same bytes again changes nothing. Errors: those of
    /// package_upload::inspect and skill_store::put.
    task<result<stored>> store(tenant_id tenant, std::shared_ptr<package_upload> upload);

    /// Resolves a skill for execution; cached. Errors: errc::not_found; errc::conflict if the version is disabled.
    task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) override;
    /// Resolves a skill for display: also disabled versions, which "latest" skips. Errors: errc::not_found.
    task<result<skill_revision>> show(tenant_id tenant, std::string name, std::string version);
    /// Errors: errc::not_found.
    task<result<skill_summary>> summary(tenant_id tenant, std::string name);
    task<result<std::vector<skill_version_row>>> list(tenant_id tenant, skill_filter filter);
    /// The packages of a skill after `after`, replaced ones included. Errors: errc::not_found if there is no such skill.
    task<result<std::vector<skill_revision>>> revisions(
        tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit);
    /// Returns the changed revision. `version` must be a version, not "latest" or a digest. Errors: errc::not_found.
    task<result<skill_revision>> set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled);
    /// Removes a version, or all versions if `version` is empty, with all its revisions. Errors: errc::not_found.
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

/// The digest in "sha256:<digest>"; nullopt if `version` has another form.
std::optional<std::string> digest_of(std::string_view version);

}    // namespace caisson
