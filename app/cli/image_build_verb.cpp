#include "adapters/host/process_spawner.hpp"
#include "adapters/net/file_source.hpp"
#include "app/cli/interrupted.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/with_session.hpp"
#include "core/async/deadline.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace caisson::cli {

namespace fs = std::filesystem;

namespace {

/// A temporary folder, removed with this object.
class temporary_folder {
public:
    temporary_folder()
    {
        auto pattern = (fs::temp_directory_path() / "caisson-image-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr)
            path_ = pattern;
    }
    ~temporary_folder()
    {
        std::error_code ignored;
        if (!path_.empty())
            fs::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    /// Empty if it could not be created.
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

bool is_recipe(const fs::path& folder) { return ::access((folder / "build").c_str(), X_OK) == 0; }

/// Default folders of recipes: of a source tree that is the working directory, and beside an installed caisson.
std::vector<fs::path> usual_places(const host_facts& host)
{
    return {fs::absolute("docker/images"), host.executable_dir.parent_path() / "share/caisson/images"};
}

/// The program that makes the image. Errors: errc::not_found with the places searched.
result<fs::path> find_recipe(const image_build_options& options, const host_facts& host)
{
    if (options.recipe.find('/') != std::string::npos) {
        const auto folder = fs::absolute(options.recipe);
        if (is_recipe(folder))
            return folder / "build";
        return error{errc::not_found, options.recipe + " holds no program that is called build"};
    }
    std::string looked;
    const auto places = options.recipes.empty() ? usual_places(host) : std::vector<fs::path>{fs::absolute(options.recipes)};
    for (const auto& place : places) {
        if (is_recipe(place / options.recipe))
            return place / options.recipe / "build";
        looked += (looked.empty() ? "" : " and ") + place.string();
    }
    return error{errc::not_found, "there is no recipe \"" + options.recipe + "\" in " + looked + "; --recipes says where they are"};
}

spawn_options command_of(const fs::path& recipe, const image_build_options& options, const fs::path& target, int nothing)
{
    spawn_options out;
    out.path = recipe.string();
    out.argv = {recipe.string()};
    if (!options.name.empty())
        out.argv.insert(out.argv.end(), {"--name", options.name});
    if (options.installed)
        out.argv.emplace_back("--installed");
    out.argv.push_back(target.string());
    for (char** variable = ::environ; *variable != nullptr; ++variable)
        out.environment.emplace_back(*variable);
    out.descriptors.add(nothing);
    out.descriptors.add(options.quiet ? nothing : STDERR_FILENO);    // standard output is for the result
    out.descriptors.add(STDERR_FILENO);
    return out;
}

/// Runs the recipe. Errors: errc::runtime_unavailable if it cannot be started or fails; errc::cancelled.
task<result<void>> make_tar(client_session* session, fs::path recipe, image_build_options options, fs::path target)
{
    const unique_fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    auto started = spawn_process(command_of(recipe, options, target, nothing.get()));
    if (started.has_error())
        co_return started.error();
    auto work = race(started->wait(), interrupted(session->executor()));
    const auto ended = co_await std::move(work);
    if (ended.index() == 1) {
        started->send(SIGTERM);
        static_cast<void>(co_await started->wait());
        co_return error{errc::cancelled, "interrupted"};
    }
    if (std::get<0>(ended) != 0)
        co_return error{errc::runtime_unavailable, recipe.string() + " failed"};
    co_return result<void>();
}

task<result<boost::json::value>> send_tar(client_session* session, fs::path tar, bool quiet)
{
    worker_pool disk("read", 1);
    auto body = net::file_source::open(tar, disk);
    if (body.has_error())
        co_return body.error();
    progress_line line(quiet);
    const auto total = (*body)->size_bytes();
    const auto told = [&line, total](std::uint64_t done) { line.show_bytes("caisson: uploading", done, total); };
    auto answer = co_await session->api().upload("/v1/images/load", "application/x-tar", body->get(), told);
    line.clear();
    co_return answer;
}

task<int> build(client_session* session, image_build_options options, fs::path recipe)
{
    const temporary_folder folder;
    if (folder.path().empty()) {
        complain("no folder can be made in " + fs::temp_directory_path().string() + "; TMPDIR names another one");
        co_return exit_status::failed;
    }
    const auto tar = folder.path() / "image.tar";
    auto making = make_tar(session, std::move(recipe), options, tar);
    const auto made = co_await std::move(making);
    if (made.has_error())
        co_return complain(made.error(), made.error().code == errc::cancelled ? exit_status::cancelled : exit_status::failed);
    auto sending = send_tar(session, tar, options.quiet);
    const auto loaded = co_await std::move(sending);
    if (loaded.has_error())
        co_return complain(loaded.error(), exit_status::failed);
    if (options.client.output == output_format::json) {
        print_json(*loaded);
        co_return exit_status::ok;
    }
    const auto* names = loaded->is_object() ? loaded->get_object().if_contains("images") : nullptr;
    if (names != nullptr && names->is_array())
        for (const auto& each : names->get_array())
            if (each.is_string())
                print(std::string(each.get_string()) + "\n");
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const image_build_options& options, const verb_context& context)
{
    auto recipe = find_recipe(options, context.host);
    if (recipe.has_error())
        return complain(recipe.error(), exit_status::usage);
    return with_session(options, context, [&](client_session* session) { return build(session, options, *recipe); });
}

}    // namespace caisson::cli
