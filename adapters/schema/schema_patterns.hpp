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

/// The patterns of one schema, compiled by RE2, whose time is linear in the text. It is also linear in the size of the program that a
/// pattern becomes, which a few characters can make large (`(?:a?){450}`): both are charged.
class schema_patterns {
public:
    schema_patterns();
    schema_patterns(schema_patterns&&) noexcept;
    schema_patterns& operator=(schema_patterns&&) noexcept;
    ~schema_patterns();

    /// Compiles `pattern`, unless it was before. What is wrong with it; empty if nothing is. Throws given_up.
    std::string add(std::string_view pattern, step_budget& budget);
    /// Whether `text` has what `pattern`, which was added, describes. Throws given_up.
    bool matches(std::string_view pattern, std::string_view text, step_budget& budget) const;

private:
    struct compiled {
        std::unique_ptr<re2::RE2> program;
        std::size_t size;    // instructions
    };
    std::map<std::string, compiled, std::less<>> all_;
};

}    // namespace caisson
