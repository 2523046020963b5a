#include "app/cli/artifact_fetch.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "adapters/net/percent.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/file_in_folder.hpp"
#include "app/cli/kept_files.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/terminal.hpp"

#include <unistd.h>

namespace caisson::cli {

namespace {

std::string route_of(const std::string& id) { return "/v1/executions/" + id + "/artifacts"; }

/// Keeps the slashes: each name is a segment of the path.
std::string address_of(const std::string& id, const std::string& path)
{
    std::string encoded;
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        encoded += "/" + net::percent_encode(path.substr(at, end - at));
        at = end + 1;
    }
    return route_of(id) + encoded;
}

error not_whole(const std::string& path) { return {errc::bad_request, path + " is not what its digest says; fetch it again"}; }

/// Refuses unsafe paths, and existing files unless `force`.
result<void> check_names(const std::vector<artifact>& all, const target_folder& folder, bool force)
{
    std::vector<std::string> there;
    for (const auto& each : all) {
        if (const auto wrong = path_problem(each.path); !wrong.empty())
            return error{errc::bad_request, "the server names a file \"" + each.path + "\", which " + wrong + "; nothing was fetched"};
        if (!force && folder.has(each.path))
            there.push_back(each.path);
    }
    if (there.empty())
        return {};
    std::string names;
    for (std::size_t i = 0; i < std::min(there.size(), most_named); ++i)
        names += (names.empty() ? "" : ", ") + there[i];
    const auto more = there.size() > most_named ? " and " + std::to_string(there.size() - most_named) + " more" : std::string();
    return error{errc::conflict, names + more + " is there already; --force replaces it, another folder keeps both"};
}

/// The file that receives a body, and the digest of the body.
struct hashed_file {
    target_folder::file* to;
    std::unique_ptr<hasher> hash = make_sha256_hasher();
};

task<result<void>> take_piece(hashed_file* into, shared_bytes piece)
{
    into->hash->add(piece.view());
    co_return into->to->write(piece.view());
}

/// The progress line, and its text before the size.
struct shown_as {
    progress_line* line;
    std::string what;
};

/// Fetches into an open file and finishes it.
task<result<void>> fetch(client_session* session, std::string id, artifact what, target_folder::file* to, bool force, shown_as shown)
{
    hashed_file into{to};
    const auto take = [&into](shared_bytes piece) { return take_piece(&into, std::move(piece)); };
    const auto total = static_cast<std::uint64_t>(what.size_bytes);
    const auto told = [&shown, total](std::uint64_t done) { shown.line->show_bytes(shown.what, done, total); };
    auto done = co_await session->api().download(address_of(id, what.path), take, told);
    if (done.has_error())
        co_return done;
    if (!what.sha256.empty() && to_hex(into.hash->finish()) != what.sha256)
        co_return not_whole(what.path);
    co_return to->finish(force);
}

task<result<void>> fetch_below(
    client_session* session, std::string id, artifact what, const target_folder* folder, bool force, shown_as shown)
{
    auto file = folder->begin(what.path, what.mode);
    if (file.has_error())
        co_return file.error();
    auto done = co_await fetch(session, std::move(id), std::move(what), &*file, force, std::move(shown));
    co_return done;
}

/// Fetches `all` into the open `folder`. Without `force` none of them exists there.
task<result<fetched>> fetch_all(
    client_session* session, std::string id, std::vector<artifact> all, const target_folder* folder, bool force, bool quiet)
{
    progress_line line(quiet);
    fetched out;
    for (const auto& each : all) {
        const auto place = all.size() == 1 ? std::string() : std::to_string(out.files + 1) + " of " + std::to_string(all.size()) + ", ";
        shown_as shown{&line, "caisson: fetching " + place + each.path};
        auto done = co_await fetch_below(session, id, each, folder, force, std::move(shown));
        if (done.has_error())
            co_return done.error();
        ++out.files;
        out.bytes += each.size_bytes;
    }
    co_return out;
}

task<result<void>> write_piece(descriptor_writer* out, shared_bytes piece)
{
    const bool written = co_await out->write(std::string(piece.view()));
    if (!written)
        co_return error{errc::cancelled, "nobody reads standard output any more"};
    co_return result<void>();
}

task<result<void>> fetch_to_output(client_session* session, std::string id, std::string path)
{
    descriptor_writer out(STDOUT_FILENO);
    const auto take = [&out](shared_bytes piece) { return write_piece(&out, std::move(piece)); };
    auto work = session->api().download(address_of(id, path), take, nullptr);
    co_return co_await std::move(work);
}

}    // namespace

