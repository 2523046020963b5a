#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAISSON_TESTS_COUNT_BY_SANITIZER
#endif
#endif

#ifdef CAISSON_TESTS_COUNT_BY_SANITIZER
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

namespace caisson::testing {

/// Bytes that this process has allocated and not freed.
inline std::ptrdiff_t live_heap_bytes()
{
#ifdef CAISSON_TESTS_COUNT_BY_SANITIZER
    return static_cast<std::ptrdiff_t>(__sanitizer_get_current_allocated_bytes());
#else
    const auto counts = ::mallinfo2();
    return static_cast<std::ptrdiff_t>(counts.uordblks + counts.hblkhd);
#endif
}

}    // namespace caisson::testing
