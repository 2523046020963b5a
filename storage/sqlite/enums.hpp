#pragma once

#include "storage/sqlite/errors.hpp"

#include <string>
#include <string_view>

namespace caisson::sqlite {

/// The value that a column names; `parse` is one of the ..._from functions. A name that it does not know is a corrupt file.
template <class Parse>
auto stored(Parse parse, std::string_view name)
{
    const auto value = parse(name);
    if (!value)
        throw storage_error(storage_fault::corrupt, "the database holds an unknown name: " + std::string(name));
    return *value;
}

}    // namespace caisson::sqlite
