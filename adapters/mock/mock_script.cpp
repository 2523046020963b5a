#include "adapters/mock/mock_script.hpp"

#include <charconv>
#include <optional>

namespace caisson {

namespace {

using kind = mock_step::kind;

struct mock_option {
    std::string_view name;
    kind what;
    enum class value { none, text, number } takes;
    std::int64_t most = 0;
};
constexpr mock_option known_options[] = {
    {"--stdout", kind::print_stdout, mock_option::value::text},
    {"--stderr", kind::print_stderr, mock_option::value::text},
    {"--cat", kind::cat, mock_option::value::none},
    {"--wait-ms", kind::wait, mock_option::value::number, 86'400'000},
    {"--hang", kind::hang, mock_option::value::none},
    {"--oom", kind::oom, mock_option::value::none},
    {"--fill-disk", kind::fill_disk, mock_option::value::none},
    {"--die", kind::die, mock_option::value::none},
    {"--exit", kind::exit, mock_option::value::number, 255},
    {"--signal", kind::signal, mock_option::value::number, 64},
};

const mock_option* find_option(std::string_view name)
{
    for (const auto& each : known_options) {
        if (each.name == name)
            return &each;
    }
    return nullptr;
}

std::optional<std::int64_t> number_up_to(std::int64_t most, std::string_view text)
{
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 0 || value > most)
        return std::nullopt;
    return value;
}

error not_understood(const std::string& what) { return error{errc::bad_request, "mock script: " + what}; }

}    // namespace

result<std::vector<mock_step>> parse_mock_script(const std::vector<std::string>& argv)
{
    if (argv.empty() || argv.front() != "mock")
        return not_understood("the command must be \"mock\"");
    std::vector<mock_step> script;
    for (std::size_t at = 1; at < argv.size(); ++at) {
        const auto* option = find_option(argv[at]);
        if (option == nullptr)
            return not_understood("unknown step " + argv[at]);
        mock_step step{.what = option->what};
        if (option->takes != mock_option::value::none && ++at == argv.size())
            return not_understood(std::string(option->name) + " needs a value");
        if (option->takes == mock_option::value::text)
            step.text = argv[at];
        if (option->takes == mock_option::value::number) {
            const auto number = number_up_to(option->most, argv[at]);
            if (!number)
                return not_understood(std::string(option->name) + " needs a number from 0 to " + std::to_string(option->most));
            step.number = *number;
        }
        script.push_back(std::move(step));
    }
    return script;
}

}    // namespace caisson
