#include "app/config/checks.hpp"

#include "adapters/net/address_range.hpp"
#include "adapters/net/origin.hpp"
#include "core/exec/skill/skill_images.hpp"
#include "core/images/name_rules.hpp"
#include "core/languages/languages.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

namespace caisson {

namespace {

constexpr std::string_view process_key = "runtimes.process.i_know_this_runs_code_without_isolation";
constexpr std::string_view mock_key = "runtimes.mock.enabled_for_tests";

constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

bool is_runtime(std::string_view name)
{
    constexpr std::array<std::string_view, 5> known{"bubblewrap", "docker", "gvisor", "process", "mock"};
    return std::ranges::find(known, name) != known.end();
}

class checker {
public:
    checker(draft_config& draft, const setting_places& places, std::vector<field_problem>& mistakes)
        : draft_(draft), places_(places), mistakes_(mistakes)
    {
    }

    void check()
    {
        if (draft_.config.data_dir.empty())
            report({}, "data_dir: set it, since neither XDG_STATE_HOME nor HOME says where it could be");
        check_enabled();
        check_default();
        check_limits();
        check_uids();
        check_tls();
        check_public_url();
        check_origins();
        check_proxies();
        check_images();
        check_engine();
        check_fallback();
    }

private:
    /// The place where the first of `keys` that is set was last set, or "default".
    std::string place_of(std::initializer_list<std::string> keys) const
    {
        for (const auto& key : keys)
            if (const auto found = places_.find(key); found != places_.end())
                return found->second;
        return "default";
    }

    void report(std::initializer_list<std::string> keys, std::string message) { mistakes_.push_back({place_of(keys), std::move(message)}); }

    bool enabled(const std::string& name) const { return std::ranges::count(draft_.config.runtimes, name) > 0; }

    void check_enabled()
    {
        auto& runtimes = draft_.config.runtimes;
        runtimes.clear();
        for (const auto& name : draft_.enabled_runtimes) {
            if (name == "process" && !draft_.process_without_isolation)
                report({"runtimes.enabled"},
                    "runtimes.enabled: \"process\" does not isolate; it is switched on only by " + std::string(process_key) + " = true");
            else if (name == "mock" && !draft_.mock_for_tests)
                report({"runtimes.enabled"},
                    "runtimes.enabled: \"mock\" runs nothing; it is switched on only by " + std::string(mock_key) + " = true");
            else if (!is_runtime(name))
                report({"runtimes.enabled"},
                    "runtimes.enabled: there is no runtime \"" + name + "\"; there are bubblewrap, docker, gvisor, process and mock");
            else if (!enabled(name))
                runtimes.push_back(name);
        }
        if (draft_.process_without_isolation && !enabled("process"))
            runtimes.emplace_back("process");
        if (draft_.mock_for_tests && !enabled("mock"))
            runtimes.emplace_back("mock");
    }

    void check_default()
    {
        const std::string name = draft_.default_runtime == "auto" ? "bubblewrap" : draft_.default_runtime;
        draft_.config.default_runtime = name;
        if (name == "mock")
            report({"runtimes.default"}, "runtimes.default: \"mock\" is never a default; a request has to name it");
        else if (!enabled(name))
            report({"runtimes.default", "runtimes.enabled"}, "runtimes.default: \"" + name + "\" is not an enabled runtime");
    }

    void check_range(const std::string& name, const limit_range& range)
    {
        const std::string key = "limits." + name;
        const bool follows = range.def == 0;
        if (range.min <= range.max && (follows || (range.min <= range.def && range.def <= range.max)))
            return;
        report({key + ".default", key + ".max", key + ".min"}, key + ": min " + std::to_string(range.min) + ", default " +
                                                                   std::to_string(range.def) + ", max " + std::to_string(range.max) +
                                                                   " must be in this order");
    }

