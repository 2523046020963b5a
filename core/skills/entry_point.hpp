#pragma once

#include "core/skills/manifest.hpp"

namespace caisson {

/// Completes `manifest.entrypoint` and `manifest.lang` from the files of a package: the entry point that was named must be there, else
/// main.py, run.py, main.js and main.sh are looked for in the root and then in scripts/, those first that fit the language. A language that
/// was not named follows from the entry point. A skill with a command needs no entry point, one of mode "cognitive" no program at all.
/// So is one that says neither a mode nor a language, and has no program: it is cognitive, and a note says so.
void find_entry_point(const package_index& index, read_manifest_result& read);

}    // namespace caisson
