#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace caisson {

/// By which those who keep what they read tell whether it is still so. Names share a number of slots: a change of one may look like a
/// change of another, never the other way round. I/O thread only.
class change_clock {
    struct slot {
        std::uint64_t changes = 0;
        std::size_t under_way = 0;
    };

public:
    /// Something is being changed as long as this lives: from before the first change until what was is found nowhere any more.
    class change {
    public:
        explicit change(std::shared_ptr<slot> of) : of_(std::move(of))
        {
            ++of_->changes;
            ++of_->under_way;
        }
        ~change()
        {
            if (of_)
                --of_->under_way;
        }
        change(change&&) = default;
        change& operator=(change&&) = delete;

    private:
        std::shared_ptr<slot> of_;    // the clock may end before a coroutine that holds this
    };

    /// `name` in `scope` is changed.
    change begin(std::string_view scope, std::string_view name)
    {
        return change(std::shared_ptr<slot>(slots_, &(*slots_)[1 + slot_of(scope, name)]));
    }
    /// Anything may be.
    change begin_all() { return change(std::shared_ptr<slot>(slots_, &slots_->front())); }

    /// A moment between changes. What was read since then is so as long as the moment is the same.
    using moment = std::uint64_t;
    /// Nothing while it is being changed.
    std::optional<moment> now(std::string_view scope, std::string_view name) const
    {
        const auto& all = slots_->front();
        const auto& own = (*slots_)[1 + slot_of(scope, name)];
        return own.under_way + all.under_way == 0 ? std::optional(own.changes + all.changes) : std::nullopt;
    }

private:
    static constexpr std::size_t slots = 1024;

    static std::size_t slot_of(std::string_view scope, std::string_view name)
    {
        constexpr std::hash<std::string_view> hash;
        return (hash(scope) * 31 + hash(name)) % slots;
    }

    /// Behind the first one, which is of all.
    std::shared_ptr<std::array<slot, 1 + slots>> slots_ = std::make_shared<std::array<slot, 1 + slots>>();
};

}    // namespace caisson
