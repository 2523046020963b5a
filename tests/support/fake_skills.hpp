#pragma once

#include "core/skills/ports.hpp"
#include "tests/support/faults.hpp"

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace caisson::testing {

/// Skills in memory. Everything completes without suspending. One thread.
class fake_skill_store : public skill_store, public faults {
public:
    task<result<skill_put>> put(skill_revision row, skill_bounds bounds) override;
    task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) override;
    task<result<skill_revision>> find_digest(tenant_id tenant, std::string digest) override;
    task<result<std::vector<std::string>>> enabled_versions(tenant_id tenant, std::string name) override;
    task<result<std::vector<skill_version_row>>> versions(tenant_id tenant, std::string name) override;
    task<result<std::vector<skill_version_row>>> list(tenant_id tenant, skill_filter filter) override;
    task<result<std::vector<skill_revision>>> revisions(
        tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit) override;
    task<result<void>> set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled) override;
    task<result<std::vector<skill_revision>>> erase(tenant_id tenant, std::string name, std::string version) override;
    task<result<skill_usage>> usage(tenant_id tenant) override;

    std::function<void()> on_found;    // called when find_digest() has looked and does not yet say what it found

private:
    using version_name = std::tuple<tenant_id, std::string, std::string>;
    struct version {
        std::string digest;
        bool disabled = false;
    };
    static version_name name_of(const skill_revision& row) { return {row.tenant, row.manifest.name, row.manifest.version}; }
    skill_usage usage_of(const tenant_id& tenant) const;
    result<void> check_room(const skill_revision& row, const skill_bounds& bounds) const;
    std::vector<content_id> drop_oldest(const skill_revision& row, std::int64_t most);
    skill_revision whole(const skill_revision& row) const;

    std::map<std::pair<tenant_id, std::string>, skill_revision> packages_;    // by digest
    std::map<version_name, version> versions_;
};

/// What a package_upload says of what it was given, for tests of what comes after.
class fake_intake : public package_intake, public faults {
public:
    /// Packages are "NAME@VERSION" and anything behind a line break; "invalid" is none.
    task<result<std::unique_ptr<package_upload>>> begin(std::vector<std::string> images) override;

    /// SHA-256 as the upload says it of these bytes: as fake_content_store does.
    static std::string digest_of(std::string_view bytes);
    std::vector<std::string> images;    // of the last begin()
    int open = 0;                       // uploads that are there now
};

}    // namespace caisson::testing
