// A kept result as bytes: what was written comes back, and nothing else is taken for it.

#include "app/compile/compiled_entry.hpp"

#include "adapters/crypto/sha256_hasher.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

const auto tenant = tenant_id::from_trusted("ten_00000000000000000000000001");
const std::string key(64, 'a');

compiled_result usual()
{
    compiled_result of;
    of.output = "main.c: warning: ä\n";
    of.output_truncated = true;
    of.files = {{".caisson/main", 0755,
                    shared_bytes(std::string("\x7f"
                                             "ELF\0\1",
                        6))},
        {"empty", 0600, {}}};
    return of;
}

std::string packed() { return pack_entry(tenant, key, usual(), *make_sha256_hasher()); }

std::optional<compiled_result> unpacked(std::string bytes, const tenant_id& of = tenant, const std::string& name = key)
{
    return unpack_entry(of, name, shared_bytes(std::move(bytes)), *make_sha256_hasher());
}

TEST(CompiledEntry, ComesBack)
{
    const auto back = unpacked(packed());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->output, usual().output);
    EXPECT_TRUE(back->output_truncated);
    ASSERT_EQ(back->files.size(), 2u);
    EXPECT_EQ(back->files[0].path, ".caisson/main");
    EXPECT_EQ(back->files[0].mode, 0755u);
    EXPECT_EQ(back->files[0].content, usual().files[0].content);
    EXPECT_EQ(back->files[1].mode, 0600u);
    EXPECT_TRUE(back->files[1].content.empty());
}

TEST(CompiledEntry, IsRefusedWhateverByteIsAnother)
{
    for (std::size_t at = 0; at < packed().size(); ++at) {
        auto bytes = packed();
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        EXPECT_FALSE(unpacked(bytes)) << at;
    }
}

TEST(CompiledEntry, IsRefusedWhereverItIsCut)
{
    const auto bytes = packed();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(unpacked(bytes.substr(0, size))) << size;
    EXPECT_FALSE(unpacked(bytes + '\0'));
}

TEST(CompiledEntry, IsNobodyElses)
{
    EXPECT_FALSE(unpacked(packed(), tenant_id::from_trusted("ten_00000000000000000000000002")));
    EXPECT_FALSE(unpacked(packed(), tenant, std::string(64, 'b')));
}

/// With a digest that is right: whoever can write there may have made it.
struct path_case {
    std::string_view name;
    std::string path;
};
void PrintTo(const path_case& c, std::ostream* out) { *out << c.name; }
class CompiledEntryPath : public ::testing::TestWithParam<path_case> { };

TEST_P(CompiledEntryPath, ThatLeadsOutIsRefused)
{
    compiled_result of;
    of.files = {{GetParam().path, 0644, {}}};
    EXPECT_FALSE(unpacked(pack_entry(tenant, key, of, *make_sha256_hasher())));
}

INSTANTIATE_TEST_SUITE_P(Cases, CompiledEntryPath,
    ::testing::Values(path_case{"up", "../main"}, path_case{"absolute", "/etc/passwd"}, path_case{"empty", ""}, path_case{"dot", "./main"},
        path_case{"inner_up", "a/../../b"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CompiledEntry, HasPermissionBitsOnly)
{
    compiled_result of;
    of.files = {{"main", 04755, {}}};
    const auto back = unpacked(pack_entry(tenant, key, of, *make_sha256_hasher()));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->files[0].mode, 0755u);
}

}    // namespace
}    // namespace caisson
