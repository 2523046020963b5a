#include "adapters/crypto/digest.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"
#include "app/cli/views.hpp"
#include "core/async/timers.hpp"
#include "core/auth/auth_service.hpp"
#include "storage/storage.hpp"

#include <boost/asio/co_spawn.hpp>

namespace caisson::cli {

namespace {

/// The keys of a data directory; a server may run on it meanwhile.
class key_office {
public:
    explicit key_office(const std::filesystem::path& data_dir)
        : store_(storage::open(data_dir, {.access = storage_access::tool, .readers = 1}))
    {
    }

    auth_service& auth() { return auth_; }
    std::int64_t now_ms() const { return time_.now_ms(); }

    template <class T>
    result<T> run(task<result<T>> work)
    {
        std::optional<result<T>> value;
        auto keep = [](task<result<T>> inner, std::optional<result<T>>* out) -> task<> { out->emplace(co_await std::move(inner)); };
        std::exception_ptr failure;
        asio::co_spawn(io_, keep(std::move(work), &value), [&failure](std::exception_ptr thrown) { failure = std::move(thrown); });
        io_.run();
        io_.restart();
        if (failure)
            std::rethrow_exception(failure);
        return std::move(value).value();
    }

private:
    system_clock time_;
    asio::io_context io_{1};
    std::unique_ptr<storage> store_;
    auth_service auth_{store_->keys(), time_, &sha256_hex};
};

bool has_data(const std::filesystem::path& data_dir)
{
    if (std::filesystem::exists(data_dir))
        return true;
    complain("there is no data directory " + data_dir.string() + "; say where it is with --data");
    return false;
}

std::vector<scope> scopes_from(const std::vector<std::string>& names)
{
    std::vector<scope> scopes;
    for (const auto& name : names)
        if (const auto wanted = scope_from(name); wanted && std::ranges::find(scopes, *wanted) == scopes.end())
            scopes.push_back(*wanted);
    return scopes;
}

void print_issued(const issued_key& issued, const std::filesystem::path& data_dir, output_format format)
{
    if (format == output_format::json) {
        auto object = keys_json(std::span(&issued.row, 1)).at(0);
        object.as_object()["key"] = issued.text.reveal();
        print_json(object);
        return;
    }
    print(std::string(issued.text.reveal()) + "\n");
    complain("made " + issued.row.id.str() + " for tenant " + issued.row.tenant_name + " of the server in " + data_dir.string() +
             "; its text is shown only this once");
}

}    // namespace

int run_verb(const key_create_options& options, const verb_context&)
{
    key_office office(options.client.data_dir);
    std::optional<std::int64_t> expires_at_ms;
    if (options.expires_in_ms)
        expires_at_ms = office.now_ms() + *options.expires_in_ms;
    const auto issued = office.run(office.auth().create_key(options.tenant, scopes_from(options.scopes), expires_at_ms));
    if (issued.has_error())
        return complain(error{issued.error().code, issued.error().detail}, exit_status::failed);
    print_issued(*issued, options.client.data_dir, options.client.output);
    return exit_status::ok;
}

int run_verb(const key_list_options& options, const verb_context& context)
{
    if (!has_data(options.client.data_dir))
        return exit_status::failed;
    key_office office(options.client.data_dir);
    const auto keys = office.run(office.auth().list_keys(options.tenant));
    if (keys.has_error())
        return complain(keys.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(keys_json(*keys));
    else
        print(keys_table(*keys, office.now_ms(), context.colours));
    return exit_status::ok;
}

int run_verb(const key_revoke_options& options, const verb_context&)
{
    const auto id = key_id::parse(options.id);
    if (!id) {
        complain("\"" + options.id + "\" is not the id of a key (key_…); caisson key ls shows them");
        return exit_status::usage;
    }
    if (!has_data(options.client.data_dir))
        return exit_status::failed;
    key_office office(options.client.data_dir);
    const auto revoked = office.run(office.auth().revoke_key(*id));
    if (revoked.has_error())
        return complain(revoked.error(), exit_status::failed);
    return exit_status::ok;
}

}    // namespace caisson::cli
