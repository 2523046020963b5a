#pragma once

#include "adapters/net/http_types.hpp"

#include <string_view>

namespace caisson::net {

/// How much a client wants a media type (lower case, without parameters), by its Accept fields (RFC 9110 §12.5.1).
struct preference {
    int thousandths = 0;      // 0: it is not acceptable; 1000 where there is no Accept
    bool is_named = false;    // by its whole name, not by a range such as text/*
};

/// By the most specific range that matches; a range that is malformed is passed over.
preference preference_for(const headers& fields, std::string_view type);

/// Whether a client that may have `type` or `usual` is to have `type`: it wants it more, or as much and names it.
bool prefers(const headers& fields, std::string_view type, std::string_view usual);

}    // namespace caisson::net
