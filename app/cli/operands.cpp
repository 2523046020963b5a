#include "app/cli/operands.hpp"

#include <CLI/CLI.hpp>

namespace caisson::cli {

namespace {

bool takes_value(const CLI::App& verb, const std::string& name)
{
    const auto* option = verb.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_max() > 0;
}

/// True if the next argument is the value of the last option in `arg`.
bool wants_next(const CLI::App& verb, const std::string& arg)
{
    if (arg.starts_with("--"))
        return arg.find('=') == std::string::npos && takes_value(verb, arg);
    for (std::size_t at = 1; at < arg.size(); ++at)
        if (takes_value(verb, std::string("-") + arg[at]))
            return at + 1 == arg.size();
    return false;
}

}    // namespace

operand_split split_operands(const CLI::App& verb, const std::vector<std::string>& args)
{
    operand_split split;
    std::size_t at = 0;
    while (at < args.size() && args[at].size() > 1 && args[at].starts_with('-') && args[at] != "--") {
        const bool pair = wants_next(verb, args[at]);
        split.options.push_back(args[at++]);
        if (pair && at < args.size())
            split.options.push_back(args[at++]);
    }
    split.after_dashes = at < args.size() && args[at] == "--";
    at += split.after_dashes ? 1 : 0;
    split.operands.assign(args.begin() + static_cast<std::ptrdiff_t>(std::min(at, args.size())), args.end());
    return split;
}

}    // namespace caisson::cli
