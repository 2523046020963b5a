#include "app/compile/kept_results.hpp"

#include "app/compile/compiled_entry.hpp"
#include "app/compile/entry_files.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"
#include "core/async/without_exceptions.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace caisson {

namespace fs = std::filesystem;

namespace {

/// Free space that the cache leaves for the databases.
constexpr std::int64_t kept_free_bytes = 64 << 20;
/// Limit on results in memory that wait to be written, in units of the largest result.
constexpr std::int64_t most_waiting = 2;
/// Limit on the delay of a compilation by a slow disk or a cold scan of the host's tools.
constexpr std::chrono::seconds find_within{2};

/// Lowers the limit per tenant to the total, and that per result to that per tenant.
compile_cache_bounds in_order(compile_cache_bounds bounds)
{
    bounds.most_bytes_of_tenant = std::min(bounds.most_bytes_of_tenant, bounds.most_bytes);
    bounds.most_entry_bytes = std::min(bounds.most_entry_bytes, bounds.most_bytes_of_tenant);
    return bounds;
}

std::int64_t bytes_of(const compiled_result& result)
{
    auto sum = static_cast<std::int64_t>(result.output.size());
    for (const auto& each : result.files)
        sum += static_cast<std::int64_t>(each.path.size() + each.content.size());
    return sum;
}

/// Allowance for the header, names and paths in a file.
constexpr std::int64_t file_overhead = 1 << 20;

}    // namespace

struct kept_results::question {
    explicit question(io_executor executor) : told(executor) { }
    notifier told;
    bool done = false;
    answer what;
};

namespace {

task<> wait_until_told(notifier* told, const bool* done)
{
    while (!*done) {
        const auto seen = told->version();
        co_await told->wait_past(seen);
    }
}

}    // namespace

struct kept_results::job {
    compile_inputs inputs;
    std::string key;
    compiled_result result;
    std::int64_t bytes = 0;
};

kept_results::kept_results(kept_results_services use, kept_results_options options)
    : use_(use)
    , options_(std::move(options))
    , bounds_(in_order(options_.bounds))
    , top_(options_.directory / options_.boot)
    , index_(bounds_)
    , tasks_(use_.executor, use_.log)
{
}

fs::path kept_results::place_of(const tenant_id& tenant, const std::string& key) const { return entry_place(top_, tenant, key); }

task<> kept_results::prepare()
{
    if (bounds_.most_bytes <= 0 || options_.boot.empty())
        co_return;
    std::vector<entry_index::entry> gone;
    try {
        auto look = [top = options_.directory, boot = options_.boot] { return find_entries(top, boot); };
        const auto found = co_await offload(use_.work, std::move(look));
        for (const auto& each : found)
            std::ranges::move(index_.add(each.tenant, each.key, each.bytes), std::back_inserter(gone));
        ready_ = true;
    } catch (const std::system_error& e) {
        note_trouble(e.what());
    }
    if (!gone.empty())
        tasks_.spawn("removal of compiled code", remove(std::move(gone)));
}

task<> kept_results::look_ahead()
{
    if (!is_on())
        co_return;
    auto look = [tools = &use_.tools, now = use_.time.steady_now()] { return tools->state("/", now); };
    const auto state = co_await offload(use_.work, std::move(look));
    static_cast<void>(state);
}

task<std::string> kept_results::key_of(compile_inputs inputs)
{
    auto work = [inputs = std::move(inputs), now = use_.time.steady_now(), tools = &use_.tools, make = use_.make_hasher] {
        const auto hasher = make();
        return compile_key(inputs, inputs.image_digest.empty() ? tools->state(inputs.argv.front(), now) : std::string(), *hasher);
    };
    return offload(use_.work, std::move(work));
}

task<compile_cache::answer> kept_results::find(compile_inputs inputs)
{
    if (!is_on() || inputs.argv.empty())
        co_return answer();
    const auto asked = std::make_shared<question>(use_.executor);
    tasks_.spawn("look for compiled code", answer_to(asked, std::move(inputs)));
    auto waiting = wait_until_told(&asked->told, &asked->done);
    const auto in_time = co_await with_deadline(use_.time, use_.time.steady_now() + find_within, std::move(waiting));
    if (in_time.has_value())
        co_return std::move(asked->what);
    note_trouble("it could not be looked up in time");
    co_return answer();
}

