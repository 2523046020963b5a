#include "app/doors/http/storage_refusal.hpp"

namespace caisson::http {

std::optional<error> refusal_of(const storage_error& failure)
{
    if (failure.fault() != storage_fault::disk_full && failure.fault() != storage_fault::busy &&
        failure.fault() != storage_fault::overloaded)
        return std::nullopt;
    return error{errc::runtime_unavailable, "the server cannot store anything now (is its disk full?); try again later"};
}

}    // namespace caisson::http
