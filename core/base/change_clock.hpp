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

/// Tells caches whether what they read is still current. Names hash into a fixed number of slots: a change of one name may look like a
/// change of another, but no change is missed. I/O thread only.
class change_clock {
    struct slot {
        std::uint64_t changes = 0;
        std::size_t under_way = 0;
    };

public:
    /// Marks a change in progress. Create it before the first write; destroy it once no reader can find the old state.
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

    /// Begins a change of `name` in `scope`.
    change begin(std::string_view scope, std::string_view name)
    {
        return change(std::shared_ptr<slot>(slots_, &(*slots_)[1 + slot_of(scope, name)]));
    }
    /// Begins a change of every name.
    change begin_all() { return change(std::shared_ptr<slot>(slots_, &slots_->front())); }

    /// A state between changes. Data read after now() is current while now() returns the same moment.
    using moment = std::uint64_t;
    /// Nothing while a change of `name` is in progress.
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

    /// The first slot counts changes of all names; the others are by hash.
    std::shared_ptr<std::array<slot, 1 + slots>> slots_ = std::make_shared<std::array<slot, 1 + slots>>();
};

}    // namespace caisson
