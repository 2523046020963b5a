#pragma once

#include "adapters/schema/step_budget.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace caisson {

/// The patterns of one schema, compiled by RE2. Matching time is linear in the text, and in the size of the compiled program, which a few
/// characters can make large (`(?:a?){450}`): the budget is charged for both.
class schema_patterns {
public:
    schema_patterns();
    schema_patterns(schema_patterns&&) noexcept;
    schema_patterns& operator=(schema_patterns&&) noexcept;
    ~schema_patterns();

    /// Compiles `pattern` once. Returns what is wrong with it; empty if nothing. Throws given_up.
    std::string add(std::string_view pattern, step_budget& budget);
    /// True if `text` contains a match of `pattern`, which must have been added. Throws given_up.
    bool matches(std::string_view pattern, std::string_view text, step_budget& budget) const;

private:
    struct compiled {
        std::unique_ptr<re2::RE2> program;
        std::size_t size;    // instructions
    };
    std::map<std::string, compiled, std::less<>> all_;
};

}    // namespace caisson
