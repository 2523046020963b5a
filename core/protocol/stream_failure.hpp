#pragma once

#include <boost/system/system_error.hpp>

namespace caisson::protocol {

/// Throws what a byte_stream throws of a broken connection; `what` was being done.
[[noreturn]] inline void throw_errno(int code, const char* what)
{
    throw boost::system::system_error(code, boost::system::system_category(), what);
}

}    // namespace caisson::protocol