    /// An execution that may request more would have to wait until nothing else runs.
    void check_memory()
    {
        const auto all = draft_.config.executions.max_memory_bytes;
        const auto& [memory, disk] = std::tie(draft_.config.limits.memory_bytes, draft_.config.limits.disk_bytes);
        if (all > 0 && memory.max > all - std::min(all, disk.max))
            report({"limits.memory_bytes.max", "limits.disk_bytes.max", "executions.max_memory_bytes"},
                "limits.memory_bytes.max " + std::to_string(memory.max) + " and limits.disk_bytes.max " + std::to_string(disk.max) +
                    ", which lies in memory, must not be above executions.max_memory_bytes " + std::to_string(all) + " together");
    }

    void check_limits()
    {
        const auto& limits = draft_.config.limits;
        check_range("wall_ms", limits.wall_ms);
        check_range("cpu_ms", limits.cpu_ms);
        check_range("compile_wall_ms", draft_.config.compile.wall_ms);
        check_range("compile_cpu_ms", draft_.config.compile.cpu_ms);
        check_range("memory_bytes", limits.memory_bytes);
        check_memory();
        check_range("cpu_milli", limits.cpu_milli);
        check_range("pids", limits.pids);
        check_range("disk_bytes", limits.disk_bytes);
        check_range("inodes", limits.inodes);
        check_range("file_bytes", limits.file_bytes);
        check_range("open_files", limits.open_files);
        check_range("stack_bytes", limits.stack_bytes);
        check_range("max_output_bytes", limits.max_output_bytes);
    }

    void check_uids()
    {
        constexpr std::int64_t last_uid = 4'294'967'293;    // -1 means "no change" to setresuid(2), and -2 is often "nobody"
        const auto& range = draft_.config.bubblewrap;
        if (range.uid_first + range.uid_count - 1 > last_uid)
            report({"runtimes.bubblewrap.uid_first", "runtimes.bubblewrap.uid_count"},
                "runtimes.bubblewrap: uid_first + uid_count is beyond the last user id " + std::to_string(last_uid));
    }

    void check_tls()
    {
        const auto& tls = draft_.config.http.tls;
        if (tls.certificate.empty() != tls.key.empty())
            report({"http.tls.certificate", "http.tls.key"}, "http.tls: certificate and key go together; only one of them is set");
    }

    void check_public_url()
    {
        const std::string_view url = draft_.config.http.public_url;
        const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
        const bool is_plain = url.find_first_of(" \t\r\n?#\"\\") == std::string_view::npos && !url.ends_with('/');
        if (!url.empty() && (!has_scheme || !is_plain || !net::origin_of(url)))
            report({"http.public_url"}, "http.public_url: \"" + std::string(url) +
                                            "\" is not like https://caisson.example or https://host/prefix; a name of other letters than "
                                            "ASCII is written as xn--…");
    }

    void check_origins()
    {
        const auto& origins = draft_.config.http.allowed_origins;
        check_count("http.allowed_origins", origins);
        for (const auto& each : origins)
            if (!net::canonical_origin(each))
                report({"http.allowed_origins"},
                    "http.allowed_origins: \"" + each +
                        "\" is no origin such as https://app.example or http://localhost:3000: a scheme, a host and "
                        "perhaps a port, no path and no *");
    }

    void check_proxies()
    {
        const auto& proxies = draft_.config.http.trusted_proxies;
        check_count("http.trusted_proxies", proxies);
        for (const auto& each : proxies)
            if (!net::address_range::parse(each))
                report({"http.trusted_proxies"},
                    "http.trusted_proxies: \"" + each + "\" is no address such as 10.0.0.7 or ::1, and no network such as 10.0.0.0/8");
    }

    void check_count(const std::string& key, const std::vector<std::string>& list)
    {
        constexpr std::size_t most = 256;
        if (list.size() > most)
            report({key}, key + ": must have at most " + std::to_string(most) + " items, not " + std::to_string(list.size()));
    }

    /// Each of `lines` must have text on both sides of a "=".
    void check_pairs(const std::string& key, const std::vector<std::string>& lines, const std::string& form)
    {
        for (const auto& line : lines)
            if (const auto equals = line.find('='); equals == std::string::npos || equals == 0 || equals + 1 == line.size())
                report({key}, key + ": \"" + line + "\" is not " + form);
    }

