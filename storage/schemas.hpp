#pragma once

#include "storage/migrations.hpp"
#include "storage/migrator.hpp"

namespace caisson::sqlite {

/// "Cai" and a number, for file(1) and so that no other program's database is taken for ours.
inline constexpr schema records_schema{0x43616901, migrations::records::files};
/// Chunks of 64 KiB and more go into large pages a third faster, and small events as fast.
inline constexpr schema events_schema{0x43616902, migrations::events::files, 16'384};

}    // namespace caisson::sqlite