artifact artifact_of(const boost::json::object& item)
{
    artifact out{text_of(item, "path"), 0, text_of(item, "sha256"), 0644};
    if (const auto* size = item.if_contains("size_bytes"); size != nullptr && size->is_int64())
        out.size_bytes = size->get_int64();
    if (const auto mode = text_of(item, "mode"); !mode.empty())
        out.mode = static_cast<std::uint32_t>(std::strtoul(mode.c_str(), nullptr, 8)) & 0777U;
    return out;
}

task<result<boost::json::array>> list_artifacts(api_client* api, std::string execution_id)
{
    boost::json::array items;
    std::string cursor;
    do {
        const auto query = "?limit=200" + (cursor.empty() ? std::string() : "&cursor=" + net::percent_encode(cursor));
        auto page = co_await api->get(route_of(execution_id) + query);
        if (page.has_error())
            co_return page.error();
        const auto* object = page->if_object();
        const auto* found = object != nullptr ? object->if_contains("items") : nullptr;
        if (found == nullptr || !found->is_array())
            co_return error{errc::bad_request, "the server's list cannot be read"};
        items.insert(items.end(), found->get_array().begin(), found->get_array().end());
        cursor = found->get_array().empty() ? "" : text_of(*object, "next_cursor");
    } while (!cursor.empty());
    co_return items;
}

task<result<fetched>> fetch_artifacts(
    client_session* session, std::string execution_id, std::filesystem::path folder, bool force, bool quiet)
{
    auto items = co_await list_artifacts(&session->api(), execution_id);
    if (items.has_error())
        co_return items.error();
    std::vector<artifact> all;
    for (const auto& each : *items)
        if (each.is_object())
            all.push_back(artifact_of(each.get_object()));
    if (all.empty())
        co_return fetched();
    auto target = target_folder::open(folder);
    if (target.has_error())
        co_return target.error();
    if (auto free = check_names(all, *target, force); free.has_error())
        co_return free.error();
    auto done = co_await fetch_all(session, std::move(execution_id), std::move(all), &*target, force, quiet);
    co_return done;
}

task<result<fetched>> fetch_artifact(
    client_session* session, std::string execution_id, std::string path, std::filesystem::path target, bool force, bool quiet)
{
    if (target == "-") {
        auto done = co_await fetch_to_output(session, std::move(execution_id), std::move(path));
        if (done.has_error())
            co_return done.error();
        co_return fetched{1, 0};
    }
    auto items = co_await list_artifacts(&session->api(), execution_id);
    if (items.has_error())
        co_return items.error();
    artifact wanted{path, 0, "", 0644};
    for (const auto& each : *items)
        if (each.is_object() && text_of(each.get_object(), "path") == path)
            wanted = artifact_of(each.get_object());
    const auto parent = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
    auto folder = target_folder::open(parent);
    if (folder.has_error())
        co_return folder.error();
    const auto name = target.filename().string();
    if (!force && folder->has(name))
        co_return error{errc::conflict, target.string() + " is there already; --force replaces it"};
    auto file = folder->begin(name, wanted.mode);
    if (file.has_error())
        co_return file.error();
    progress_line line(quiet);
    shown_as shown{&line, "caisson: fetching " + path};
    auto done = co_await fetch(session, std::move(execution_id), wanted, &*file, force, std::move(shown));
    if (done.has_error())
        co_return done.error();
    co_return fetched{1, wanted.size_bytes};
}

std::string fetched_files(const fetched& done, const std::filesystem::path& folder)
{
    return done.files == 0 ? "there are no files" : count_and_size(done.files, done.bytes) + " in " + folder.string();
}

}    // namespace caisson::cli
