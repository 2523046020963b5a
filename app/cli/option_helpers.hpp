#pragma once

#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace caisson::cli {

/// An option that `parse` reads (it returns std::optional<T>). A text without a value is refused with `expected`.
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

/// A repeatable option K=V; K is not empty.
CLI::Option* add_pairs(CLI::App* verb, const std::string& names, named_texts& target, const std::string& about);

/// A repeatable option PATH[:AS]; AS is by default the last part of PATH.
CLI::Option* add_uploads(CLI::App* verb, const std::string& names, std::vector<upload>& target, const std::string& about);

/// --json.
void add_json(CLI::App* verb, client_options& to);

/// --quiet.
void add_quiet(CLI::App* verb, bool& target);

/// Refuses invalid execution ids before they get into a URL.
CLI::Validator execution_id_check();

}    // namespace caisson::cli
