#pragma once

#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace caisson::cli {

/// An option whose text goes through `parse` (a std::optional of a T), refused with `expected` if that gives nothing.
template <class Target, class Parse>
CLI::Option* add_parsed(
    CLI::App* verb, const std::string& names, Target& target, Parse parse, const std::string& expected, const std::string& about)
{
    auto take = [&target, parse, expected, names](const std::string& text) {
        auto value = parse(text);
        if (!value)
            throw CLI::ValidationError(names, "\"" + text + "\" is not " + expected);
        target = std::move(*value);
    };
    return verb->add_option_function<std::string>(names, take, about);
}

/// An option that may be repeated, each time K=V with a K that is not empty.
CLI::Option* add_pairs(CLI::App* verb, const std::string& names, named_texts& target, const std::string& about);

/// An option that may be repeated, each time PATH[:AS]; AS is by default the path's last part.
CLI::Option* add_uploads(CLI::App* verb, const std::string& names, std::vector<upload>& target, const std::string& about);

/// --json.
void add_json(CLI::App* verb, client_options& to);

/// --quiet.
void add_quiet(CLI::App* verb, bool& target);

/// Refuses what is not an id of an execution before it gets into an address.
CLI::Validator execution_id_check();

}    // namespace caisson::cli
