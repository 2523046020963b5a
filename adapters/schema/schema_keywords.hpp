#pragma once

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

/// The keywords of JSON Schema draft 7 and the values that they take.
namespace caisson {

/// The form that a keyword's value has.
enum class keyword_form {
    count,
    number,
    above_zero,
    flag,
    text,
    types,
    names,
    alternatives,
    schema,
    schema_or_list,
    schemas,
    named_schemas,
    dependencies
};

/// Nothing for a keyword that is a note, or unknown: it is passed over.
std::optional<keyword_form> form_of(std::string_view keyword);

/// What later drafts judge by; to pass over them would accept what they refuse.
bool is_of_later_draft(std::string_view keyword);

/// What a keyword's value has to be; empty if it is. Schemas within are not looked at.
std::string_view fault_of(keyword_form wanted, const boost::json::value& value);

/// Whether it is a list of texts.
bool are_strings(const boost::json::value& value);

}    // namespace caisson
