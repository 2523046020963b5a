#pragma once

#include "core/base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace re2 {
class RE2;
}

namespace caisson {

/// A JSON Schema of draft 7 that was checked: every keyword has the right form, every pattern is compiled (by RE2, whose time is linear),
/// every reference leads to a schema in it.
class schema_model {
public:
    /// `root` must outlive it. Errors: errc::bad_request with the place in the schema.
    static result<schema_model> make(const boost::json::value& root);

    const boost::json::value& root() const { return *root_; }
    /// One of its patterns.
    const re2::RE2& pattern(std::string_view text) const { return *patterns_.find(text)->second; }
    /// What a "$ref" of it leads to.
    const boost::json::value& target(std::string_view reference) const { return *targets_.find(reference)->second; }

    schema_model(schema_model&&) noexcept;
    schema_model& operator=(schema_model&&) noexcept;
    ~schema_model();

private:
    explicit schema_model(const boost::json::value& root);

    result<void> check_all();
    result<void> check(const boost::json::value& schema, const std::string& place, int depth);
    result<void> check_keyword(std::string_view keyword, const boost::json::value& value, const std::string& place, int depth);
    result<void> check_schemas(const boost::json::value& value, bool named, const std::string& place, int depth);
    result<void> add_pattern(std::string_view text, const std::string& place);
    result<void> add_reference(std::string_view text, const std::string& place);

    const boost::json::value* root_;
    std::map<std::string, std::unique_ptr<re2::RE2>, std::less<>> patterns_;
    std::map<std::string, const boost::json::value*, std::less<>> targets_;
    std::vector<std::pair<const boost::json::value*, std::string>> waiting_;    // targets whose form has not been looked at
    std::unordered_set<const boost::json::value*> checked_;
};

}    // namespace caisson
