#include "tests/support/fake_images.hpp"

#include <algorithm>
#include <functional>

namespace caisson::testing {

namespace {

stored_image image_called(const std::string& reference)
{
    stored_image made;
    made.id = digest_of(reference);
    made.tags = {reference};
    made.size_bytes = 1'000'000;
    made.architecture = "amd64";
    made.os = "linux";
    return made;
}

error away() { return {errc::runtime_unavailable, "the engine does not answer"}; }
error absent(const std::string& reference) { return {errc::not_found, "No such image: " + reference}; }

}    // namespace

std::string digest_of(const std::string& reference) { return "sha256:" + std::to_string(std::hash<std::string>()(reference)); }

task<result<shared_bytes>> text_tar::read()
{
    constexpr std::size_t piece = 4;
    auto next = text_.substr(given_, piece);
    given_ += next.size();
    co_return shared_bytes(std::move(next));
}

void fake_image_engine::add(const std::string& reference) { images.insert_or_assign(reference, image_called(reference)); }

task<result<stored_image>> fake_image_engine::inspect(std::string reference, steady_time)
{
    if (is_away)
        co_return away();
    if (auto failure = enter())
        co_return std::move(*failure);
    const auto found = images.find(reference);
    auto answer = found == images.end() ? result<stored_image>(absent(reference)) : result<stored_image>(found->second);
    co_await inspecting.pass();
    co_return answer;
}

task<result<std::vector<stored_image>>> fake_image_engine::list(steady_time)
{
    if (is_away)
        co_return away();
    if (auto failure = enter())
        co_return std::move(*failure);
    std::vector<stored_image> all;
    for (const auto& [name, image] : images)
        all.push_back(image);
    co_return all;
}

task<result<void>> fake_image_engine::pull(
    std::string reference, std::optional<registry_login> login, image_watcher watcher, std::chrono::milliseconds, steady_time)
{
    pulled.push_back(reference);
    users.push_back(login ? std::optional(login->username + ":" + std::string(login->password.reveal())) : std::nullopt);
    most_at_once = std::max(most_at_once, ++at_once);
    const auto leave = std::shared_ptr<void>(nullptr, [this](void*) { --at_once; });
    for (const auto& each : progress)
        if (watcher)
            watcher(each);
    co_await pulling.pass();
    if (is_away)
        co_return away();
    if (const auto failure = pull_failures.find(reference); failure != pull_failures.end())
        co_return failure->second;
    if (!registry.contains(reference))
        co_return absent(reference);
    add(reference);
    co_return result<void>();
}

task<result<void>> fake_image_engine::read_all(tar_source* tar)
{
    received.clear();
    while (received.size() < tar->size_bytes()) {
        auto piece = co_await tar->read();
        if (piece.has_error())
            co_return piece.error();
        received += piece->view();
    }
    co_return result<void>();
}

task<result<void>> fake_image_engine::import(std::string reference, tar_source* tar, std::vector<std::string> changes)
{
    if (auto failure = enter())
        co_return std::move(*failure);
    changes_of_last = std::move(changes);
    auto whole = co_await read_all(tar);
    if (whole.has_value())
        add(reference);
    co_return whole;
}

task<result<std::vector<std::string>>> fake_image_engine::load(tar_source* tar)
{
    if (auto failure = enter())
        co_return std::move(*failure);
    auto whole = co_await read_all(tar);
    if (whole.has_error())
        co_return whole.error();
    add(received);
    co_return std::vector<std::string>{received};
}

task<result<void>> fake_image_engine::remove(std::string reference, steady_time)
{
    if (auto failure = enter())
        co_return std::move(*failure);
    if (in_use.contains(reference))
        co_return error{errc::conflict, "a container uses " + reference};
    if (images.erase(reference) == 0)
        co_return absent(reference);
    co_return result<void>();
}

task<> fake_image_engine::follow(image_listener to)
{
    listener = std::move(to);
    gate until_cancelled;
    until_cancelled.cork();
    co_await until_cancelled.pass();
}

task<result<std::vector<allowed_image>>> fake_allowed_images::list()
{
    if (auto failure = enter())
        co_return std::move(*failure);
    co_return rows;
}

task<result<bool>> fake_allowed_images::add(allowed_image what, std::size_t most)
{
    if (auto failure = enter())
        co_return std::move(*failure);
    const auto same = [&](const allowed_image& row) { return row.image == what.image && row.tenant == what.tenant; };
    if (std::ranges::any_of(rows, same))
        co_return false;
    if (rows.size() >= most)
        co_return error{errc::quota_exceeded, "too many"};
    rows.push_back(std::move(what));
    co_return true;
}

task<result<void>> fake_allowed_images::remove(std::string image, std::optional<tenant_id> tenant)
{
    if (auto failure = enter())
        co_return std::move(*failure);
    const auto gone = std::erase_if(rows, [&](const allowed_image& row) { return row.image == image && row.tenant == tenant; });
    if (gone == 0)
        co_return error{errc::not_found, "not there"};
    co_return result<void>();
}

stored_image fake_image_supply::image_now(const std::string& reference) const
{
    auto image = image_called(reference);
    if (const auto moved = digests.find(reference); moved != digests.end())
        image.id = moved->second;
    return image;
}

task<result<stored_image>> fake_image_supply::find(std::string reference)
{
    ++finds;
    if (auto failure = enter())
        co_return std::move(*failure);
    if (!present.contains(reference))
        co_return absent(reference);
    co_return image_now(reference);
}

std::optional<stored_image> fake_image_supply::find_now(const std::string& reference)
{
    return knows_at_once && present.contains(reference) ? std::optional(image_now(reference)) : std::nullopt;
}

task<result<stored_image>> fake_image_supply::ensure(std::string reference, image_watcher watcher)
{
    ++fetches;
    if (watcher && progress)
        watcher(*progress);
    co_await fetching.pass();
    if (const auto failure = failures.extract(reference))
        co_return failure.mapped();
    present.insert(reference);
    co_return image_now(reference);
}

}    // namespace caisson::testing
