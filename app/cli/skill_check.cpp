#include "app/cli/skill_check.hpp"

#include "adapters/archive/package_reader.hpp"
#include "adapters/schema/json_schema.hpp"
#include "adapters/yaml/yaml_reader.hpp"
#include "app/cli/text_table.hpp"
#include "core/skills/front_matter.hpp"
#include "core/skills/package_rules.hpp"

#include <boost/json/array.hpp>

#include <system_error>

namespace caisson::cli {

namespace {

constexpr std::size_t widest_finding = 1'000;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// True if `sentence` is about the key at `path`: it begins with the path, or quotes the key.
bool speaks_of(std::string_view sentence, const std::string& path, const std::string& key)
{
    if (sentence.starts_with("parse "))    // "parse timeout …": the contract's wording
        sentence.remove_prefix(6);
    if (sentence.starts_with(path) && (sentence.size() == path.size() || !is_word(sentence[path.size()])))
        return true;
    return sentence.find("\"" + key + "\"") != std::string_view::npos;
}

struct place {
    int line = 0;
    std::size_t length = 0;    // of the path; the longest match wins
};

void look(const yaml_value& at, const std::string& path, std::string_view sentence, place& best)
{
    for (const auto& member : at.items) {
        const auto name = path.empty() || member.key.empty() ? path + member.key : path + "." + member.key;
        if (!member.key.empty() && name.size() > best.length && speaks_of(sentence, name, member.key))
            best = {member.line, name.size()};
        look(member, name, sentence, best);
    }
}

void add(skill_report& to, bool is_mistake, const std::vector<std::string>& texts, std::string_view skill_md)
{
    for (const auto& text : texts)
        to.findings.push_back({is_mistake, text, line_of(text, skill_md)});
}

package_rules offline_rules()
{
    package_rules rules;
    rules.read_yaml = &read_yaml;
    rules.check_schema = &check_json_schema;
    return rules;
}

skill_report report_on(const package_index& index)
{
    skill_report report;
    report.files = index.entries.size();
    report.total_bytes = index.total_bytes;
    const auto skill_md = index.skill_md.value_or("");
    auto judged = judge_package(index, offline_rules());
    add(report, true, judged.mistakes, skill_md);
    add(report, false, judged.notes, skill_md);
    if (judged.mistakes.empty())
        report.manifest = std::move(judged.manifest);
    return report;
}

}    // namespace

int line_of(std::string_view sentence, std::string_view skill_md)
{
    const auto parts = split_skill_md(skill_md);
    if (parts.has_error())
        return 0;
    const auto yaml = read_yaml(parts->front_matter, parts->first_line);
    if (yaml.has_error())
        return 0;
    place best;
    look(*yaml, "", sentence, best);
    return best.line;
}

result<skill_report> check_skill(const std::filesystem::path& package)
try {
    const auto index = inspect_package(package, package_limits());
    if (index.has_value())
        return report_on(*index);
    skill_report report;
    const auto detail = index.error().detail;
    add(report, true, {detail.starts_with("invalid skill: ") ? detail.substr(15) : detail}, "");
    return report;
} catch (const std::system_error& failure) {
    return error{errc::not_found, package.string() + " cannot be read: " + failure.code().message()};
}

std::string report_text(const skill_report& report)
{
    std::string text;
    for (const auto& each : report.findings) {
        text += each.line > 0 ? "SKILL.md:" + std::to_string(each.line) + ": " : "";
        text += std::string(each.is_mistake ? "" : "note: ") + one_line(each.text, widest_finding) + "\n";
    }
    return text;
}

boost::json::object report_json(const skill_report& report)
{
    boost::json::array findings;
    for (const auto& each : report.findings) {
        boost::json::object object{{"weight", each.is_mistake ? "mistake" : "note"}, {"text", each.text}};
        if (each.line > 0)
            object["line"] = each.line;
        findings.push_back(std::move(object));
    }
    boost::json::object out{{"valid", report.is_clean()}};
    if (report.manifest) {
        out["name"] = report.manifest->name;
        out["version"] = report.manifest->version;
    }
    out["files"] = report.files;
    out["total_bytes"] = report.total_bytes;
    out["findings"] = std::move(findings);
    return out;
}

}    // namespace caisson::cli
