#include "storage/content/disk_reserve.hpp"

#include "core/base/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

namespace caisson::sqlite {

void disk_reserve::keep() const
{
    std::error_code failure;
    if (bytes_ == 0)
        return;
    if (std::filesystem::exists(file_, failure) || std::filesystem::space(file_.parent_path(), failure).available < 2 * bytes_ || failure)
        return;
    const unique_fd fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd && ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes_)) != 0)
        release();
}

void disk_reserve::release() const { ::unlink(file_.c_str()); }

}    // namespace caisson::sqlite
