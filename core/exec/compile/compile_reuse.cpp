#include "core/async/both.hpp"
#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/exec/agent_process.hpp"
#include "core/exec/collect/collect_command.hpp"
#include "core/exec/compile/compile_capture.hpp"
#include "core/exec/compile/compile_order.hpp"
#include "core/exec/compile/compile_stage.hpp"
#include "core/languages/languages.hpp"

#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

/// Keeps what a compiler made, and uses what the same compilation made before. The server reads it out of the sandbox before the program
/// starts, while it records the report, so programs cannot change it. See docs/internals/executions.md.
namespace caisson {

namespace {

using namespace std::chrono_literals;

/// The agent ends a capture after capture_time; the server waits a little longer. The program's start waits for it.
constexpr auto capture_time = 1s;
constexpr auto capture_backstop = 500ms;
constexpr std::uint64_t capture_memory_bytes = 64 << 20;
constexpr std::uint64_t capture_open_files = 256;
constexpr std::int64_t most_captured_files = 1'000;

const std::string below_build = std::string(protocol::build_directory) + "/";

/// A collector that reads a part of the files, and what it sent.
struct capture_run {
    compile_capture sink;
    agent_process process;

    capture_run(const std::shared_ptr<execution>& exec, protocol::exec_number number, const collect_spec& what, std::int64_t most_bytes)
        : sink(what, most_bytes, acknowledging(exec->link(), number), waking(exec)), process(exec->link(), number, sink)
    {
    }
    /// Ends it, and gives what it sent; nothing if that is not whole.
    std::optional<std::vector<placed_file>> take()
    {
        if (!sink.ended())
            process.signal(SIGKILL, protocol::agent_link::target::group);
        process.forget();
        return sink.take();
    }
};

using captures = std::vector<std::unique_ptr<capture_run>>;

bool all_have_ended(const captures& all)
{
    return std::ranges::all_of(all, [](const auto& each) { return each->sink.ended(); });
}

std::int64_t bytes_of(const std::vector<placed_file>& files)
{
    std::int64_t sum = 0;
    for (const auto& each : files)
        sum += static_cast<std::int64_t>(each.path.size() + each.content.size());
    return sum;
}

/// Bytes in whole pages, as a tmpfs counts them.
std::int64_t room_for(const std::vector<placed_file>& files)
{
    constexpr std::int64_t page = 4096;
    std::int64_t sum = 0;
    for (const auto& each : files)
        sum += (static_cast<std::int64_t>(each.content.size()) + page - 1) / page * page;
    return sum;
}

/// Whether the limits allow the files beside the inputs, as they would have for the compiler.
bool fits(const std::vector<placed_file>& files, const std::vector<placed_file>& inputs, const execution_limits& limits)
{
    const auto is_small = [&](const placed_file& each) { return static_cast<std::int64_t>(each.content.size()) <= limits.file_bytes; };
    return room_for(files) + room_for(inputs) <= limits.disk_bytes &&
           static_cast<std::int64_t>(files.size() + inputs.size()) <= limits.inodes / 2 && std::ranges::all_of(files, is_small);
}

/// A part of the working directory that one collector reads.
struct capture_part {
    std::string root;
    collect_spec what;    // patterns below the root; `output` is one file of the build directory
    std::string into;     // before the paths that it sends: the working directory's
    std::string meant;    // the pattern, below the working directory
    bool has_build;       // all of the build directory is a part of it
};

/// A collector leaves out a build directory at its top, but for one file. A program of more files needs a second collector.
std::vector<capture_part> parts_of(const std::string& language, const std::string& work)
{
    const auto* known = find_language(language);
    const auto program = known == nullptr || known->compile == nullptr ? std::string_view() : known->compile->made;
    if (!program.empty())
        return {{work, {.patterns = {"**"}, .output = below_build + std::string(program)}, "", "**", false}};
    return {{work + "/" + std::string(protocol::build_directory), {.patterns = {"**"}}, below_build, below_build + "**", true},
        {work, {.patterns = {"**"}}, "", "**", false}};
}

/// The files that are new or changed, with paths from the working directory on.
std::optional<std::vector<placed_file>> changed_in(
    const capture_part& part, std::optional<std::vector<placed_file>> files, const std::vector<placed_file>& inputs)
{
    if (!files)
        return std::nullopt;
    for (auto& each : *files)
        each.path.insert(0, part.into);
    const auto is_in_part = [&](const placed_file& each) { return part.has_build || !each.path.starts_with(below_build); };
    std::vector<placed_file> there;
    std::ranges::copy_if(inputs, std::back_inserter(there), is_in_part);
    return changed_files(std::move(*files), there, {part.meant});
}

task<bool> then_true(task<> work)
{
    co_await std::move(work);
    co_return true;
}

}    // namespace

/// Takes the files from the spec: the compiler and the program share them.
compile_order compile_stage::order_of(execution& exec) const
{
    compile_order order;
    order.request = compile_request_for(exec);
    auto& inputs = order.inputs;
    inputs.tenant = exec.row.tenant;
    inputs.language = exec.spec.language;
    inputs.runtime = exec.row.runtime;
    inputs.image_digest = exec.sandbox()->image_digest();
    inputs.argv = order.request.argv;
    inputs.env = order.request.env;
    inputs.directory = order.request.cwd;
    inputs.files.push_back({std::string(protocol::build_directory), S_IFDIR | 0755, {}});
    for (auto* files : {&exec.spec.files, &exec.spec.compile->files})
        for (auto& file : std::exchange(*files, {}))
            inputs.files.push_back({std::move(file.path), file.mode, std::move(file.content)});
    return order;
}

/// Not in an earlier server's sandbox, where a compiler may have left half a result. Not without isolation, where programs reach each
/// other's files and directories differ.
bool compile_stage::may_keep_compiled(const execution& exec, const compile_inputs& inputs) const
{
    const auto& where = *use_.sources.find(exec.row.runtime);
    const bool is_known = !where.traits().has_images || !inputs.image_digest.empty();
    return use_.compiled != nullptr && !exec.current.taken_up && where.traits().isolates && is_known &&
           bytes_of(inputs.files) <= use_.compiled->most_bytes();
}

/// True if nothing has to be compiled: the row has the report, and the files come into the sandbox with the program.
task<bool> compile_stage::use_compiled(execution_ptr exec, std::shared_ptr<compile_order> order)
{
    if (!may_keep_compiled(*exec, order->inputs))
        co_return false;
    const auto began = use_.time.steady_now();
    auto finding = use_.compiled->find(order->inputs);
    auto answer = co_await std::move(finding);
    order->key = std::move(answer.key);
    if (!answer.found || !fits(answer.found->files, order->inputs.files, exec->spec.limits))
        co_return false;
    exec->current.placed = std::move(order->inputs.files);
    exec->current.placed.insert(exec->current.placed.end(), answer.found->files.begin(), answer.found->files.end());
    auto& report = exec->row.compile.emplace();
    report.exit_code = 0;
    report.output = answer.found->output;
    report.output_truncated = answer.found->output_truncated;
    report.cached = true;
    report.cpu_ms = 0;
    report.wall_ms = std::chrono::round<std::chrono::milliseconds>(use_.time.steady_now() - began).count();
    if (exec->current.lease.group)
        exec->current.before_program = exec->current.lease.group->usage();
    report.cpu_before_us = exec->current.before_program.cpu_us.value_or(0);
    co_return true;
}

/// Records the report of a compiler that ended well, and reads what it made meanwhile, if that is to be kept.
task<> compile_stage::record_compiled(execution_ptr exec, std::shared_ptr<compile_order> order)
{
    if (!order->is_plain || order->key.empty())
        co_return co_await recorder_.store_compile_report(exec);
    auto storing = then_true(recorder_.store_compile_report(exec));
    auto capturing = capture_compiled(exec, order);
    auto done = co_await both(std::move(storing), std::move(capturing));
    auto& files = done.second;
    auto& report = *exec->row.compile;
    if (exec->current.lease.group)    // where a sandbox has one group, the readers count in it too
        exec->current.before_program = exec->current.lease.group->usage();
    report.cpu_before_us = exec->current.before_program.cpu_us.value_or(0);
    if (files && bytes_of(*files) <= use_.compiled->most_bytes())
        use_.compiled->keep(std::move(order->inputs), order->key, {report.output, report.output_truncated, std::move(*files)});
    order->inputs = {};
}

/// Reads what the compiler made. Nothing: not in time, or not all of it can be put back.
task<std::optional<std::vector<placed_file>>> compile_stage::capture_compiled(execution_ptr exec, std::shared_ptr<compile_order> order)
{
    const auto parts = parts_of(exec->spec.language, exec->sandbox()->work_directory());
    const auto most = use_.compiled->most_bytes() + bytes_of(order->inputs.files);
    captures all;
    for (const auto& part : parts) {
        const auto number = exec->current.lease.home->numbers().next();
        const auto& each = all.emplace_back(std::make_unique<capture_run>(exec, number, part.what, most));
        each->process.start(capture_request(*exec, part.root, part.what, most));
    }
    const auto is_over = [&all](const execution& of) { return all_have_ended(all) || of.cancel_wanted() || !of.heard.lost.empty(); };
    auto waiting = wait_until(exec, is_over);
    const auto ended = co_await with_deadline(use_.time, use_.time.steady_now() + capture_time + capture_backstop, std::move(waiting));
    if (ended.has_error())
        use_.log.debug("what a compiler made could not be read in time; it is not kept", {{"execution_id", exec->row.id.str()}});
    std::vector<std::optional<std::vector<placed_file>>> taken;
    for (const auto& each : all)
        taken.push_back(each->take());
    std::vector<placed_file> made;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto changed = changed_in(parts[i], std::move(taken[i]), order->inputs.files);
        if (!changed)
            co_return std::nullopt;
        std::ranges::move(*changed, std::back_inserter(made));
    }
    co_return made;
}

/// The agent's own program, outside of the group, as for kept files.
protocol::spawn_request compile_stage::capture_request(
    const execution& exec, const std::string& directory, collect_spec what, std::int64_t most_bytes) const
{
    what.max_files = most_captured_files;
    what.max_bytes = what.max_file_bytes = what.max_output_bytes = most_bytes;
    protocol::spawn_request request;
    request.argv = collect_command(what, directory);
    request.cwd = "/";
    request.wall_ms = static_cast<std::uint64_t>(std::chrono::milliseconds(capture_time).count());
    request.rlimits = {{RLIMIT_CORE, 1}, {RLIMIT_FSIZE, 0}, {RLIMIT_NOFILE, capture_open_files}, {RLIMIT_DATA, capture_memory_bytes},
        {RLIMIT_CPU, static_cast<std::uint64_t>(capture_time / 1s) + 1}};
    request.seccomp_filter = use_.sources.filter_on(*use_.sources.find(exec.row.runtime));
    return request;
}

}    // namespace caisson
