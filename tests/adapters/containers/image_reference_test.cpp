#include "adapters/engine/images.hpp"

#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

const std::string hex64(64, 'a');
const std::string sha = "sha256:" + hex64;

struct reference_case {
    std::string name;
    std::string text;
    std::string registry;
    std::string repository;
    std::string tag;
    std::string digest;
    std::string shortest;    // as str() gives it
};
class ImageReference : public ::testing::TestWithParam<reference_case> { };
TEST_P(ImageReference, IsReadAsTheEngineReadsIt)
{
    const auto& c = GetParam();
    const auto got = image_reference::parse(c.text);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->registry, c.registry);
    EXPECT_EQ(got->repository, c.repository);
    EXPECT_EQ(got->tag, c.tag);
    EXPECT_EQ(got->digest, c.digest);
    EXPECT_EQ(got->str(), c.shortest);
    const auto again = image_reference::parse(got->str());
    ASSERT_TRUE(again.has_value()) << again.error().detail;
    EXPECT_EQ(again->str(), c.shortest);
}
INSTANTIATE_TEST_SUITE_P(Cases, ImageReference,
    ::testing::Values(reference_case{"name", "python", "docker.io", "library/python", "latest", "", "python:latest"},
        reference_case{"tag", "python:3.12-slim", "docker.io", "library/python", "3.12-slim", "", "python:3.12-slim"},
        reference_case{"digest", "python@" + sha, "docker.io", "library/python", "", sha, "python@" + sha},
        reference_case{"tag_and_digest", "python:3@" + sha, "docker.io", "library/python", "3", sha, "python:3@" + sha},
        reference_case{
            "sha512", "a@sha512:" + hex64 + hex64, "docker.io", "library/a", "", "sha512:" + hex64 + hex64, "a@sha512:" + hex64 + hex64},
        reference_case{"user", "ada/tools:1", "docker.io", "ada/tools", "1", "", "ada/tools:1"},
        reference_case{"library_by_name", "library/python:3", "docker.io", "library/python", "3", "", "python:3"},
        reference_case{"library_below", "library/python/x:3", "docker.io", "library/python/x", "3", "", "library/python/x:3"},
        reference_case{"hub_by_name", "docker.io/python:3", "docker.io", "library/python", "3", "", "python:3"},
        reference_case{"hub_by_old_name", "index.docker.io/ada/x:3", "docker.io", "ada/x", "3", "", "ada/x:3"},
        reference_case{"other_registry", "ghcr.io/a/b/c:1", "ghcr.io", "a/b/c", "1", "", "ghcr.io/a/b/c:1"},
        reference_case{"one_level_elsewhere", "quay.io/x", "quay.io", "x", "latest", "", "quay.io/x:latest"},
        reference_case{"port", "reg:5000/x", "reg:5000", "x", "latest", "", "reg:5000/x:latest"},
        reference_case{"port_and_tag", "reg.example:5000/x:5000", "reg.example:5000", "x", "5000", "", "reg.example:5000/x:5000"},
        reference_case{"localhost", "localhost/x:1", "localhost", "x", "1", "", "localhost/x:1"},
        reference_case{"localhost_with_port", "localhost:5000/x/y", "localhost:5000", "x/y", "latest", "", "localhost:5000/x/y:latest"},
        reference_case{"localhost_as_image", "localhost:1", "docker.io", "library/localhost", "1", "", "localhost:1"},
        reference_case{"ipv4", "127.0.0.1:5000/x", "127.0.0.1:5000", "x", "latest", "", "127.0.0.1:5000/x:latest"},
        reference_case{"ipv6", "[::1]:5000/x", "[::1]:5000", "x", "latest", "", "[::1]:5000/x:latest"},
        reference_case{"ipv6_without_port", "[fe80::1]/x", "[fe80::1]", "x", "latest", "", "[fe80::1]/x:latest"},
        reference_case{"capitals_are_a_host", "Reg/x", "Reg", "x", "latest", "", "Reg/x:latest"},
        reference_case{"separators", "a.b_c__d-e---f", "docker.io", "library/a.b_c__d-e---f", "latest", "", "a.b_c__d-e---f:latest"},
        reference_case{"capitals_in_tag", "x:V1.0_RC-2", "docker.io", "library/x", "V1.0_RC-2", "", "x:V1.0_RC-2"},
        reference_case{"tag_with_underscore", "x:_", "docker.io", "library/x", "_", "", "x:_"},
        reference_case{
            "longest_tag", "x:" + std::string(128, 't'), "docker.io", "library/x", std::string(128, 't'), "", "x:" + std::string(128, 't')},
        reference_case{"longest_name", std::string(237, 'n'), "docker.io", "library/" + std::string(237, 'n'), "latest", "",
            std::string(237, 'n') + ":latest"},
        reference_case{"hex_name_with_tag", hex64 + ":1", "docker.io", "library/" + hex64, "1", "", hex64 + ":1"}),
    [](const auto& info) { return info.param.name; });

