#pragma once

#include "core/adapters/schema/schema_model.hpp"

namespace caisson {

/// Judges one value by a schema and collects what does not match. It gives up when it has taken too many steps or goes too deep, which
/// schemas that refer to themselves can bring about.
class schema_judge {
public:
    explicit schema_judge(const schema_model& model) : model_(model) { }

    /// The first 20 mistakes, each with its place. Errors: errc::bad_request if it gave up.
    result<std::vector<std::string>> judge(const boost::json::value& value);

private:
    using json = boost::json::value;
    using object = boost::json::object;

    /// A value and where it is. `quiet`: only whether it matches is of interest.
    struct spot {
        const json& value;
        const std::string& place;
        bool quiet;
        int depth;
    };

    bool matches(const json& schema, const spot& at);
    bool matches_within(const json& schema, const json& value, const std::string& step, const spot& at);
    bool matches_quietly(const json& schema, const spot& at);
    bool check_value(const object& schema, const spot& at);
    bool check_number(const object& schema, const spot& at);
    bool check_string(const object& schema, const spot& at);
    bool check_array(const object& schema, const spot& at);
    bool check_items(const object& schema, const spot& at);
    bool check_object(const object& schema, const spot& at);
    bool check_members(const object& schema, const spot& at);
    bool check_member(const object& schema, const object::value_type& member, const spot& at);
    bool check_dependencies(const object& schema, const spot& at);
    bool check_combinations(const object& schema, const spot& at);
    bool check_condition(const object& schema, const spot& at);
    bool matches_pattern(std::string_view pattern, std::string_view text);

    /// False, always; tells of it unless quiet.
    bool fault(const spot& at, const std::string& what);
    /// The value for a message, shortened; empty if nobody will read it.
    std::string told(const spot& at, const json& value) const;
    void charge(std::size_t steps);

    const schema_model& model_;
    std::vector<std::string> faults_;
    std::size_t steps_ = 0;
};

}    // namespace caisson
