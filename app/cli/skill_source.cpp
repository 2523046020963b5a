#include "app/cli/skill_source.hpp"

#include "app/cli/kept_files.hpp"
#include "app/cli/verbs.hpp"

#include <system_error>

namespace caisson::cli {

namespace fs = std::filesystem;

namespace {

/// Prints `what` and the first names in `all`; nothing if `all` is empty.
void say(const std::string& what, const std::vector<std::string>& all)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i)
        text += (text.empty() ? "" : ", ") + all[i];
    if (!all.empty())
        complain(what + ": " + text + (all.size() > most_named ? " and " + std::to_string(all.size() - most_named) + " more" : ""));
}

}    // namespace

result<skill_source> skill_source::open(const fs::path& named)
{
    std::error_code failure;
    const auto status = fs::status(named, failure);
    skill_source out;
    if (fs::is_directory(status)) {
        auto packed = temporary_package::of(named);
        if (packed.has_error())
            return packed.error();
        out.packed_.emplace(std::move(*packed));
        return out;
    }
    if (!fs::is_regular_file(status))
        return error{errc::not_found, named.string() + (fs::exists(status) ? " is neither a file nor a folder" : " is not there")};
    out.file_ = named;
    return out;
}

void skill_source::say_left_out() const
{
    if (!packed_)
        return;
    say("left out", packed_->what().left_out);
    say("left out, as such files hold secrets", packed_->what().secrets);
}

void complain_of(const skill_report& report)
{
    auto text = report_text(report);
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
        complain(text.substr(0, end));
}

}    // namespace caisson::cli
