#include "adapters/crypto/sha256_hasher.hpp"
#include "app/backup/backup.hpp"
#include "app/backup/restore.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/verbs.hpp"
#include "storage/check/inspection.hpp"
#include "storage/sqlite/errors.hpp"

#include <unistd.h>

#include <chrono>
#include <system_error>

namespace caisson::cli {

namespace {

constexpr std::uint64_t bytes_worth_telling = 64 << 20;

std::string mib(std::uint64_t bytes)
{
    const auto tenths = (bytes * 10) >> 20;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

std::filesystem::path without_slash(const std::filesystem::path& given)
{
    auto path = std::filesystem::absolute(given).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

/// Reports a copy's progress on standard error, once a second, for large files only.
backup::progress told_now_and_then()
{
    auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    return [next](const std::string& file, std::uint64_t done, std::uint64_t total) mutable {
        if (total < bytes_worth_telling || std::chrono::steady_clock::now() < next)
            return;
        next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        complain(file + ": " + mib(done) + " of " + mib(total));
    };
}

std::string_view word_of(finding_weight weight)
{
    return weight == finding_weight::damage ? "damage" : weight == finding_weight::disagreement ? "wrong" : "note";
}

colour weight_colour(finding_weight weight) { return weight == finding_weight::note ? colour::grey : colour::red; }

void print_report(const inspection_report& report, const verb_context& context)
{
    if (!report.findings.empty()) {
        text_table table({"WEIGHT", "FILE", "WHAT"});
        for (const auto& each : report.findings)
            table.add({{std::string(word_of(each.weight)), weight_colour(each.weight)}, {each.file},
                {each.what + (each.remedy.empty() ? "" : ": " + each.remedy)}});
        print(table.str(context.colours));
    }
    if (report.is_clean())
        print(report.server_is_running ? "The databases are sound; a server runs on them.\n" : "The databases are sound.\n");
}

void print_report_json(const inspection_report& report)
{
    boost::json::array findings;
    for (const auto& each : report.findings)
        findings.push_back({{"weight", word_of(each.weight)}, {"file", each.file}, {"what", each.what}, {"remedy", each.remedy}});
    print_json({{"sound", report.is_clean()}, {"server_is_running", report.server_is_running}, {"findings", std::move(findings)}});
}

std::uint64_t all_bytes_of(const backup::manifest& made)
{
    std::uint64_t sum = 0;
    for (const auto& each : made.files)
        sum += each.bytes;
    return sum;
}

void say_without_end(const backup::manifest& made)
{
    if (!made.without_end.empty())
        complain(std::to_string(made.without_end.size()) + " ended executions have no whole log, " + made.without_end.front() +
                 " for example; `caisson db check` lists them");
}

}    // namespace

int run_verb(const db_check_options& options, const verb_context& context)
try {
    const inspection_progress told = [&options](const std::string& what) {
        if (!options.json && ::isatty(STDERR_FILENO) == 1)
            complain("checking " + what);
    };
    const auto report = inspect(without_slash(options.data_dir), told, options.deep ? &make_sha256_hasher : nullptr);
    if (options.json)
        print_report_json(report);
    else
        print_report(report, context);
    return report.is_clean() ? exit_status::ok : exit_status::failed;
} catch (const storage_error& failure) {
    complain(failure.what());
    return exit_status::usage;
}

int run_verb(const backup_options& options, const verb_context&)
{
    const auto target = without_slash(options.target);
    const auto made = backup::make_backup({without_slash(options.data_dir), target, options.force}, told_now_and_then());
    if (made.has_error())
        return complain(made.error(), exit_status::failed);
    say_without_end(made->made);
    print("made " + target.string() + " (" + mib(all_bytes_of(made->made)) + ")\n");
    return exit_status::ok;
}

int run_verb(const restore_options& options, const verb_context&)
{
    const auto waiting = options.requeue ? backup::waiting_executions::run_again : backup::waiting_executions::interrupt;
    const auto data_dir = without_slash(options.data_dir);
    const auto made = backup::restore({without_slash(options.source), data_dir, waiting}, told_now_and_then());
    if (made.has_error())
        return complain(made.error(), exit_status::failed);
    say_without_end(made->from);
    print("restored " + data_dir.string() + "; ended as interrupted: " + std::to_string(made->interrupted) +
          ", to run again: " + std::to_string(made->waiting) + "\n");
    return exit_status::ok;
}

}    // namespace caisson::cli
