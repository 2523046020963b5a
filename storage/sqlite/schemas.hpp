#pragma once

#include "storage/migrations.hpp"
#include "storage/sqlite/migrator.hpp"

namespace caisson::sqlite {

/// "Cai" and a number, for file(1) and so that no other program's database is taken for ours.
inline constexpr schema records_schema{0x43616901, migrations::records::files};
/// From this one on records refer to content.db; earlier versions did not make that file.
inline constexpr std::uint32_t first_records_with_contents = 7;
/// Chunks of 64 KiB and more go into large pages a third faster, and small events as fast. What was written is seldom wanted again soon.
inline constexpr schema events_schema{0x43616902, migrations::events::files, 16'384, 8 << 20};

/// Small files go into pages of this size a quarter faster than into those of 64 KiB, large ones as fast. What was written is seldom
/// wanted again soon: the cache holds two transactions.
inline constexpr schema content_schema{0x43616903, migrations::content::files, 16'384, 8 << 20};
/// From this one on whole chunks lie in a file of their own.
inline constexpr std::size_t first_contents_with_places = 2;

}    // namespace caisson::sqlite
