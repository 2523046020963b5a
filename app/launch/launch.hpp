#pragma once

namespace caisson::launch {

/// Does what the command line says (options.hpp), which is caisson-launch's, with the descriptors that it names.
[[noreturn]] void launch(int argc, char** argv, char** environment);

}    // namespace caisson::launch
