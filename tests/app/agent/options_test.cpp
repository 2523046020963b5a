#include "app/agent/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace caisson::agent {

namespace {

struct options_case {
    std::string_view name;
    std::vector<std::string> arguments;
    bool understood;
};

void PrintTo(const options_case& which, std::ostream* out) { *out << which.name; }

class AgentOptions : public ::testing::TestWithParam<options_case> { };

TEST_P(AgentOptions, HaveOneWayToAServer)
{
    std::vector<std::string> words{"caisson-agent"};
    words.insert(words.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    std::vector<char*> argv;
    for (auto& word : words)
        argv.push_back(word.data());
    options read;
    EXPECT_EQ(parse(static_cast<int>(argv.size()), argv.data(), read), GetParam().understood);
}

INSTANTIATE_TEST_SUITE_P(Cases, AgentOptions,
    ::testing::Values(options_case{"none", {"--confine"}, false}, options_case{"stdio", {"--stdio", "--work", "/w"}, true},
        options_case{"listen", {"--listen-fd", "3"}, true}, options_case{"listen_on_stdin", {"--listen-fd", "0"}, false},
        options_case{"connect", {"--subreaper", "--connect", "/.caisson/link/s"}, true},
        options_case{"connect_to_nothing", {"--connect"}, false}, options_case{"connect_to_an_empty_path", {"--connect", ""}, false},
        options_case{"longest_path", {"--connect", "/" + std::string(106, 'p')}, true},
        options_case{"path_that_no_address_holds", {"--connect", "/" + std::string(107, 'p')}, false},
        options_case{"two_ways", {"--connect", "/s", "--stdio"}, false},
        options_case{"other_two_ways", {"--listen-fd", "3", "--connect", "/s"}, false},
        options_case{"unknown", {"--stdio", "--verbose"}, false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::agent
