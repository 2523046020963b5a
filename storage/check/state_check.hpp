#pragma once

#include "core/base/hasher.hpp"
#include "storage/sqlite/connection.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caisson::sqlite {

/// Unpacks every state of threads in a records.db and compares it with its digest. Tells `progress` how many bytes are done, now and
/// then. Returns what is wrong, in sentences, at most `most`.
std::vector<std::string> wrong_states(
    connection& db, hasher_factory make_hasher, std::size_t most, const std::function<void(std::uint64_t)>& progress);

}    // namespace caisson::sqlite
