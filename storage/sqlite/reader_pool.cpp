#include "storage/sqlite/reader_pool.hpp"

namespace caisson::sqlite {

reader_pool::reader_pool(std::string name, const std::filesystem::path& file, std::size_t readers) : threads_(std::move(name), readers)
{
    for (std::size_t i = 0; i < readers; ++i)
        idle_.push_back(std::make_unique<connection>(file, open_mode::read_only));
}

std::unique_ptr<connection> reader_pool::take()
{
    const std::lock_guard lock(mutex_);
    auto one = std::move(idle_.back());
    idle_.pop_back();
    return one;
}

void reader_pool::put_back(std::unique_ptr<connection> idle)
{
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(idle));
}

}    // namespace caisson::sqlite
