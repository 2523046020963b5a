#include "storage/database.hpp"

#include "core/base/unique_fd.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace caisson::sqlite {

namespace {

/// SQLite gives its other files the mode of the first. An existing file is not opened: closing it would drop the locks
/// that other connections of this process have on it (fcntl(2)).
void make_file(const std::filesystem::path& file)
{
    const unique_fd made(::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (!made && errno != EEXIST)
        throw storage_error(storage_fault::broken, "cannot make " + file.string() + ": " + std::strerror(errno));
}

std::string thread_name(const std::filesystem::path& file, const char* role) { return (file.stem().string() + role).substr(0, 15); }

}    // namespace

database::database(const std::filesystem::path& file, const schema& wanted, database_options options)
{
    make_file(file);
    auto first = std::make_unique<connection>(file, open_mode::read_write, wanted.page_bytes);
    migrate(*first, wanted, options.migrations);
    writer_ = std::make_unique<writer>(thread_name(file, "-write"), std::move(first), options.writing);
    readers_ = std::make_unique<reader_pool>(thread_name(file, "-read"), file, options.readers);
}

}    // namespace caisson::sqlite
