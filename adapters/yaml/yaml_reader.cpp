#include "adapters/yaml/yaml_reader.hpp"

#include "core/base/utf8.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

namespace caisson {

namespace {

constexpr std::size_t max_bytes = 64 << 10;
constexpr std::size_t max_depth = 32;
constexpr std::size_t max_nodes = 10'000;

/// Thrown to end the parsing; caught within this file.
struct refusal {
    std::string message;
};

std::string at_line(const YAML::Mark& mark, int first_line, const std::string& what)
{
    return mark.is_null() ? what : "line " + std::to_string(mark.line + first_line) + ": " + what;
}

/// Builds the tree from the parser's events, and refuses what could grow it beyond its text.
class tree_builder : public YAML::EventHandler {
public:
    explicit tree_builder(int first_line) : first_line_(first_line) { }

    void OnDocumentStart(const YAML::Mark& /*mark*/) override { }
    void OnDocumentEnd() override { }
    void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { add(mark, yaml_value{}); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { refuse(mark, "aliases (*name) are not allowed"); }
    void OnAnchor(const YAML::Mark& mark, const std::string& /*name*/) override { refuse(mark, "anchors (&name) are not allowed"); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/, const std::string& text) override
    {
        if (tag != "?" && tag != "!")
            refuse(mark, "tags (!!name) are not allowed");
        yaml_value value;
        value.type = yaml_value::kind::scalar;
        value.text = text;
        value.plain = tag == "?";
        add(mark, std::move(value));
    }
    void OnSequenceStart(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override
    {
        open(mark, tag, yaml_value::kind::list);
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override
    {
        open(mark, tag, yaml_value::kind::map);
    }
    void OnMapEnd() override { open_.pop_back(); }

    yaml_value take() { return std::move(root_); }

private:
    /// An unfinished list or map. The pointer stays valid: its parent gets no other member meanwhile.
    struct level {
        yaml_value* value;
        bool expects_value = false;    // for a map: its key has been read
    };

    [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const { throw refusal{at_line(mark, first_line_, what)}; }

    void open(const YAML::Mark& mark, const std::string& tag, yaml_value::kind type)
    {
        if (!tag.empty() && tag != "?" && tag != "!")
            refuse(mark, "tags (!!name) are not allowed");
        if (open_.size() == max_depth)
            refuse(mark, "more than " + std::to_string(max_depth) + " levels");
        yaml_value value;
        value.type = type;
        open_.push_back({add(mark, std::move(value))});
    }

    yaml_value* add(const YAML::Mark& mark, yaml_value value)
    {
        if (++nodes_ > max_nodes)
            refuse(mark, "more than " + std::to_string(max_nodes) + " values");
        value.line = mark.line + first_line_;
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        auto& parent = open_.back();
        if (parent.value->type == yaml_value::kind::list)
            return &parent.value->items.emplace_back(std::move(value));
        if (!parent.expects_value)
            return add_key(mark, parent, std::move(value));
        parent.expects_value = false;
        auto& slot = parent.value->items.back();
        value.key = std::move(slot.key);
        slot = std::move(value);
        return &slot;
    }

    yaml_value* add_key(const YAML::Mark& mark, level& parent, yaml_value key) const
    {
        if (key.type != yaml_value::kind::scalar)
            refuse(mark, "a key must be a text");
        auto& members = parent.value->items;
        if (std::ranges::find(members, key.text, &yaml_value::key) != members.end())
            refuse(mark, "mapping key \"" + key.text.substr(0, 100) + "\" already defined");
        parent.expects_value = true;
        auto& member = members.emplace_back();
        member.key = std::move(key.text);
        return &member;
    }

    int first_line_;
    yaml_value root_;
    std::vector<level> open_;
    std::size_t nodes_ = 0;
};

error wrong(std::string message) { return {errc::bad_request, to_valid_utf8(message)}; }

}    // namespace

result<yaml_value> read_yaml(std::string_view text, int first_line)
{
    if (text.size() > max_bytes)
        return wrong("is " + std::to_string(text.size()) + " bytes; at most " + std::to_string(max_bytes) + " are read");
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos)
        return wrong("is not UTF-8 text");
    std::istringstream stream{std::string(text)};
    tree_builder builder(first_line);
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        return builder.take();
    } catch (const refusal& reason) {
        return wrong(reason.message);
    } catch (const YAML::Exception& problem) {
        return wrong(at_line(problem.mark, first_line, problem.msg));
    }
}

}    // namespace caisson
