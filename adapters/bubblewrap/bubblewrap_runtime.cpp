#include "adapters/bubblewrap/bubblewrap_runtime.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/chroot.hpp"
#include "adapters/host/isolated_sandbox.hpp"
#include "adapters/host/seccomp_filter.hpp"
#include "adapters/host/small_file.hpp"
#include "core/async/deadline.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr const char* passwd = "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
                               "sandbox:x:1000:1000:sandbox:/workspace:/bin/sh\n"
                               "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
constexpr const char* group = "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n";
constexpr const char* hosts = "127.0.0.1 localhost sandbox\n::1 localhost\n";
constexpr const char* nsswitch = "passwd: files\ngroup: files\nhosts: files\n";

own_etc_files own_etc() { return {{"passwd", passwd}, {"group", group}, {"hosts", hosts}, {"nsswitch.conf", nsswitch}}; }

bool is_root() { return ::geteuid() == 0; }

/// True if any of `run_dirs` has a sandbox's directory.
bool has_sandboxes(const std::vector<std::string>& run_dirs)
{
    for (const auto& directory : run_dirs) {
        std::error_code failed;
        for (std::filesystem::directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed))
            if (sandbox_id::parse(each->path().filename().string()))
                return true;
    }
    return false;
}

/// The host pid of bwrap's child, from the output of --info-fd.
std::optional<pid_t> child_pid(std::string_view info)
try {
    return boost::json::parse(boost::json::string_view(info.data(), info.size())).at("child-pid").to_number<pid_t>();
} catch (const std::exception&) {
    return std::nullopt;
}

/// Adds to a failed start that this process is in a chroot, if that is the reason.
error explained(error failure)
{
    if (is_chroot(real_root_facts()))
        failure.detail = with_chroot_remedy(failure.detail);
    return failure;
}

std::optional<dev_t> device_of(const std::string& path)
{
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0)
        return std::nullopt;
    return about.st_dev;
}

/// True if everybody may execute the program at its path. Then its directory is mounted, which gives the program its own inode but shares
/// its pages. Otherwise each sandbox gets a copy.
bool may_be_shown(const std::filesystem::path& program)
{
    struct stat about{};
    struct stat place{};
    return program.is_absolute() && ::lstat(program.c_str(), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & 0555) == 0555 &&
           ::lstat(program.parent_path().c_str(), &place) == 0 && S_ISDIR(place.st_mode) && (place.st_mode & 0001) != 0;
}

/// CAP_NET_ADMIN in the host's user namespace. With bwrap the networks belong to the sandbox's user namespace.
bool may_set_up_networks()
{
    constexpr unsigned net_admin = 12;    // capabilities(7)
    const auto status = read_small_file("/proc/self/status").value_or("");
    const auto effective = status_value(status, "CapEff");
    return (std::strtoull(effective.c_str(), nullptr, 16) >> net_admin & 1U) != 0;
}

/// 0 without Landlock. Agents get the same version, since they run on the same kernel.
long landlock_version()
{
    constexpr unsigned ask_version = 1;
    return std::max(0L, ::syscall(SYS_landlock_create_ruleset, nullptr, 0, ask_version));
}

}    // namespace

/// Descriptors of a launch, all CLOEXEC; `table` has their numbers in bwrap and in the agent.
struct bubblewrap_runtime::inherited {
    std::vector<unique_fd> opened;
    descriptor_table table;
    bubblewrap_layout layout;
    std::vector<unique_fd> join;
    unique_fd info;    // read end

    /// Returns the number in the child, or -1 for an invalid `fd`.
    int add(unique_fd fd)
    {
        if (!fd)
            return -1;
        opened.push_back(std::move(fd));
        return table.add(opened.back().get());
    }
};

bubblewrap_runtime::bubblewrap_runtime(local_services services, bubblewrap_options options)
    : local_runtime("bubblewrap", services, options.local)
    , options_(std::move(options))
    , uids_(options_.uid_lock_dir, options_.first_uid, options_.last_uid)
    , seccomp_("seccomp", agent_filter())
    , host_(with_memory(real_host_files(), [this] { return this->services().time.steady_now(); }))
    , views_(viewable(real_host_files()))
    , public_(options_.local.data_dir + "/public", {.root = {}, .owner = 0, .digests = options_.digests}, own_etc(),
          has_sandboxes(options_.local.run_dirs))
    , shows_agent_(is_root() && may_be_shown(options_.local.agent_path))
    , made_by_launcher_(is_root() && may_set_up_networks() && options_.maker == namespace_maker::automatic &&
                        are_programs_viewed(views_, real_host_files()))
{
    agent_built_in_ =
        made_by_launcher_ && options_.local.launcher_has_agent && this->services().forks->keeps_program_apart(options_.local.launch_path);
    made_by_launcher_ = made_by_launcher_ && (agent_built_in_ || shows_agent_);
}

std::unique_ptr<local_sandbox> bubblewrap_runtime::make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory)
{
    return std::make_unique<isolated_sandbox>(services(), std::move(id), std::move(record), std::move(directory), live(), uids_);
}

