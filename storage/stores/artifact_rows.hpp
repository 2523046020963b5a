#pragma once

#include "core/files/types.hpp"
#include "storage/sqlite/connection.hpp"

#include <vector>

namespace caisson::sqlite {

/// Adds records of one tenant to records.db, in a transaction of the caller's; of two with one path the first counts.
void insert_artifacts(connection& db, const std::vector<artifact_row>& rows);

/// Removes those of an execution, at most `limit`, in a transaction of the caller's; returns their contents.
std::vector<content_id> erase_artifacts(connection& db, const tenant_id& tenant, const execution_id& execution, std::size_t limit);

/// From a row of sql/artifact/list.sql or find.sql.
artifact_row artifact_from(const statement& query);

}    // namespace caisson::sqlite
