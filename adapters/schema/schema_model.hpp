#pragma once

#include "adapters/schema/json_place.hpp"
#include "adapters/schema/schema_keywords.hpp"
#include "adapters/schema/schema_patterns.hpp"
#include "core/base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace caisson {

/// A checked JSON Schema of draft 7: every keyword has the right form, every pattern is compiled, every reference leads to a schema inside.
class schema_model {
public:
    /// `root` must outlive the model. Errors: errc::bad_request with the first 20 mistakes and their places in the schema. Throws given_up.
    static result<schema_model> make(const boost::json::value& root, step_budget& budget);

    const boost::json::value& root() const { return *root_; }
    const schema_patterns& patterns() const { return patterns_; }
    /// The target of a "$ref". `reference` must be the value object inside the schema, not a copy.
    const boost::json::value& target(const boost::json::value& reference) const { return *targets_.find(&reference)->second; }

private:
    using json = boost::json::value;

    schema_model(const json& root, step_budget& budget) : root_(&root), budget_(&budget) { }

    void check_all();
    void check(const json& schema, const json_place& at, int depth);
    void check_keyword(std::string_view keyword, const json& value, const json_place& at, int depth);
    void check_schemas(const json& value, keyword_form form, const json_place& at, int depth);
    void add_pattern(std::string_view text, const json_place& at);
    void add_reference(const json& reference, const json_place& at);
    void wrong(const json_place& at, std::string_view what);
    /// Reports an exceeded limit of the whole schema and skips the rest.
    void stop(const json_place& at, std::string_view what);

    const json* root_;
    step_budget* budget_;    // only during the check
    schema_patterns patterns_;
    std::unordered_map<const json*, const json*> targets_;
    std::vector<std::pair<const json*, std::string_view>> waiting_;    // unchecked reference targets, and the references to them
    std::unordered_set<const json*> checked_;
    std::string_view begin_;    // prefix of the reported places: "#" or a reference
    std::string mistakes_;
    std::size_t told_ = 0;
};

}    // namespace caisson