result<void> bubblewrap_runtime::take_uid(local_sandbox& created)
{
    if (!is_root())
        return {};
    auto lease = uids_.acquire({options().instance, options().data_dir, created.id(), ""});
    if (lease.has_error())
        return lease.error();
    created.hold(std::move(*lease));
    return {};
}

/// Runs on a worker. Opens `files` and returns the request that uses them.
result<launch_request> bubblewrap_runtime::open_inherited(local_sandbox& created, inherited& files) const
{
    auto& layout = files.layout;
    // The agent's standard input is the uid's lock file, an empty file: the uid stays taken while the agent lives.
    unique_fd input(
        created.lease() ? ::fcntl(created.lease()->descriptor(), F_DUPFD_CLOEXEC, 0) : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
    bool complete = files.add(std::move(input)) == 0;
    complete = files.add(created.directory().open_log()) == 1 && files.add(created.directory().open_log()) == 2 && complete;
    layout.listen_fd = files.add(std::move(created.listener()));
    layout.seccomp_fd = files.add(seccomp_.reopen());
    const bool is_copied = !shows_agent_ && !agent_built_in_;
    if (is_copied)
        layout.agent_fd = files.add(unique_fd(::open(options().agent_path.c_str(), O_RDONLY | O_CLOEXEC)));
    if (agent_built_in_) {
        layout.network_fd = files.add(services().networks->take(services().time.steady_now()));
    } else {
        if (auto info = make_pipe()) {
            files.info = std::move(info->read);
            layout.info_fd = files.add(std::move(info->write));
        }
        complete = complete && layout.info_fd >= 0;
    }
    if (!complete || layout.listen_fd < 0 || layout.seccomp_fd < 0 || (layout.agent_fd < 0 && is_copied))
        return error{errc::runtime_unavailable, "the sandbox cannot be given its descriptors: " + std::string(std::strerror(errno))};
    const auto& groups = created.record().group;
    const bool begins_in_shared = agent_built_in_ && services().forks->has_home();    // then the fork server must start it
    auto join =
        begins_in_shared ? groups.whole().part(agent_part).open_for_join() : services().groups.open_for_agent(groups.part(agent_part));
    if (join.has_error())
        return join.error();
    files.join = std::move(*join);
    auto shown = public_.current(services().time.steady_now());
    if (shown.has_error())
        return shown.error();
    return request_for(created, files, *shown);
}

launch_request bubblewrap_runtime::request_for(
    const local_sandbox& created, const inherited& files, const std::filesystem::path& shown) const
{
    const auto& limits = created.record().limits;
    bubblewrap_layout layout = files.layout;
    layout.work_directory = created.record().work_directory;
    layout.work = "/tmp/work";    // the launcher makes these in a mount namespace of its own
    layout.tmp = "/tmp/tmp";
    layout.shm = "/tmp/shm";
    layout.tree = "/tmp/tree";
    layout.views = views_;
    layout.view = "/tmp/view";
    layout.proc = "/tmp/proc";
    if (is_root())
        layout.dev = "/tmp/dev";
    for (const auto& tree : created.trees())
        layout.trees.push_back(tree.place);
    for (const auto* root : {"etc", "var"})
        if (std::filesystem::exists(shown / root))
            layout.roots.emplace_back(root);
    const std::filesystem::path agent = options().agent_path;
    const bool shows_agent = shows_agent_ && !agent_built_in_;
    if (shows_agent)
        layout.agent = layout.tree + "/" + std::to_string(layout.trees.size() + layout.roots.size()) + "/" + agent.filename().string();
    // The launcher adds an inode for each tree's mount point; those of the agent and the top-level directories are not in the tmpfs.
    const auto spare_inodes = static_cast<std::int64_t>(layout.roots.size()) + (shows_agent ? 1 : 0);
    launch_request request{.launch_path = options().launch_path,
        .is_forked = options().launcher_has_agent,
        .tmpfs = launch_request::private_tmpfs{limits.disk_bytes, limits.inodes - spare_inodes},
        .views = views_,
        .uid = created.record().uid,
        .rlimits = baseline_rlimits(),
        .executable = options_.bwrap_path,
        .argv = made_by_launcher_ ? agent_arguments(layout) : bubblewrap_arguments(layout, host_),
        .environment = {},
        .descriptors = files.table};
    if (made_by_launcher_)
        request.sandbox = whole_of(layout);
    for (const auto& tree : created.trees())
        request.trees.push_back(tree.host_path);
    for (const auto& root : layout.roots)
        request.trees.push_back((shown / root).string());
    if (shows_agent)
        request.trees.push_back(agent.parent_path().string());
    for (const auto& fd : files.join)
        request.join.push_back(fd.get());
    return request;
}

whole_sandbox bubblewrap_runtime::whole_of(const bubblewrap_layout& layout) const
{
    whole_sandbox made{.work = layout.work_directory,
        .links = program_links(host_),
        .places = layout.trees,
        .roots = layout.roots,
        .agent = std::filesystem::path(layout.agent).filename().string(),
        .masks = masked_in_proc(host_),
        .hides = hidden_in_proc(host_),
        .seccomp = layout.seccomp_fd,
        .info = layout.info_fd,
        .network = layout.network_fd};
    return made;
}

task<result<void>> bubblewrap_runtime::start_local(local_sandbox* created)
{
    auto& box = *created;
    auto files = std::make_shared<inherited>();    // includes the listener: closed below, so that nothing listens once the agent is gone
    std::function<result<launch_request>()> make = [this, created, files] { return open_inherited(*created, *files); };
    std::function<void()> meanwhile = [created] { created->groups().make_wished(); };
    auto started = co_await launch(services().time, services().workers, *services().forks, std::move(make), std::move(meanwhile));
    files->opened.clear();
    if (started.has_error())
        co_return explained(started.error());
    if (agent_built_in_) {
        auto adopted = box.adopt_agent(std::move(*started));
        box.keep_network();
        co_return adopted;
    }
    box.adopt_monitor(std::move(*started));
    auto agent = co_await read_agent(std::move(files->info), &box.directory());
    if (agent.has_error())
        co_return explained(agent.error());
    co_return box.adopt_agent(std::move(*agent));
}

task<result<process_handle>> bubblewrap_runtime::read_agent(unique_fd info, const run_directory* directory)
{
    constexpr std::size_t longest = 4096;
    auto text = co_await with_deadline(services().time, services().time.steady_now() + 10s, read_until(std::move(info), '}', longest));
    if (text.has_error())
        co_return error{errc::timed_out, "bwrap did not make the sandbox in time"};
    const auto pid = child_pid(*text);
    auto agent = pid ? process_handle::open_running(*pid) : std::nullopt;
    if (agent)
        co_return std::move(*agent);
    const auto line = directory->first_log_line();
    co_return error{errc::runtime_unavailable, line.empty() ? "bwrap did not make the sandbox" : line};
}

std::optional<std::string> bubblewrap_runtime::missing() const
{
    auto no_bwrap = not_executable(options_.bwrap_path, "install bubblewrap 0.8 or newer (apt-get install bubblewrap)");
    if (no_bwrap && !made_by_launcher_)
        return no_bwrap;
    if (auto reason = not_executable(options().launch_path, "it belongs beside the server's executable"))
        return reason;
    if (auto reason = not_executable(options().agent_path, "it belongs beside the server's executable"))
        return reason;
    const auto enabled = [](const char* path) { return read_small_file(path).value_or("1\n") != "0\n"; };
    if (!enabled("/proc/sys/user/max_user_namespaces"))
        return "user namespaces are switched off: sysctl user.max_user_namespaces=15000";
    if (!is_root() && !enabled("/proc/sys/kernel/unprivileged_userns_clone"))
        return "ordinary users may not make user namespaces: sysctl kernel.unprivileged_userns_clone=1";
    if (!is_root() && read_small_file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1\n")
        return "AppArmor keeps ordinary users from user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    return std::nullopt;
}

result<void> bubblewrap_runtime::inspect(const local_sandbox& running, runtime_capabilities& found)
{
    const auto status = read_small_file("/proc/" + std::to_string(running.record().agent->pid) + "/status").value_or("");
    constexpr std::string_view none = "0000000000000000";
    const bool confined = status_value(status, "Seccomp") == "2" && status_value(status, "NoNewPrivs") == "1" &&
                          status_value(status, "CapEff") == none && status_value(status, "CapBnd") == none;
    if (!confined)
        return error{errc::runtime_unavailable,
            "a sandbox was made, but without its seccomp filter or with capabilities: use a kernel with CONFIG_SECCOMP_FILTER"};
    found.isolates = true;
    found.enforces_disk = running.disk().has_value();
    if (!found.enforces_disk)
        found.degraded.push_back(
            {"disk", "how full a sandbox is cannot be seen from outside", "let the server see its sandboxes' /proc/PID/root"});
    if (!is_root())
        found.degraded.push_back(
            {"host_uid", "sandboxes have the server's own host uid", "run the server as root: each sandbox then gets its own"});
    report_shared_inodes(running.record().agent->pid, found);
    if (landlock_version() == 0)
        found.degraded.push_back({"landlock", "this kernel has no Landlock, the second layer of file system rules",
            "use Linux 5.13 or newer with landlock in its lsm= list"});
    return {};
}

void bubblewrap_runtime::report_shared_inodes(pid_t agent, runtime_capabilities& found) const
{
    const auto root = "/proc/" + std::to_string(agent) + "/root";
    std::string shared;
    const std::pair<std::string, std::string> places[] = {
        {"/usr", "/usr"}, {"/etc", public_.folder()}, {"/var", public_.folder()}, {"/proc/sys", "/proc/sys"}, {"/dev/null", "/dev/null"}};
    for (const auto& [path, of_host] : places) {
        const auto host = device_of(of_host);
        if (host && device_of(root + path) == host)
            shared += (shared.empty() ? "" : ", ") + path;
    }
    if (!shared.empty())
        found.degraded.push_back({"host_inodes", "sandboxes can signal each other by file locks and watches on " + shared,
            is_root() ? "use Linux 5.11 or newer with overlayfs, and nothing mounted below /usr" : "run the server as root"});
}

}    // namespace caisson