task<> kept_results::answer_to(std::shared_ptr<question> asked, compile_inputs inputs)
{
    auto asking = without_exceptions(ask(std::move(inputs)));
    auto found = co_await std::move(asking);
    if (found.has_value())
        asked->what = std::move(*found);
    else
        note_trouble(found.error().detail);
    asked->done = true;
    asked->told.notify_all();
}

/// Returns no error, but may throw.
task<result<compile_cache::answer>> kept_results::ask(compile_inputs inputs)
{
    answer out;
    const auto tenant = inputs.tenant;
    out.key = co_await key_of(std::move(inputs));
    if (index_.use(tenant, out.key))
        out.found = co_await read(tenant, out.key);
    co_return out;
}

/// Null if the file is missing or damaged, which also uncaches it.
task<std::shared_ptr<const compiled_result>> kept_results::read(tenant_id tenant, std::string key)
{
    auto work = [tenant, key, place = place_of(tenant, key), most = bounds_.most_entry_bytes + file_overhead,
                    make = use_.make_hasher]() -> std::shared_ptr<const compiled_result> {
        auto bytes = read_entry(place, most);
        if (!bytes)
            return nullptr;
        const auto hasher = make();
        auto result = unpack_entry(tenant, key, shared_bytes(std::move(*bytes)), *hasher);
        return result ? std::make_shared<const compiled_result>(std::move(*result)) : nullptr;
    };
    auto found = co_await offload(use_.work, std::move(work));
    if (!found && index_.contains(tenant, key)) {
        use_.log.warning("what was compiled before cannot be used any more; it is compiled anew", {{"key", key}});
        index_.erase(tenant, key);
        std::vector<entry_index::entry> gone{{tenant, key}};
        co_await remove(std::move(gone));
    }
    co_return found;
}

void kept_results::keep(compile_inputs inputs, std::string key, compiled_result result)
{
    const auto bytes = bytes_of(result);
    const bool fits = is_on() && bytes <= bounds_.most_entry_bytes && storing_bytes_ + bytes <= most_waiting * bounds_.most_entry_bytes;
    if (!fits || !storing_.emplace(inputs.tenant, key).second)
        return;
    storing_bytes_ += bytes;
    auto what = std::make_shared<job>(job{std::move(inputs), std::move(key), std::move(result), bytes});
    tasks_.spawn("keeping compiled code", store(std::move(what)));
}

/// Drops the result if the key, and so the host's tools, have changed.
task<> kept_results::store(std::shared_ptr<job> what)
{
    const std::shared_ptr<void> done(nullptr, [this, what](void*) {
        storing_.erase({what->inputs.tenant, what->key});
        storing_bytes_ -= what->bytes;
    });
    const auto tenant = what->inputs.tenant;
    const auto key = co_await key_of(what->inputs);
    if (key != what->key)
        co_return;
    auto work = [what, place = place_of(tenant, key), staging = top_ / ("new-" + std::to_string(++next_staging_)),
                    make = use_.make_hasher]() -> result<std::int64_t> {
        if (free_bytes_at(staging.parent_path()) < kept_free_bytes + what->bytes)
            return error{errc::runtime_unavailable, "the disk is nearly full"};
        const auto hasher = make();
        const auto bytes = pack_entry(what->inputs.tenant, what->key, what->result, *hasher);
        const auto written = write_entry(place, staging, bytes);
        if (written.has_error())
            return written.error();
        return static_cast<std::int64_t>(bytes.size());
    };
    const auto bytes = co_await offload(use_.work, std::move(work));
    if (bytes.has_error()) {
        note_trouble(bytes.error().detail);
        co_return;
    }
    in_trouble_ = false;
    co_await remove(index_.add(tenant, key, *bytes));
}

task<> kept_results::remove(std::vector<entry_index::entry> gone)
{
    if (gone.empty())
        co_return;
    std::vector<fs::path> places;
    for (const auto& each : gone)
        places.push_back(place_of(each.tenant, each.key));
    auto work = [places = std::move(places)] { std::ranges::for_each(places, &remove_entry); };
    co_await offload(use_.work, std::move(work));
}

/// Logs a warning, once until the cache works again.
void kept_results::note_trouble(const std::string& what)
{
    if (!std::exchange(in_trouble_, true))
        use_.log.warning("compiled code cannot be kept; executions are not affected", {{"what", what}});
}

}    // namespace caisson
