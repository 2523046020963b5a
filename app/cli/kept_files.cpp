#include "app/cli/kept_files.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace caisson::cli {

namespace {

constexpr std::size_t longest_name = 80;

const boost::json::array* list_of(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    return value != nullptr ? value->if_array() : nullptr;
}

const boost::json::object* artifacts_of(const boost::json::object& record)
{
    const auto* value = record.if_contains("artifacts");
    return value != nullptr ? value->if_object() : nullptr;
}

/// ": a, b and 3 more" of `all` files; empty if a name is too long for a sentence.
std::string named_files(const boost::json::object& record, std::int64_t all)
{
    std::string text;
    std::int64_t named = 0;
    const auto* list = list_of(record, "files_list");
    for (std::size_t i = 0; list != nullptr && i < std::min(list->size(), most_named); ++i) {
        const auto* name = (*list)[i].if_string();
        if (name == nullptr || name->size() > longest_name)
            return {};
        text += (text.empty() ? ": " : ", ") + std::string(*name);
        ++named;
    }
    return named == 0 || named >= all ? text : text + " and " + std::to_string(all - named) + " more";
}

}    // namespace

std::string count_and_size(std::size_t files, std::int64_t bytes)
{
    return std::to_string(files) + (files == 1 ? " file (" : " files (") + show_bytes(bytes) + ")";
}

std::string kept_files(const boost::json::object& record, const std::string& execution_id)
{
    const auto* kept = artifacts_of(record);
    const auto count = kept != nullptr ? number_of(*kept, "files") : 0;
    if (count <= 0)
        return {};
    return "kept " + count_and_size(static_cast<std::size_t>(count), number_of(*kept, "bytes")) + named_files(record, count) +
           "; to fetch: caisson artifacts get " + execution_id;
}

std::vector<std::string> trouble_with_files(const boost::json::object& record)
{
    std::vector<std::string> out;
    const auto* kept = artifacts_of(record);
    if (kept == nullptr)
        return out;
    if (const auto why = text_of(*kept, "error"); !why.empty())
        out.push_back("files were not collected: " + why);
    const auto* skipped = list_of(*kept, "skipped");
    std::int64_t named = 0;
    for (std::size_t i = 0; skipped != nullptr && i < std::min(skipped->size(), most_named); ++i, ++named)
        if (const auto* file = (*skipped)[i].if_object())
            out.push_back("left out: " + text_of(*file, "path") + ": " + text_of(*file, "reason"));
    if (const auto all = number_of(*kept, "skipped_files"); all > named && named > 0)
        out.push_back("left out: " + std::to_string(all - named) + " more");
    return out;
}

}    // namespace caisson::cli
