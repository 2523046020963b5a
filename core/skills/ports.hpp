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

/// What became of an upload.
struct skill_put {
    skill_revision kept;                      // as it is stored now
    bool is_new = false;                      // false: these very bytes were this version already
    std::vector<content_id> unneeded = {};    // that no record names any more, or never did: the caller erases them
};

/// Records of packages. Call from the I/O thread. What belongs to another tenant does not exist.
class skill_store {
public:
    virtual ~skill_store() = default;
    /// From now on the version means `row`; what it meant before stays, addressed by its digest. Bytes that the tenant has
    /// already keep their content. Errors: errc::quota_exceeded with facts.
    virtual task<result<skill_put>> put(skill_revision row, skill_bounds bounds) = 0;
    /// What a version means now. Errors: errc::not_found.
    virtual task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) = 0;
    /// A package, also one that was replaced. Errors: errc::not_found.
    virtual task<result<skill_revision>> find_digest(tenant_id tenant, std::string digest) = 0;
    /// The versions of a skill that are not disabled, in no order that matters: for each run that names none.
    virtual task<result<std::vector<std::string>>> enabled_versions(tenant_id tenant, std::string name) = 0;
    /// All versions of a skill, at most skill_bounds::max_versions; empty if there is none.
    virtual task<result<std::vector<skill_version_row>>> versions(tenant_id tenant, std::string name) = 0;
    virtual task<result<std::vector<skill_version_row>>> list(tenant_id tenant, skill_filter filter) = 0;
    /// All packages of a skill behind `after`, at most `limit`. Of manifests only name and version are read.
    virtual task<result<std::vector<skill_revision>>> revisions(
        tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit) = 0;
    /// Errors: errc::not_found.
    virtual task<result<void>> set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled) = 0;
    /// Removes a version with all its revisions, or all versions if `version` is empty, at once; returns what they were.
    /// Errors: errc::not_found.
    virtual task<result<std::vector<skill_revision>>> erase(tenant_id tenant, std::string name, std::string version) = 0;
    virtual task<result<skill_usage>> usage(tenant_id tenant) = 0;
};

/// What was found in an upload.
struct inspected_package {
    skill_manifest manifest;
    std::vector<std::string> notes;    // what is no mistake but perhaps not meant, as sentences
    std::string digest;                // SHA-256 of all bytes, lower-case hex
    std::int64_t size_bytes = 0;
    std::int64_t files = 0;
    std::string format;    // "zip" or "tar.gz"
};

/// A package on its way in, in a file of the server's own that goes with this object. I/O thread; one call at a time.
class package_upload {
public:
    virtual ~package_upload() = default;
    /// Errors: errc::too_large beyond the limit; errc::runtime_unavailable if it cannot be kept (a full disk); errc::bad_request if it
    /// comes too slowly.
    virtual task<result<void>> write(shared_bytes bytes) = 0;
    /// Judges all that was written. Errors: errc::bad_request if that is nothing; errc::invalid_skill with all mistakes;
    /// errc::image_not_allowed.
    virtual task<result<inspected_package>> inspect() = 0;
    /// From `offset` on; empty at the end.
    virtual task<result<shared_bytes>> read(std::int64_t offset, std::size_t max_bytes) = 0;
};

/// Where uploads begin; it outlives them.
class package_intake {
public:
    virtual ~package_intake() = default;
    /// `images`: those that the package may name. Errors: errc::runtime_unavailable if no file can be made.
    virtual task<result<std::unique_ptr<package_upload>>> begin(std::vector<std::string> images) = 0;
};

/// An extracted package: a read-only directory that stays as it is while anybody holds the lease.
class skill_tree {
public:
    virtual ~skill_tree() = default;
    virtual const std::filesystem::path& path() const = 0;    // absolute, of the host
};

/// Extracted packages of a tenant, by digest, in a bounded cache.
class skill_trees {
public:
    virtual ~skill_trees() = default;
    /// Extracts it first if it is not there. Errors: errc::not_found if the tenant has no such package; what the stores and the
    /// archive say.
    virtual task<result<std::shared_ptr<const skill_tree>>> open(tenant_id tenant, std::string digest) = 0;
    /// Only if that needs no wait, else null.
    virtual std::shared_ptr<const skill_tree> open_now(const tenant_id& tenant, const std::string& digest) = 0;
};

/// Which `version` of a request: empty or "latest", a version, or "sha256:" and a digest.
/// Errors of find(): errc::not_found with a sentence that names it.
class skill_finder {
public:
    virtual ~skill_finder() = default;
    virtual task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) = 0;
};

/// Checks `json` against the JSON Schema `schema` (both as text): what does not match, at most 20, each with its place as a JSON pointer
/// ("" is the whole value, "/text/0"). Empty: it matches. Blocks, for seconds at the worst. Errors: errc::bad_request with all that is
/// wrong with the schema itself, or if the check costs too much.
using schema_check = result<std::vector<field_problem>> (*)(std::string_view schema, std::string_view json);

/// Checks on threads of their own, among which tenants take turns.
class schema_checker {
public:
    virtual ~schema_checker() = default;

    /// What waits for the answer: a client, who may come again, or the end of an execution, which is waited for much longer.
    enum class asker { request, execution };

    /// As schema_check. I/O thread. Errors also: errc::runtime_unavailable if too many of the tenant's wait, or its turn does not come.
    virtual task<result<std::vector<field_problem>>> check(tenant_id tenant, asker who, std::string schema, shared_bytes json) = 0;
};

/// A YAML document as it is written: scalars are text.
struct yaml_value {
    enum class kind { null, scalar, list, map };
    kind type = kind::null;
    std::string key;       // of a member of a map
    std::string text;      // of a scalar
    bool plain = false;    // a scalar without quotes: its text may mean a number, a truth value or nothing
    int line = 1;
    std::vector<yaml_value> items;    // of a list; of a map its members in their order, no key twice
};

/// Reads one document of bounded size, depth and number of nodes; its lines are counted from `first_line`. Errors: errc::bad_request
/// with a sentence that names the line: wrong syntax, a key twice, a key that is no scalar, an anchor, an alias, a tag.
using yaml_reader = result<yaml_value> (*)(std::string_view text, int first_line);

}    // namespace caisson
