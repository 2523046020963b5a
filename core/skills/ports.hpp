#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/skills/types.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The outcome of skill_store::put().
struct skill_put {
    skill_revision kept;                      // as stored
    bool is_new = false;                      // false: the version already had these bytes
    std::vector<content_id> unneeded = {};    // contents without a record; the caller erases them
};

/// Records of packages. Call from the I/O thread. Packages of other tenants are treated as absent.
class skill_store {
public:
    virtual ~skill_store() = default;
    /// Makes `row` the current revision of its version. The previous revision stays addressable by its digest. A package that the tenant
    /// already has keeps its content id. Errors: errc::quota_exceeded with facts.
    virtual task<result<skill_put>> put(skill_revision row, skill_bounds bounds) = 0;
    /// The current revision of a version. Errors: errc::not_found.
    virtual task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) = 0;
    /// A package by its digest, replaced ones included. Errors: errc::not_found.
    virtual task<result<skill_revision>> find_digest(tenant_id tenant, std::string digest) = 0;
    /// The versions of a skill that are not disabled, in no particular order. Used to resolve "latest".
    virtual task<result<std::vector<std::string>>> enabled_versions(tenant_id tenant, std::string name) = 0;
    /// All versions of a skill, at most skill_bounds::max_versions; empty if there is none.
    virtual task<result<std::vector<skill_version_row>>> versions(tenant_id tenant, std::string name) = 0;
    virtual task<result<std::vector<skill_version_row>>> list(tenant_id tenant, skill_filter filter) = 0;
    /// The packages of a skill after `after`, at most `limit`. Of each manifest only name and version are filled in.
    virtual task<result<std::vector<skill_revision>>> revisions(
        tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit) = 0;
    /// Errors: errc::not_found.
    virtual task<result<void>> set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled) = 0;
    /// Removes a version with all its revisions, or all versions if `version` is empty, atomically. Returns the removed revisions.
    /// Errors: errc::not_found.
    virtual task<result<std::vector<skill_revision>>> erase(tenant_id tenant, std::string name, std::string version) = 0;
    virtual task<result<skill_usage>> usage(tenant_id tenant) = 0;
};

/// The result of inspecting an upload.
struct inspected_package {
    skill_manifest manifest;
    std::vector<std::string> notes;    // warnings, as sentences
    std::string digest;                // SHA-256 of all bytes, lower-case hex
    std::int64_t size_bytes = 0;
    std::int64_t files = 0;
    std::string format;    // "zip" or "tar.gz"
};

/// An upload into a temporary file, which goes with this object. I/O thread; one call at a time.
class package_upload {
public:
    virtual ~package_upload() = default;
    /// Appends. Errors: errc::too_large beyond the limit; errc::runtime_unavailable if the write fails (full disk); errc::bad_request if
    /// the upload is too slow.
    virtual task<result<void>> write(shared_bytes bytes) = 0;
    /// Checks the complete package. Errors: errc::bad_request if it is empty; errc::invalid_skill with all mistakes;
    /// errc::image_not_allowed.
    virtual task<result<inspected_package>> inspect() = 0;
    /// Reads from `offset` on; empty at the end.
    virtual task<result<shared_bytes>> read(std::int64_t offset, std::size_t max_bytes) = 0;
};

/// Starts uploads. Outlives them.
class package_intake {
public:
    virtual ~package_intake() = default;
    /// `images` are those that the package may name. Errors: errc::runtime_unavailable if the file cannot be created.
    virtual task<result<std::unique_ptr<package_upload>>> begin(std::vector<std::string> images) = 0;
};

/// A lease on an extracted package: a read-only directory that stays unchanged while any lease on it exists.
class skill_tree {
public:
    virtual ~skill_tree() = default;
    virtual const std::filesystem::path& path() const = 0;    // absolute path on the host
};

/// A bounded cache of extracted packages, by tenant and digest.
class skill_trees {
public:
    virtual ~skill_trees() = default;
    /// Extracts the package if it is not cached. Errors: errc::not_found if the tenant has no such package; those of the stores and of
    /// extraction.
    virtual task<result<std::shared_ptr<const skill_tree>>> open(tenant_id tenant, std::string digest) = 0;
    /// As open(), but null if that would wait.
    virtual std::shared_ptr<const skill_tree> open_now(const tenant_id& tenant, const std::string& digest) = 0;
};

/// Resolves a skill for execution.
class skill_finder {
public:
    virtual ~skill_finder() = default;
    /// `version`: empty or "latest", a version, or "sha256:" and a digest. Errors: errc::not_found, naming both.
    virtual task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) = 0;
};

/// Checks `json` against the JSON Schema `schema` (both as text). Returns at most 20 mismatches, each with its place as a JSON Pointer
/// ("" is the whole value, "/text/0"); empty if the value matches. Blocks, for seconds in the worst case. Errors: errc::bad_request with
/// the faults of the schema itself, or if the check exceeds its cost limit.
using schema_check = result<std::vector<field_problem>> (*)(std::string_view schema, std::string_view json);

/// Runs schema checks on dedicated threads, fairly among tenants.
class schema_checker {
public:
    virtual ~schema_checker() = default;

    /// What waits for the result: a request, which its client can repeat, or the end of an execution, which may wait much longer.
    enum class asker { request, execution };

    /// As schema_check. I/O thread. Also errc::runtime_unavailable if too many checks of the tenant are queued, or on a queue timeout.
    virtual task<result<std::vector<field_problem>>> check(tenant_id tenant, asker who, std::string schema, shared_bytes json) = 0;
};

/// A YAML document; scalars are kept as text.
struct yaml_value {
    enum class kind { null, scalar, list, map };
    kind type = kind::null;
    std::string key;       // of a member of a map
    std::string text;      // of a scalar
    bool plain = false;    // scalar without quotes: may be a number or a Boolean
    int line = 1;
    std::vector<yaml_value> items;    // elements of a list; members of a map in order, keys unique
};

/// Reads one document of bounded size, depth and number of nodes; numbers its lines from `first_line`. Errors: errc::bad_request with
/// a sentence that names the line, for wrong syntax, a duplicate or non-scalar key, an anchor, an alias or a tag.
using yaml_reader = result<yaml_value> (*)(std::string_view text, int first_line);

}    // namespace caisson
