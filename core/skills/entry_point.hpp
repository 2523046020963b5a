#pragma once

#include "core/skills/manifest.hpp"

namespace caisson {

/// Completes `manifest.entrypoint`, `manifest.lang` and `manifest.mode` from the files of a package. A named entry point must exist.
/// Without one, searches the root and then scripts/ for main.py, run.py, main.js and main.sh; only files of `lang`, if set, are taken.
/// A missing `lang` is derived from the entry point. A skill with a command needs no entry point; a "cognitive" skill needs no program.
/// A skill without mode, language and program becomes cognitive, with a note.
void find_entry_point(const package_index& index, read_manifest_result& read);

}    // namespace caisson
