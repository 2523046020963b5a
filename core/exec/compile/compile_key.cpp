#include "core/exec/compile/compile_cache.hpp"

namespace caisson {

namespace {

/// Of what a key is made of, and of what is kept under it: another one begins anew.
constexpr std::string_view version = "compiled 1";

void add(hasher& into, std::string_view part)
{
    into.add(std::to_string(part.size()) + ":");
    into.add(part);
}

void add_count(hasher& into, std::size_t count) { add(into, std::to_string(count)); }

/// Hashed by itself, since the hasher is in use for the whole.
std::vector<std::string> digests_of(const std::vector<placed_file>& files, hasher& sha256)
{
    std::vector<std::string> out;
    for (const auto& file : files) {
        sha256.add(file.content.view());
        out.push_back(sha256.finish());
    }
    return out;
}

}    // namespace

std::string compile_key(const compile_inputs& inputs, const std::string& tools, hasher& sha256)
{
    const auto digests = digests_of(inputs.files, sha256);
    for (const std::string_view part :
        {version, std::string_view(inputs.tenant.str()), std::string_view(inputs.language), std::string_view(inputs.runtime),
            std::string_view(inputs.image_digest), std::string_view(tools), std::string_view(inputs.directory)})
        add(sha256, part);
    add_count(sha256, inputs.argv.size());
    for (const auto& each : inputs.argv)
        add(sha256, each);
    add_count(sha256, inputs.env.size());
    for (const auto& [name, value] : inputs.env) {
        add(sha256, name);
        add(sha256, value);
    }
    add_count(sha256, inputs.files.size());
    for (std::size_t i = 0; i < inputs.files.size(); ++i) {
        add(sha256, inputs.files[i].path);
        add_count(sha256, inputs.files[i].mode);
        add(sha256, digests[i]);
    }
    return to_hex(sha256.finish());
}

}    // namespace caisson