struct mistake_case {
    std::string name;
    std::string text;
    std::string_view says;
};
class ImageReferenceMistake : public ::testing::TestWithParam<mistake_case> { };
TEST_P(ImageReferenceMistake, IsNamed)
{
    const auto& c = GetParam();
    const auto got = image_reference::parse(c.text);
    ASSERT_TRUE(got.has_error()) << got->str();
    EXPECT_EQ(got.error().code, errc::bad_request);
    EXPECT_NE(got.error().detail.find(c.says), std::string::npos) << got.error().detail;
    EXPECT_LT(got.error().detail.size(), 400u);
}
INSTANTIATE_TEST_SUITE_P(Cases, ImageReferenceMistake,
    ::testing::Values(mistake_case{"empty", "", "it is empty"}, mistake_case{"capitals", "Python", "in lower case"},
        mistake_case{"capitals_below", "ghcr.io/Ada/x", "in lower case"}, mistake_case{"tag_alone", ":3", "each part of the name"},
        mistake_case{"digest_alone", "@" + sha, "each part of the name"}, mistake_case{"empty_tag", "x:", "a tag is"},
        mistake_case{"tag_with_dot_first", "x:.1", "a tag is"}, mistake_case{"tag_with_dash_first", "x:-1", "a tag is"},
        mistake_case{"tag_with_space", "x:1 2", "a tag is"}, mistake_case{"two_tags", "x:1:2", "each part of the name"},
        mistake_case{"long_tag", "x:" + std::string(129, 't'), "a tag is"},
        mistake_case{"long_name", std::string(248, 'n'), "longer than 255 bytes"},
        mistake_case{"very_long", std::string(1 << 20, 'n'), "longer than 255 bytes"},
        mistake_case{"short_digest", "x@sha256:abc", "a digest is"}, mistake_case{"empty_digest", "x@", "a digest is"},
        mistake_case{"two_digests", "x@" + sha + "@" + sha, "a digest is"},
        mistake_case{"capitals_in_digest", "x@sha256:" + std::string(64, 'A'), "a digest is"},
        mistake_case{"weak_digest", "x@md5:" + std::string(32, 'a'), "a digest is"},
        mistake_case{"leading_slash", "/x", "each part of the name"}, mistake_case{"trailing_slash", "x/", "each part of the name"},
        mistake_case{"two_slashes", "a//b", "each part of the name"}, mistake_case{"dots", "../x", "no host with an optional port"},
        mistake_case{"three_underscores", "a___b", "each part of the name"}, mistake_case{"two_dots", "a..b", "each part of the name"},
        mistake_case{"mixed_separators", "a.-b", "each part of the name"}, mistake_case{"separator_first", "-a", "each part of the name"},
        mistake_case{"separator_last", "a_", "each part of the name"}, mistake_case{"not_ascii", "pyth\xc3\xb6n", "each part of the name"},
        mistake_case{"control", std::string("x\ny"), "each part of the name"},
        mistake_case{"nul", std::string("x\0y", 3), "each part of the name"},
        mistake_case{"scheme", "https://ghcr.io/x", "no host with an optional port"},
        mistake_case{"empty_port", "reg:/x", "no host with an optional port"},
        mistake_case{"port_no_number", "reg:a/x", "no host with an optional port"},
        mistake_case{"port_too_large", "reg:65536/x", "no host with an optional port"},
        mistake_case{"host_with_dash", "-reg.io/x", "no host with an optional port"},
        mistake_case{"host_with_underscore", "re_g.io/x", "no host with an optional port"},
        mistake_case{"open_bracket", "[::1/x", "no host with an optional port"}, mistake_case{"id", hex64, "the id of an image"},
        mistake_case{"id_with_algorithm", sha, "the id of an image"},
        mistake_case{"short_id_with_algorithm", "sha256:abc", "the id of an image"}),
    [](const auto& info) { return info.param.name; });

}    // namespace
}    // namespace caisson::docker
