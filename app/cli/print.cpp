#include "app/cli/text_table.hpp"
#include "app/cli/verbs.hpp"

#include <boost/json/serialize.hpp>

#include <cstdio>

namespace caisson::cli {

namespace {

constexpr std::size_t longest_sentence = 4'096;

}    // namespace

void print(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void print_json(const boost::json::value& value) { print(boost::json::serialize(value) + "\n"); }

void complain(std::string_view sentence)
{
    const auto line = "caisson: " + one_line(sentence, longest_sentence) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

int complain(const error& what, int status)
{
    complain(what.detail.empty() ? slug(what.code) : what.detail);
    for (const auto& field : what.fields)
        complain(field.field + ": " + field.message);
    return status;
}

}    // namespace caisson::cli
