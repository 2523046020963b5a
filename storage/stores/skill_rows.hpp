#pragma once

#include "core/base/error.hpp"
#include "core/skills/ports.hpp"
#include "storage/sqlite/connection.hpp"

#include <string>

namespace caisson::sqlite {

/// Within the caller's transaction: see skill_store::put.
result<skill_put> put_skill(connection& db, skill_revision row, const skill_bounds& bounds);

/// See skill_store::find and find_digest.
result<skill_revision> find_skill(connection& db, const tenant_id& tenant, const std::string& name, const std::string& version);
result<skill_revision> find_package(connection& db, const tenant_id& tenant, const std::string& digest);

/// The columns of an upload as all statements have them: digest, content_id, size_bytes, files, format, uploaded_at_ms, replaced_at_ms,
/// disabled.
void read_upload(column_reader& columns, skill_revision& into);

skill_usage skill_usage_of(connection& db, const tenant_id& tenant);

}    // namespace caisson::sqlite
