#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace caisson::cli {

/// Where the options of a verb end: what follows belongs to the program that is run, even if it looks like an option.
struct operand_split {
    std::vector<std::string> options;
    std::vector<std::string> operands;
    bool after_dashes = false;    // the operands came after "--"
};

/// Splits at the first argument that is neither one of `verb`'s options nor an option's value.
operand_split split_operands(const CLI::App& verb, const std::vector<std::string>& args);

}    // namespace caisson::cli
