#include "app/cli/thread_views.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/views.hpp"
#include "core/threads/json_members.hpp"

#include <algorithm>

namespace caisson::cli {

namespace json = boost::json;

namespace {

/// "  step 3  plan  #tag" from a checkpoint's metadata.
std::string metadata_text(const json::object& item)
{
    const auto* metadata = item.if_contains("metadata");
    if (metadata == nullptr || !metadata->is_object())
        return {};
    const auto& said = metadata->get_object();
    std::string text;
    if (said.contains("step"))
        text += "  step " + std::to_string(number_of(said, "step"));
    if (const auto node = text_of(said, "node_id"); !node.empty())
        text += "  " + node;
    if (const auto* tags = said.if_contains("tags"); tags != nullptr && tags->is_array())
        for (const auto& tag : tags->get_array())
            if (tag.is_string())
                text += "  #" + std::string(tag.get_string());
    return text;
}

std::string notes_of(const json::object& item)
{
    std::string text;
    if (const auto of = text_of(item, "rollback_of"); !of.empty())
        text += "  (back to " + of + ")";
    if (const auto gap = number_of(item, "gap"); gap > 0)
        text += "  (" + std::to_string(gap) + " dropped before it)";
    const auto* pinned = item.if_contains("pinned");
    return pinned != nullptr && pinned->is_bool() && pinned->get_bool() ? text + "  (pinned)" : text;
}

/// Open lanes to older checkpoints, by the id that each leads to.
class lanes {
public:
    std::size_t place(const std::string& id)
    {
        const auto found = std::ranges::find(waits_, id);
        if (found == waits_.end()) {
            waits_.push_back(id);
            return waits_.size() - 1;
        }
        return static_cast<std::size_t>(found - waits_.begin());
    }
    /// Another lane to the right of `first` with the same target; size() if there is none.
    std::size_t twin(std::size_t first) const
    {
        const auto found = std::find(waits_.begin() + static_cast<std::ptrdiff_t>(first) + 1, waits_.end(), waits_[first]);
        return static_cast<std::size_t>(found - waits_.begin());
    }
    std::size_t size() const { return waits_.size(); }
    void close(std::size_t which) { waits_.erase(waits_.begin() + static_cast<std::ptrdiff_t>(which)); }
    void lead(std::size_t which, const std::string& to) { waits_[which] = to; }

private:
    std::vector<std::string> waits_;
};

/// "| |_|/": lane `from` joins lane `to`, which is to its left.
std::string joining(std::size_t to, std::size_t from, std::size_t all)
{
    std::string text;
    for (std::size_t i = 0; i < all; ++i) {
        if (i == from)
            text += "/ ";
        else
            text += i + 1 == from ? "|" : i >= to && i < from ? "|_" : "| ";
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string item_line(std::size_t at, std::size_t all)
{
    std::string text;
    for (std::size_t i = 0; i < all; ++i)
        text += i == at ? "* " : "| ";
    return text;
}

/// One operation of a patch: "~ /a  1".
std::string step_line(const json_members& step, bool colours)
{
    const auto op = step.text("op").value_or("");
    const auto how = op == "add" ? colour::green : op == "remove" ? colour::red : colour::yellow;
    const char sign = op == "add" ? '+' : op == "remove" ? '-' : '~';
    const auto path = step.text("path").value_or("");
    auto line = std::string(1, sign) + " " + (path.empty() ? "(the whole state)" : path);
    if (const auto value = step.raw("value"))
        line.append("  ").append(*value);
    return coloured(one_line(line, 2'000), how, colours) + "\n";
}

}    // namespace

std::vector<drawn_line> draw_tree(const std::vector<tree_item>& items)
{
    std::vector<drawn_line> lines;
    lanes open;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto at = open.place(items[i].id);
        for (auto twin = open.twin(at); twin < open.size(); twin = open.twin(at)) {
            lines.push_back({joining(at, twin, open.size()), i, false});
            open.close(twin);
        }
        lines.push_back({item_line(at, open.size()), i, true});
        if (items[i].parent.empty())
            open.close(at);
        else
            open.lead(at, items[i].parent);
    }
    return lines;
}

std::string threads_table(const json::array& items, std::int64_t now_ms, bool colours, std::size_t columns)
{
    text_table table({"THREAD", "CHECKPOINTS", "LATEST", "UPDATED", "BRANCHED FROM"});
    for (const auto& each : items) {
        if (!each.is_object())
            continue;
        const auto& item = each.get_object();
        const auto* source = item.if_contains("branched_from");
        const auto from = source != nullptr && source->is_object()
                              ? text_of(source->get_object(), "thread") + " " + text_of(source->get_object(), "checkpoint_id")
                              : std::string();
        table.add({{one_line(text_of(item, "thread"), 200)}, {std::to_string(number_of(item, "checkpoints"))},
            {one_line(text_of(item, "latest_id"), 128)}, {age_text(text_of(item, "updated_at"), now_ms)}, {one_line(from, 330)}});
    }
    table.fit(columns, {"UPDATED", "CHECKPOINTS"});
    return table.str(colours);
}

std::string thread_log(const json::array& items, std::int64_t now_ms, bool colours)
{
    std::vector<tree_item> tree;
    for (const auto& each : items)
        if (each.is_object())
            tree.push_back({text_of(each.get_object(), "id"), text_of(each.get_object(), "parent_id")});
    std::string text;
    for (const auto& line : draw_tree(tree)) {
        text += coloured(line.drawing, colour::grey, colours);
        if (line.is_item) {
            const auto& item = items[line.item].as_object();
            text += coloured(one_line(text_of(item, "id"), 128), colour::yellow, colours);
            text += "  " + age_text(text_of(item, "created_at"), now_ms) + "  " + show_bytes(number_of(item, "size_bytes"));
            text += one_line(metadata_text(item) + notes_of(item), 400);
        }
        text += "\n";
    }
    return text;
}

std::string patch_text(std::string_view patch, bool colours)
{
    std::string text;
    const text_index steps(patch);
    auto at = steps.size(0) == 0 ? 0 : steps.first(0);
    for (std::size_t left = steps.size(0); left > 0; --left) {
        text += step_line(json_members(steps.text(at)), colours);
        if (left > 1)
            at = steps.next(at);
    }
    return text;
}

}    // namespace caisson::cli
