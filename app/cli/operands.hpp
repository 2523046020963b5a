#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace caisson::cli {

/// A verb's own options, and the operands: these belong to the program that is run, even if they look like options.
struct operand_split {
    std::vector<std::string> options;
    std::vector<std::string> operands;
    bool after_dashes = false;    // the operands came after "--"
};

/// Splits at the first argument that is neither an option of `verb` nor an option's value.
operand_split split_operands(const CLI::App& verb, const std::vector<std::string>& args);

}    // namespace caisson::cli
