// skill new, lint and pack; they need no server.

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/skill_scaffold.hpp"
#include "app/cli/skill_source.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/verbs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace caisson::cli {

namespace fs = std::filesystem;

namespace {

std::string name_of(const skill_report& report)
{
    return report.manifest ? report.manifest->name + "-" + report.manifest->version : std::string("skill");
}

std::string size_of_report(const skill_report& report)
{
    return std::to_string(report.files) + (report.files == 1 ? " file, " : " files, ") + show_bytes(report.total_bytes);
}

/// True if `target` is in `folder` or below it: the folder's next package would then contain this one.
bool is_within(const fs::path& target, const fs::path& folder)
{
    std::error_code failure;
    const auto place = fs::weakly_canonical(fs::absolute(target).parent_path(), failure);
    const auto whole = fs::canonical(folder, failure);
    return !failure && std::ranges::mismatch(whole, place).in1 == whole.end();
}

/// Puts the package at its final name. Errors: errc::conflict if that exists, unless `force`; errc::bad_request.
result<void> put(const fs::path& packed, const fs::path& target, bool force)
{
    const auto partial = target.string() + ".partial";
    std::error_code failure;
    fs::copy_file(packed, partial, fs::copy_options::overwrite_existing, failure);
    fs::permissions(partial, fs::perms(0644), failure);
    if (!failure && force)
        fs::rename(partial, target, failure);
    else if (!failure && ::link(partial.c_str(), target.c_str()) != 0)
        failure = std::error_code(errno, std::generic_category());
    if (!force || failure)
        ::unlink(partial.c_str());
    if (failure == std::errc::file_exists)
        return error{errc::conflict, target.string() + " is there already; --force replaces it"};
    if (failure)
        return error{errc::bad_request, target.string() + " cannot be written: " + failure.message()};
    return {};
}

}    // namespace

int run_verb(const skill_new_options& options, const verb_context&)
{
    auto folder = fs::absolute(options.folder).lexically_normal();
    if (!folder.has_filename())
        folder = folder.parent_path();
    const auto made = write_scaffold(folder, options.lang);
    if (made.has_error())
        return complain(made.error(), exit_status::failed);
    print("made " + folder.string() + "; SKILL.md says what it takes, `caisson skill push " + options.folder.string() + "` uploads it\n");
    return exit_status::ok;
}

int run_verb(const skill_lint_options& options, const verb_context&)
{
    auto source = skill_source::open(options.source);
    if (source.has_error())
        return complain(source.error(), source.error().code == errc::not_found ? exit_status::usage : exit_status::failed);
    const auto report = check_skill(source->package());
    if (report.has_error())
        return complain(report.error(), exit_status::usage);
    if (options.json) {
        print_json(report_json(*report));
    } else {
        print(report_text(*report));
        if (report->is_clean())
            print(report->manifest->name + " " + report->manifest->version + ": " + size_of_report(*report) + "; nothing is wrong\n");
    }
    return report->is_clean() ? exit_status::ok : exit_status::failed;
}

int run_verb(const skill_pack_options& options, const verb_context&)
{
    if (!fs::is_directory(options.source)) {
        complain(options.source.string() + " is not a folder");
        return exit_status::usage;
    }
    auto source = skill_source::open(options.source);
    if (source.has_error())
        return complain(source.error(), exit_status::failed);
    source->say_left_out();
    const auto report = check_skill(source->package());
    if (report.has_error())
        return complain(report.error(), exit_status::failed);
    if (!report->is_clean()) {
        complain_of(*report);
        return exit_status::failed;
    }
    const auto target = options.target.value_or(fs::path(name_of(*report) + ".zip"));
    if (is_within(target, options.source)) {
        complain(target.string() + " would lie in the folder that is packed; name another place: -o ../" + target.filename().string());
        return exit_status::usage;
    }
    const auto done = put(source->package(), target, options.force);
    if (done.has_error())
        return complain(done.error(), exit_status::failed);
    print("made " + target.string() + " (" + size_of_report(*report) + "; " + show_bytes(source->packed()->size_bytes) +
          " packed, sha256 " + source->packed()->sha256 + ")\n");
    return exit_status::ok;
}

}    // namespace caisson::cli
