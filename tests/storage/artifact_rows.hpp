#pragma once

#include "core/files/types.hpp"
#include "tests/storage/store_contract.hpp"

namespace caisson::testing {

/// An artifact of execution `of` of tenant 1, with content number `content`.
inline artifact_row artifact(int of, std::string path, int content, std::int64_t size_bytes = 10)
{
    artifact_row row;
    row.execution = numbered<execution_id>(of);
    row.tenant = numbered<tenant_id>(1);
    row.path = std::move(path);
    row.size_bytes = size_bytes;
    row.sha256 = std::string(64, 'a');
    row.media_type = "text/plain";
    row.mode = 0640;
    row.content = numbered<content_id>(content);
    row.created_at_ms = 5000 + of;
    return row;
}

}    // namespace caisson::testing
