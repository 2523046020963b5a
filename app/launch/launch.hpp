#pragma once

namespace caisson::launch {

/// Executes caisson-launch's command line (options.hpp), with the descriptors that it names.
[[noreturn]] void launch(int argc, char** argv, char** environment);

}    // namespace caisson::launch
