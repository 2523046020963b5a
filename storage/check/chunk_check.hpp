#pragma once

#include "core/base/hasher.hpp"
#include "storage/content/chunk_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caisson::sqlite {

/// What a content.db recognises its chunks with.
std::string find_tag_key(connection& db);

/// Throws storage_fault::corrupt if the file of whole chunks that belongs to `db` is shorter than its rows say.
void check_places(connection& db);

/// Reads every chunk of content.db and compares it with its tag, or the digest that it has instead. Tells `progress` how many bytes are
/// done, now and then. Returns what is wrong, in sentences, at most `most`.
std::vector<std::string> wrong_chunks(connection& db, const chunk_reader& files, hasher_factory make_hasher, std::size_t most,
    const std::function<void(std::uint64_t)>& progress);

}    // namespace caisson::sqlite
