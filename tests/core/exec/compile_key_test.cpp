// What a compilation is known by: whatever can change its result makes another key.

#include "core/exec/compile/compile_cache.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace caisson {
namespace {

/// Instead of a digest it gives all that was added: two keys are equal only if they were made of the same bytes.
class plain_hasher : public hasher {
public:
    void add(std::string_view bytes) override { text_ += bytes; }
    std::string finish() override { return std::exchange(text_, {}); }
    std::string tag(std::string_view, std::string_view) override { return {}; }

private:
    std::string text_;
};

compile_inputs usual()
{
    compile_inputs of;
    of.tenant = tenant_id::from_trusted("ten_1");
    of.language = "c";
    of.runtime = "bubblewrap";
    of.argv = {"/usr/bin/gcc", "-O2", "main.c"};
    of.env = {{"HOME", "/workspace"}, {"MODE", "a"}};
    of.directory = "/workspace";
    of.files = {{".caisson", S_IFDIR | 0755, {}}, {"main.c", 0644, shared_bytes("int main;")}, {"a.h", 0644, shared_bytes("x")}};
    return of;
}

std::string key_of(const compile_inputs& of, const std::string& tools = "tools")
{
    plain_hasher plain;
    return compile_key(of, tools, plain);
}

struct key_case {
    std::string_view name;
    void (*change)(compile_inputs&);
};
void PrintTo(const key_case& c, std::ostream* out) { *out << c.name; }
class CompileKey : public ::testing::TestWithParam<key_case> { };

TEST(CompileKeys, OfTheSameAreTheSame)
{
    EXPECT_EQ(key_of(usual()), key_of(usual()));
    EXPECT_NE(key_of(usual()), key_of(usual(), "other tools"));
}

TEST_P(CompileKey, IsAnother)
{
    auto other = usual();
    GetParam().change(other);
    EXPECT_NE(key_of(other), key_of(usual()));
}

INSTANTIATE_TEST_SUITE_P(Cases, CompileKey,
    ::testing::Values(key_case{"tenant", [](auto& of) { of.tenant = tenant_id::from_trusted("ten_2"); }},
        key_case{"language", [](auto& of) { of.language = "cpp"; }}, key_case{"runtime", [](auto& of) { of.runtime = "docker"; }},
        key_case{"image", [](auto& of) { of.image_digest = "sha256:1"; }},
        key_case{"compiler", [](auto& of) { of.argv[0] = "/usr/bin/cc"; }}, key_case{"flag", [](auto& of) { of.argv[1] = "-O3"; }},
        key_case{"flag_more", [](auto& of) { of.argv.push_back("-g"); }}, key_case{"flag_less", [](auto& of) { of.argv.pop_back(); }},
        key_case{"flags_order", [](auto& of) { std::swap(of.argv[1], of.argv[2]); }},
        key_case{"flags_joined", [](auto& of) { of.argv = {"/usr/bin/gcc", "-O2main.c"}; }},
        key_case{"variable", [](auto& of) { of.env[1].second = "b"; }},
        key_case{"variable_name", [](auto& of) { of.env[1].first = "MODF"; }},
        key_case{"variable_more", [](auto& of) { of.env.emplace_back("X", ""); }},
        key_case{"variable_less", [](auto& of) { of.env.pop_back(); }},
        key_case{"variable_as_flag",
            [](auto& of) {
                of.argv.insert(of.argv.end(), {"HOME", "/workspace"});
                of.env.erase(of.env.begin());
            }},
        key_case{"directory", [](auto& of) { of.directory = "/sandbox"; }},
        key_case{"file_content", [](auto& of) { of.files[1].content = shared_bytes("int main "); }},
        key_case{"file_path", [](auto& of) { of.files[1].path = "main.C"; }},
        key_case{"file_mode", [](auto& of) { of.files[1].mode = 0755; }},
        key_case{"file_more", [](auto& of) { of.files.push_back({"b.h", 0644, {}}); }},
        key_case{"file_less", [](auto& of) { of.files.pop_back(); }},
        key_case{"contents_swapped", [](auto& of) { std::swap(of.files[1].content, of.files[2].content); }}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