    void check_images()
    {
        const auto& images = draft_.config.images;
        check_pairs("images.host", images.host, "IMAGE=PROGRAM");
        check_pairs("images.languages", images.languages, "LANGUAGE=IMAGE");
        check_pairs("images.interpreters", images.interpreters, "IMAGE=PROGRAM");
        for (const auto& line : images.languages)
            if (const auto name = line.substr(0, line.find('=')); find_language(name) == nullptr)
                report({"images.languages"}, "images.languages: there is no language \"" + name + "\"");
        check_names("images.allowed", images.allowed);
        check_names("images.ensure", images.ensure);
        for (const auto& [name, login] : images.credentials)
            if (login.username.empty() || login.password_file.empty())
                report({"images.credentials." + name + ".username", "images.credentials." + name + ".password_file"},
                    "images.credentials." + name + ": username and password_file go together; only one of them is set");
    }

    void check_names(const std::string& key, const std::vector<std::string>& names)
    {
        for (const auto& each : names)
            if (const auto problem = image_name_problem(each); !problem.empty())
                report({key}, key + ": \"" + each + "\" " + problem);
    }

    void check_engine()
    {
        const auto& docker = draft_.config.docker;
        const std::string_view engine = docker.engine;
        const bool is_socket = engine.starts_with("unix:///");
        if (!is_socket && !(engine.starts_with("tcp://") && engine.size() > 6))
            report({"docker.engine"}, "docker.engine: \"" + docker.engine + "\" is neither unix:///PATH nor tcp://HOST:PORT");
        if (docker.certificate_file.empty() != docker.key_file.empty())
            report({"docker.certificate_file", "docker.key_file"},
                "docker: certificate_file and key_file go together; only one of them is set");
        if (docker.link == "socket" && !is_socket)
            report(
                {"docker.link", "docker.engine"}, "docker.link: \"socket\" needs an engine of this host (docker.engine = \"unix:///…\")");
        if (draft_.config.gvisor.link == "socket")
            report({"gvisor.link"}, "gvisor.link: gVisor lets no program connect to a socket of the host; \"stdio\" is possible");
        if (docker.name_prefix.empty() || docker.name_prefix.find_first_not_of(name_characters) != std::string::npos)
            report({"docker.name_prefix"}, "docker.name_prefix: must be of letters, digits, '.', '_' and '-', and not empty");
        check_user(docker.user);
    }

    void check_user(const std::string& user)
    {
        const auto colon = user.find(':');
        const auto is_number = [](std::string_view text) {
            return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
        };
        const auto uid = std::string_view(user).substr(0, colon);
        if (colon == std::string::npos || !is_number(uid) || !is_number(std::string_view(user).substr(colon + 1)))
            report({"docker.user"}, "docker.user: \"" + user + "\" is not UID:GID, two numbers");
        else if (uid.find_first_not_of('0') == std::string_view::npos)
            report({"docker.user"}, "docker.user: programs are never run as root");
    }

    void check_fallback()
    {
        const auto& config = draft_.config;
        for (const auto& name : config.fallback) {
            if (name == "process" || name == "mock")
                report({"executions.fallback"}, "executions.fallback: \"" + name + "\" is never a fallback; a request has to name it");
            else if (!enabled(name))
                report({"executions.fallback"}, "executions.fallback: \"" + name + "\" is not an enabled runtime");
            else if (has_images(name) && !has_images(config.default_runtime))
                report({"executions.fallback"},
                    "executions.fallback: \"" + name + "\" needs an image, and " + config.default_runtime + ", the default, has none");
        }
    }

    draft_config& draft_;
    const setting_places& places_;
    std::vector<field_problem>& mistakes_;
};

}    // namespace

void check_config(draft_config& draft, const setting_places& places, std::vector<field_problem>& mistakes)
{
    checker(draft, places, mistakes).check();
}

}    // namespace caisson
