/// A SKILL.md of any content: it is a manifest within its bounds, or every mistake is a sentence. Schemas in it may be anything too.
#include "adapters/schema/json_schema.hpp"
#include "adapters/yaml/yaml_reader.hpp"
#include "core/base/utf8.hpp"
#include "core/skills/env_rules.hpp"
#include "core/skills/package_rules.hpp"
#include "core/skills/quantities.hpp"
#include "core/skills/version.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace caisson;

package_rules rules()
{
    package_rules all;
    all.read_yaml = &read_yaml;
    all.check_schema = &check_json_schema;
    return all;
}

void check_manifest(const skill_manifest& manifest, const package_rules& within)
{
    FUZZ_CHECK(parse_version(manifest.version).has_value());
    FUZZ_CHECK(manifest.name.size() <= 128 && manifest.name.find('/') == std::string::npos);
    FUZZ_CHECK(!manifest.timeout_ms || (*manifest.timeout_ms >= within.wall_ms.min && *manifest.timeout_ms <= within.wall_ms.max));
    FUZZ_CHECK(!manifest.memory_bytes || *manifest.memory_bytes >= within.memory_bytes.min);
    FUZZ_CHECK(!manifest.cpu_milli || *manifest.cpu_milli <= within.cpu_milli.max);
    FUZZ_CHECK(manifest.entrypoint.empty() || manifest.entrypoint == "main.py" || manifest.entrypoint == "main.sh");
    for (const auto& [name, value] : manifest.env)
        FUZZ_CHECK(is_env_name(name) && !is_refused_env(name));
    for (const auto* schema : {&manifest.input_schema, &manifest.output_schema})
        if (!schema->empty())
            static_cast<void>(check_json_schema(*schema, R"({"a":[1,"b",null]})"));
}

}    // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::input in(data, size);
    static const auto all = rules();
    package_index index;
    index.format = "zip";
    index.skill_md = std::string(in.rest());
    index.entries = {{"SKILL.md", 1, 0644}, {"main.py", 1, 0644}, {"main.sh", 1, 0755}};
    const auto checked = check_package(index, all);
    if (checked.has_error())
        FUZZ_CHECK(checked.error().detail.starts_with("invalid skill: ") && is_utf8(checked.error().detail));
    else
        check_manifest(checked->manifest, all);
    const auto duration = parse_duration(in.rest().substr(0, 64));
    if (duration.has_value())
        FUZZ_CHECK(parse_duration(duration_text(*duration)).value() == *duration);
    return 0;
}
