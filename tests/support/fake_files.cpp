#include "tests/support/fake_files.hpp"

#include "adapters/crypto/digest.hpp"

#include <algorithm>
#include <stdexcept>

namespace caisson::testing {

namespace {

constexpr std::size_t chunk_bytes = 256 << 10;
constexpr std::size_t most_read_bytes = 1 << 20;

error no_content(const content_id& id) { return {errc::not_found, "no content " + id.str()}; }

content_id numbered_content(int number)
{
    const auto digits = std::to_string(number);
    return content_id::from_trusted(std::string(content_tag::prefix) + std::string(26 - digits.size(), '0') + digits);
}

}    // namespace

class fake_content_writer : public content_writer {
public:
    fake_content_writer(fake_content_store& store, tenant_id tenant, std::vector<content_id>* uncommitted)
        : store_(store), tenant_(std::move(tenant)), uncommitted_(uncommitted)
    {
    }
    ~fake_content_writer() override
    {
        if (!uncommitted_)
            store_.held_.erase(made_);
    }
    task<result<void>> write(shared_bytes bytes) override
    {
        if (auto planned = store_.enter())
            co_return *planned;
        bytes_ += bytes.view();
        co_return result<void>();
    }
    task<result<content_info>> finish() override
    {
        if (auto planned = store_.enter())
            co_return *planned;
        auto info = store_.keep(tenant_, std::move(bytes_));
        made_ = info.id;
        store_.held_.insert(made_);
        if (uncommitted_)
            uncommitted_->push_back(made_);
        co_return info;
    }

private:
    fake_content_store& store_;
    tenant_id tenant_;
    std::vector<content_id>* uncommitted_;
    std::string bytes_;
    content_id made_;
};

class fake_content_batch : public content_batch {
public:
    fake_content_batch(fake_content_store& store, tenant_id tenant) : store_(store), tenant_(std::move(tenant)) { }
    ~fake_content_batch() override
    {
        drop();
        for (const auto& id : committed_)
            store_.held_.erase(id);
    }
    std::unique_ptr<content_writer> create() override { return std::make_unique<fake_content_writer>(store_, tenant_, &uncommitted_); }
    content_info add(shared_bytes content) override
    {
        auto info = store_.keep(tenant_, std::string(content.view()));
        store_.held_.insert(info.id);
        uncommitted_.push_back(info.id);
        return info;
    }
    task<result<void>> make_room() override
    {
        if (auto planned = store_.enter())
            failure_ = std::move(planned);
        if (failure_)
            co_return *failure_;
        co_return result<void>();
    }
    task<result<void>> commit() override
    {
        if (auto planned = store_.enter())
            failure_ = std::move(planned);
        if (failure_) {    // for good
            drop();
            co_return *failure_;
        }
        committed_.insert(committed_.end(), uncommitted_.begin(), uncommitted_.end());
        uncommitted_.clear();
        co_return result<void>();
    }

private:
    void drop()
    {
        for (const auto& id : std::exchange(uncommitted_, {})) {
            store_.kept_.erase(id);
            store_.held_.erase(id);
        }
    }

    fake_content_store& store_;
    tenant_id tenant_;
    std::vector<content_id> uncommitted_;
    std::vector<content_id> committed_;
    std::optional<error> failure_;
};

std::unique_ptr<content_writer> fake_content_store::create(tenant_id tenant)
{
    return std::make_unique<fake_content_writer>(*this, std::move(tenant), nullptr);
}

std::unique_ptr<content_batch> fake_content_store::create_batch(tenant_id tenant)
{
    if (broken_batches > 0) {
        --broken_batches;
        throw std::runtime_error("the store is broken");
    }
    return std::make_unique<fake_content_batch>(*this, std::move(tenant));
}

content_info fake_content_store::keep(tenant_id tenant, std::string bytes)
{
    content_info info{numbered_content(++made_), sha256_hex(bytes), static_cast<std::int64_t>(bytes.size())};
    kept_[info.id] = {std::move(tenant), info, std::move(bytes), now_ms};
    return info;
}

const fake_content_store::content* fake_content_store::find_kept(const tenant_id& tenant, const content_id& id) const
{
    const auto found = kept_.find(id);
    return found == kept_.end() || found->second.tenant != tenant ? nullptr : &found->second;
}

task<result<shared_bytes>> fake_content_store::read(tenant_id tenant, content_id id, std::int64_t offset, std::size_t max_bytes)
{
    if (auto planned = enter())
        co_return *planned;
    most_asked = std::max(most_asked, max_bytes);
    const auto* const found = find_kept(tenant, id);
    if (!found)
        co_return no_content(id);
    const auto from = std::min(static_cast<std::size_t>(offset), found->bytes.size());
    co_return shared_bytes(found->bytes.substr(from, std::min(max_bytes, most_read_bytes)));
}

task<result<content_info>> fake_content_store::find(tenant_id tenant, content_id id)
{
    if (auto planned = enter())
        co_return *planned;
    const auto* const found = find_kept(tenant, id);
    if (!found)
        co_return no_content(id);
    co_return found->info;
}

task<result<void>> fake_content_store::erase(tenant_id tenant, std::vector<content_id> ids)
{
    if (auto planned = enter())
        co_return *planned;
    for (const auto& id : ids)
        if (find_kept(tenant, id))
            kept_.erase(id);
    co_return result<void>();
}

task<result<std::vector<owned_content>>> fake_content_store::list(content_filter wanted)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<owned_content> page;
    for (auto next = kept_.upper_bound(wanted.after); next != kept_.end() && page.size() < wanted.limit; ++next)
        if (next->second.finished_at_ms < wanted.finished_before_ms && !held_.contains(next->first))
            page.push_back({next->second.tenant, next->first});
    co_return page;
}

task<result<std::int64_t>> fake_content_store::stored_bytes(tenant_id tenant)
{
    if (auto planned = enter())
        co_return *planned;
    std::set<std::string> chunks;
    for (const auto& [id, each] : kept_)
        for (std::size_t at = 0; each.tenant == tenant && at < each.bytes.size(); at += chunk_bytes)
            chunks.insert(each.bytes.substr(at, chunk_bytes));
    std::int64_t sum = 0;
    for (const auto& chunk : chunks)
        sum += static_cast<std::int64_t>(chunk.size());
    co_return sum;
}

task<result<std::int64_t>> fake_content_store::kept_bytes(tenant_id tenant)
{
    auto stored = co_await stored_bytes(std::move(tenant));
    if (stored.has_value())
        *stored -= erased;
    co_return stored;
}

}    // namespace caisson::testing
