#pragma once

#include "core/skills/skill_service.hpp"

#include <span>
#include <string>

namespace caisson::wire {

/// The response to an upload: {"name","version","description","lang","digest",…,"notes"}.
std::string skill_created_json(const skill_service::stored& made);

/// GET /v1/skills/{name}/{version}: the manifest and facts about the package.
std::string skill_json(const skill_revision& row);

/// GET /v1/skills: a bare array with an object per version.
std::string skill_list_json(std::span<const skill_version_row> rows);

/// GET /v1/skills/{name}.
std::string skill_summary_json(const skill_summary& skill);

/// GET /v1/skills/{name}/versions: a bare array with an object per package.
std::string skill_revisions_json(std::span<const skill_revision> rows);

/// POST /v1/skills/validate: {"valid":true,"skill_name","skill_version",…,"notes"}.
std::string skill_valid_json(const inspected_package& package);
/// The files of the package of `row`.
std::string skill_files_json(const skill_revision& row, std::span<const package_entry> files);

}    // namespace caisson::wire
