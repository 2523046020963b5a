#include "core/skills/manifest.hpp"

#include "core/base/plain_json.hpp"
#include "core/skills/env_rules.hpp"
#include "core/skills/field_reader.hpp"
#include "core/skills/manifest_retry.hpp"
#include "core/skills/quantities.hpp"
#include "core/skills/version.hpp"
#include "core/skills/yaml_json.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t max_name_bytes = 128;
constexpr const char* no_version = "0.0.0";
constexpr std::size_t max_description_bytes = 4'096;
constexpr std::size_t max_image_bytes = 256;
constexpr std::size_t max_arguments = 64;
constexpr std::size_t max_argument_bytes = 4'096;
constexpr std::size_t max_variables = 64;
constexpr std::size_t max_variable_bytes = 32 << 10;
constexpr std::size_t max_patterns = 64;
constexpr std::size_t max_pattern_bytes = 512;
constexpr std::size_t max_patterns_bytes = 4'096;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_name(std::string_view text)
{
    const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
    return text.size() <= max_name_bytes && is_letter_or_digit(text.front()) && std::ranges::all_of(text, allowed);
}

/// Reads a front matter, one function for each part.
class manifest_reader {
public:
    manifest_reader(const yaml_value& root, const package_rules& rules) : fields_(root, "", out_.mistakes), rules_(rules) { }

    read_manifest_result read()
    {
        read_identity();
        read_lang();
        read_image();
        read_timeout();
        read_resources();
        read_program();
        read_env();
        read_network();
        read_retries();
        out_.manifest.input_schema = schema("inputs");
        out_.manifest.output_schema = schema("outputs");
        read_artifacts();
        read_runtime();
        note_unknown();
        return std::move(out_);
    }

private:
    void mistake(std::string sentence) { fields_.mistake(std::move(sentence)); }

    void read_identity()
    {
        auto& manifest = out_.manifest;
        manifest.name = fields_.text("name");
        if (manifest.name.empty())
            mistake("name is required");
        else if (!is_name(manifest.name))
            mistake("name " + in_quotes(manifest.name) +
                    " contains invalid characters (use letters, digits, '.', '_' and '-', the first a " +
                    "letter or a digit; at most 128)");
        manifest.version = fields_.text("version");
        if (manifest.version.empty())
            manifest.version = no_version;
        else if (!parse_version(manifest.version))
            mistake("version " + in_quotes(manifest.version) + " must be semver (MAJOR.MINOR.PATCH)");
        manifest.description = fields_.text("description");
        if (manifest.description.empty())
            mistake("description is required");
        else if (manifest.description.size() > max_description_bytes)
            mistake("description must be at most " + std::to_string(max_description_bytes) + " bytes long");
    }

    void read_lang()
    {
        auto& lang = out_.manifest.lang = fields_.text("lang");
        if (!lang.empty() && default_image(lang).empty())
            mistake("lang " + in_quotes(lang) + " is not supported (use python, node, or bash)");
        auto& mode = out_.manifest.mode = fields_.text("mode");
        if (!mode.empty() && mode != "executable" && mode != "cognitive")
            mistake("mode " + in_quotes(mode) + " is not supported (use executable or cognitive)");
    }

    void read_image()
    {
        auto& image = out_.manifest.image = fields_.text("image");
        if (image.size() > max_image_bytes)
            mistake("image must be at most " + std::to_string(max_image_bytes) + " bytes long");
    }

    void read_timeout()
    {
        out_.manifest.timeout_text = fields_.text("timeout");
        out_.manifest.timeout_ms = fields_.milliseconds("timeout", rules_.wall_ms.min, rules_.wall_ms.max);
    }

    void read_resources()
    {
        const auto* map = fields_.map("resources");
        if (map == nullptr)
            return;
        field_reader resources(*map, "resources.", out_.mistakes);
        auto& manifest = out_.manifest;
        manifest.memory_text = resources.text("memory");
        manifest.cpu_text = resources.text("cpu");
        if (resources.find("memory") != nullptr)
            manifest.memory_bytes =
                within(parse_memory(manifest.memory_text), rules_.memory_bytes, "memory " + in_quotes(manifest.memory_text), memory_text);
        if (resources.find("cpu") != nullptr)
            manifest.cpu_milli =
                within(parse_cpu_milli(manifest.cpu_text), rules_.cpu_milli, "cpu " + in_quotes(manifest.cpu_text), cpu_text);
        note(resources.unknown({"memory", "cpu"}));
    }

