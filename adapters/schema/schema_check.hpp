#pragma once

#include "adapters/schema/schema_model.hpp"

namespace caisson {

/// Checks one value against a schema and collects the mismatches. Gives up if that costs too much or recurses too deep, which
/// self-referencing schemas can cause.
class schema_judge {
public:
    /// Both must outlive the judge.
    schema_judge(const schema_model& model, step_budget& budget) : model_(model), budget_(budget) { }

    /// Returns the first 20 mistakes: the place as a JSON pointer ("" is the whole value) and the problem. Throws given_up.
    std::vector<field_problem> judge(const boost::json::value& value);

private:
    using json = boost::json::value;
    using object = boost::json::object;

    /// A value and its place. `quiet`: report no mistakes.
    struct spot {
        const json& value;
        const json_place& place;
        bool quiet;
        int depth;
    };

    bool matches(const json& schema, const spot& at);
    bool matches_within(const json& schema, const json& value, const json_place& place, const spot& at);
    bool matches_beside(const json& schema, const spot& at);
    bool matches_quietly(const json& schema, const json& value, const spot& at);
    const json& behind_references(const json& schema);
    bool check_value(const object& schema, const spot& at);
    bool check_type(const json& wanted, const spot& at);
    bool check_number(const object& schema, const spot& at);
    bool check_string(const object& schema, const spot& at);
    bool check_array(const object& schema, const spot& at);
    bool check_items(const object& schema, const spot& at);
    bool check_difference(const spot& at);
    bool check_object(const object& schema, const spot& at);
    bool check_members(const object& schema, const spot& at);
    bool check_member(const object& schema, const object::value_type& member, const spot& at);
    bool check_dependencies(const object& schema, const spot& at);
    bool check_combinations(const object& schema, const spot& at);
    bool check_condition(const object& schema, const spot& at);
    bool has(const object& members, std::string_view name);
    std::string canonical(const json& value);

    /// Always returns false; records the mistake unless quiet.
    bool fault(const spot& at, std::string_view what);
    /// Likewise for a member that is missing or not allowed.
    bool fault_of_member(const spot& at, std::string_view name, std::string_view what);
    /// The value for a message, shortened; empty if the message is not recorded.
    std::string told(const spot& at, const json& value) const;

    const schema_model& model_;
    step_budget& budget_;
    std::vector<field_problem> faults_;
};

}    // namespace caisson
