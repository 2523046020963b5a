#pragma once

#include <boost/system/system_error.hpp>

namespace caisson::protocol {

/// Throws a byte_stream's exception for a broken connection; `what` names the failed operation.
[[noreturn]] inline void throw_errno(int code, const char* what)
{
    throw boost::system::system_error(code, boost::system::system_category(), what);
}

}    // namespace caisson::protocol
