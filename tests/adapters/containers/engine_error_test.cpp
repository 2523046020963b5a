#include "adapters/engine/engine_error.hpp"

#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

struct status_case {
    std::string_view name;
    int status;
    std::string body;
    errc code;
    std::string detail;
};
class EngineError : public ::testing::TestWithParam<status_case> { };
TEST_P(EngineError, HasACodeAndTheEnginesWords)
{
    const auto& c = GetParam();
    const auto got = engine_error(c.status, c.body);
    EXPECT_EQ(got.code, c.code);
    EXPECT_EQ(got.detail, c.detail);
}

const std::string said = R"({"message":"so it is"})";
INSTANTIATE_TEST_SUITE_P(All, EngineError,
    ::testing::Values(status_case{"bad_request", 400, said, errc::bad_request, "the Docker engine says: so it is"},
        status_case{"unauthorized", 401, said, errc::forbidden, "the Docker engine says: so it is"},
        status_case{"forbidden", 403, said, errc::forbidden, "the Docker engine says: so it is"},
        status_case{"not_found", 404, said, errc::not_found, "the Docker engine says: so it is"},
        status_case{"too_slow", 408, said, errc::timed_out, "the Docker engine says: so it is"},
        status_case{"conflict", 409, said, errc::conflict, "the Docker engine says: so it is"},
        status_case{"teapot", 418, said, errc::bad_request, "the Docker engine says: so it is"},
        status_case{"too_many", 429, said, errc::runtime_unavailable, "the Docker engine says: so it is"},
        status_case{"internal", 500, said, errc::runtime_unavailable, "the Docker engine says: so it is"},
        status_case{"unavailable", 503, said, errc::runtime_unavailable, "the Docker engine says: so it is"},
        status_case{"redirect", 304, "", errc::runtime_unavailable, "the Docker engine answered 304 Not Modified"},
        status_case{"without_words", 404, "", errc::not_found, "the Docker engine answered 404 Not Found"},
        status_case{
            "empty_words", 500, R"({"message":" \n"})", errc::runtime_unavailable, "the Docker engine answered 500 Internal Server Error"},
        status_case{"plain_text", 400, "client version 1.11 is too old\n", errc::bad_request,
            "the Docker engine says: client version 1.11 is too old"},
        status_case{"other_json", 500, "[1]", errc::runtime_unavailable, "the Docker engine says: [1]"},
        status_case{
            "message_of_another_kind", 500, R"({"message":1})", errc::runtime_unavailable, R"(the Docker engine says: {"message":1})"},
        status_case{"lines", 400, R"({"message":"OCI runtime:\n\tno such file\u0000"})", errc::bad_request,
            "the Docker engine says: OCI runtime:  no such file"},
        status_case{"long", 500, std::string(5000, 'x'), errc::runtime_unavailable, "the Docker engine says: " + std::string(1000, 'x')},
        status_case{"cut_within_a_character", 500, std::string(999, 'x') + "\u00e4", errc::runtime_unavailable,
            "the Docker engine says: " + std::string(999, 'x')},
        status_case{"no_utf8", 500, "\xff!", errc::runtime_unavailable, "the Docker engine says: \uFFFD!"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::docker
