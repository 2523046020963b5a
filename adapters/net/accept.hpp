#pragma once

#include "adapters/net/http_types.hpp"

#include <string_view>

namespace caisson::net {

/// A client's preference for a media type (lower case, without parameters), from its Accept fields (RFC 9110 §12.5.1).
struct preference {
    int thousandths = 0;      // the weight; 0: not acceptable; 1000 without an Accept field
    bool is_named = false;    // the type matched by its full name, not by a range such as text/*
};

/// The most specific matching range decides. Malformed ranges are skipped.
preference preference_for(const headers& fields, std::string_view type);

/// True if the client should get `type` instead of `usual`: its weight is higher, or equal and the client names `type`.
bool prefers(const headers& fields, std::string_view type, std::string_view usual);

}    // namespace caisson::net
