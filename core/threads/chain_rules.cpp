#include "core/threads/chain_rules.hpp"

#include "core/threads/rules.hpp"

#include <string_view>
#include <unordered_map>

namespace caisson {

namespace {

constexpr std::size_t max_problems = 20;

error refused(errc code, std::string field, const std::string& message)
{
    auto detail = field + " " + message;
    return {code, std::move(detail), {{std::move(field), message}}};
}

std::string told(const std::optional<checkpoint_id>& latest)
{
    return latest ? "the latest checkpoint is " + latest->str() : std::string("the thread has no checkpoint");
}

/// Collects problems of list items, at most max_problems.
class problem_list {
public:
    bool full() const { return problems_.size() >= max_problems; }
    void add(std::size_t item, std::string_view field, std::string message)
    {
        if (!full())
            problems_.push_back({"checkpoints[" + std::to_string(item) + "]." + std::string(field), std::move(message)});
    }
    std::vector<field_problem> take() { return std::move(problems_); }

private:
    std::vector<field_problem> problems_;
};

using places = std::unordered_map<std::string_view, std::size_t>;

void check_parent(const imported_checkpoint& checkpoint, std::size_t at, const places& all, problem_list& problems)
{
    const auto parent = all.find(*checkpoint.parent);
    if (parent == all.end())
        problems.add(at, "parent_id", "names no checkpoint of the list");
    else if (parent->second == at)
        problems.add(at, "parent_id", "is the checkpoint itself");
    else if (parent->second > at)
        problems.add(at, "parent_id", "names a later checkpoint");
}

void check_numbers(std::span<const imported_checkpoint> checkpoints, std::size_t at, problem_list& problems)
{
    const auto before = at == 0 ? 0 : checkpoints[at - 1].position;
    if (checkpoints[at].position <= before)
        problems.add(at, "position", "must be more than " + std::to_string(before));
    if (checkpoints[at].gap < 0)
        problems.add(at, "gap", "must not be negative");
}

}    // namespace

result<save_decision> decide_save(const save_request& request, const chain_facts& facts)
{
    if (request.id && facts.same_id_digest) {
        if (*facts.same_id_digest == request.digest)
            return save_decision{save_verdict::repeat, std::nullopt};
        return refused(errc::conflict, "id", "is taken: the checkpoint " + request.id->str() + " has another content");
    }
    if (request.if_latest && request.if_latest->id != facts.latest)
        return refused(errc::conflict, "if_latest", "does not hold: " + told(facts.latest));
    if (request.parent && !facts.parent_is_there)
        return refused(errc::bad_request, "parent_id", "names no checkpoint of this thread: " + request.parent->str());
    return save_decision{save_verdict::append, request.parent ? request.parent : facts.latest};
}

std::vector<field_problem> check_imported_chain(std::span<const imported_checkpoint> checkpoints)
{
    problem_list problems;
    places all;
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        if (auto wrong = check_checkpoint_id(checkpoints[i].id))
            problems.add(i, "id", std::move(wrong->message));
        if (const auto [same, fresh] = all.emplace(checkpoints[i].id, i); !fresh)
            problems.add(i, "id", "is the same as checkpoints[" + std::to_string(same->second) + "].id");
    }
    for (std::size_t i = 0; i < checkpoints.size() && !problems.full(); ++i) {
        if (checkpoints[i].parent)
            check_parent(checkpoints[i], i, all, problems);
        check_numbers(checkpoints, i, problems);
    }
    return problems.take();
}

}    // namespace caisson
