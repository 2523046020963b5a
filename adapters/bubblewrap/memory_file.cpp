#include "adapters/bubblewrap/memory_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>

namespace caisson {

memory_file::memory_file(const char* name, std::string_view content) : file_(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING))
{
    if (!file_ || ::write(file_.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
        throw std::system_error(errno, std::generic_category(), "memfd");
    constexpr int all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (::fcntl(file_.get(), F_ADD_SEALS, all_seals) != 0)
        throw std::system_error(errno, std::generic_category(), "F_ADD_SEALS");
}

unique_fd memory_file::reopen() const
{
    return unique_fd(::open(("/proc/self/fd/" + std::to_string(file_.get())).c_str(), O_RDONLY | O_CLOEXEC));
}

}    // namespace caisson