    static std::string cpu_text(std::int64_t milli)
    {
        auto text = std::to_string(milli / 1'000);
        if (const auto rest = milli % 1'000; rest != 0)
            text += "." + std::to_string(1'000 + rest).substr(1);
        return text.find('.') == std::string::npos ? text : text.substr(0, text.find_last_not_of('0') + 1);
    }

    template <class Show>
    std::optional<std::int64_t> within(const result<std::int64_t>& value, const limit_range& range, const std::string& said, Show show)
    {
        if (value.has_error())
            mistake("resources." + value.error().detail);
        else if (*value < range.min || *value > range.max)
            mistake("resources." + said + " must be between " + show(range.min) + " and " + show(range.max));
        else
            return *value;
        return std::nullopt;
    }

    void read_program()
    {
        out_.manifest.entrypoint = fields_.text("entrypoint");
        out_.manifest.command = fields_.texts("command", max_arguments, max_argument_bytes);
        if (!out_.manifest.entrypoint.empty() && !out_.manifest.command.empty())
            mistake("entrypoint and command cannot both be said");
    }

    void read_env()
    {
        const auto* map = fields_.map("env");
        if (map == nullptr)
            return;
        field_reader values(*map, "env.", out_.mistakes);
        std::size_t bytes = 0;
        for (const auto& each : map->items) {
            if (is_refused_env(each.key))
                mistake("env var " + in_quotes(each.key) + " is not allowed");
            else if (!is_env_name(each.key))
                mistake("the name of env var " + in_quotes(each.key) +
                        " must be letters, digits and '_', the first no digit; at most 128 of them");
            auto value = values.text(each.key);
            bytes += each.key.size() + value.size();
            out_.manifest.env.emplace(each.key, std::move(value));
        }
        if (out_.manifest.env.size() > max_variables || bytes > max_variable_bytes)
            mistake("env must have at most " + std::to_string(max_variables) + " variables of " + std::to_string(max_variable_bytes) +
                    " bytes together");
    }

    /// `network` is a string, or a map with `mode`.
    void read_network()
    {
        const auto* value = fields_.find("network");
        if (value == nullptr)
            return;
        const auto* mode = value->type == yaml_value::kind::map ? field_reader(*value, "", out_.mistakes).find("mode") : value;
        if (mode == nullptr || mode->type != yaml_value::kind::scalar || mode->text != "none")
            mistake("network must be \"none\": skills run without a network");
    }

    void read_retries()
    {
        out_.manifest.idempotent = fields_.flag("idempotent").value_or(false);
        const auto* map = fields_.map("retry");
        if (map == nullptr)
            return;
        field_reader retry(*map, "retry.", out_.mistakes);
        out_.manifest.retry = read_retry(retry);
        note(retry.unknown(retry_keys));
        const bool repeats_lost = std::ranges::count(out_.manifest.retry->faults, attempt_fault::agent_lost) > 0;
        if (repeats_lost && !out_.manifest.idempotent)
            mistake("retry.on agent_lost needs idempotent: true, since the program may have started");
    }

    /// The member as JSON text, checked to be a JSON Schema.
    std::string schema(std::string_view key)
    {
        const auto* value = fields_.map(key);
        if (value == nullptr)
            return {};
        auto text = plain_json(json_of(*value));
        if (rules_.check_schema == nullptr)
            return text;
        const auto checked = rules_.check_schema(text, "null");
        if (checked.has_error())
            mistake(std::string(key) + " is no JSON Schema: " + checked.error().detail);
        return text;
    }

    static bool is_pattern(std::string_view text)
    {
        const auto inner = "/" + std::string(text) + "/";
        return !text.starts_with('/') && text.find('\\') == std::string_view::npos && inner.find("/../") == std::string::npos &&
               inner.find("/./") == std::string::npos && inner.find("//") == std::string::npos;
    }

    void read_artifacts()
    {
        out_.manifest.artifacts = fields_.texts("artifacts", max_patterns, max_pattern_bytes);
        std::size_t bytes = 0;
        for (const auto& each : out_.manifest.artifacts)
            bytes += each.size();
        if (bytes > max_patterns_bytes)
            mistake("artifacts must not have more than " + std::to_string(max_patterns_bytes) + " bytes in all its patterns together");
        for (const auto& each : out_.manifest.artifacts)
            if (!is_pattern(each))
                mistake("artifacts " + in_quotes(each) + " must be a relative pattern without \"..\", \".\", \"\\\" and empty names");
    }

    void read_runtime()
    {
        auto& runtime = out_.manifest.runtime = fields_.text("runtime");
        if (runtime.empty() || rules_.runtimes.empty() || std::ranges::find(rules_.runtimes, runtime) != rules_.runtimes.end())
            return;
        std::string names;
        for (const auto& each : rules_.runtimes)
            names.append(names.empty() ? "" : ", ").append(each);
        mistake("runtime " + in_quotes(runtime) + " is not enabled on this server (there are: " + names + ")");
    }

    /// The last row has the informational fields of the Agent Skills format (agentskills.io/specification).
    void note_unknown()
    {
        note(fields_.unknown({"name", "version", "description", "lang", "image", "timeout", "resources", "mode", "entrypoint", "command",
            "env", "network", "retry", "idempotent", "inputs", "outputs", "artifacts", "runtime",    //
            "license", "compatibility", "metadata", "allowed-tools"}));
    }

    void note(const std::vector<std::string>& unknown)
    {
        for (const auto& each : unknown)
            out_.notes.push_back(in_quotes(each) + " is not a known field of SKILL.md and has no effect");
    }

    read_manifest_result out_;
    field_reader fields_;
    const package_rules& rules_;
};

}    // namespace

read_manifest_result read_manifest(const yaml_value& root, const package_rules& rules) { return manifest_reader(root, rules).read(); }

}    // namespace caisson
