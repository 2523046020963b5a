#include "app/cli/option_helpers.hpp"

#include "core/base/ids.hpp"

namespace caisson::cli {

CLI::Option* add_pairs(CLI::App* verb, const std::string& names, named_texts& target, const std::string& about)
{
    auto take = [&target, names](const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
            const auto equals = text.find('=');
            if (equals == 0 || equals == std::string::npos)
                throw CLI::ValidationError(names, "\"" + text + "\" is not NAME=VALUE");
            target.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        }
    };
    return verb->add_option_function<std::vector<std::string>>(names, take, about)->expected(1)->take_all()->allow_extra_args(false);
}

CLI::Option* add_uploads(CLI::App* verb, const std::string& names, std::vector<upload>& target, const std::string& about)
{
    auto take = [&target, names](const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
            const auto colon = text.rfind(':');
            const std::filesystem::path from = text.substr(0, colon);
            auto as = colon == std::string::npos ? from.filename().string() : text.substr(colon + 1);
            if (from.empty() || as.empty())
                throw CLI::ValidationError(names, "\"" + text + "\" is not PATH or PATH:NAME");
            target.push_back({from, std::move(as)});
        }
    };
    return verb->add_option_function<std::vector<std::string>>(names, take, about)->expected(1)->take_all()->allow_extra_args(false);
}

void add_json(CLI::App* verb, client_options& to)
{
    verb->add_flag_callback("--json", [&to] { to.output = output_format::json; }, "the same as --output json");
}

void add_quiet(CLI::App* verb, bool& target)
{
    verb->add_flag("--quiet,-q", target, "of what caisson itself says only failures: no progress, no notes");
}

CLI::Validator execution_id_check()
{
    const auto check = [](const std::string& text) {
        return is_well_formed_id(execution_tag::prefix, text) ? std::string() : "\"" + text + "\" is not the id of an execution (exe_…)";
    };
    return {check, "exe_…"};
}

}    // namespace caisson::cli
