#pragma once

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

/// The keywords of JSON Schema draft 7 and the form of their values.
namespace caisson {

/// The required form of a keyword's value.
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

/// Nothing for annotations and unknown keywords, which are ignored.
std::optional<keyword_form> form_of(std::string_view keyword);

/// True for keywords that constrain values in later drafts: ignoring them would accept what they refuse.
bool is_of_later_draft(std::string_view keyword);

/// What the value must be; empty if it has the form. Does not check schemas inside.
std::string_view fault_of(keyword_form wanted, const boost::json::value& value);

/// True for a list of strings.
bool are_strings(const boost::json::value& value);

}    // namespace caisson
