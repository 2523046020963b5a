#include "app/server/compile_parts.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "app/skills/tree_files.hpp"

#include <cctype>

namespace caisson {

namespace {

compile_cache_bounds bounds_of(const compile_cache_config& config)
{
    compile_cache_bounds bounds;
    bounds.most_bytes = config.cache_bytes;
    bounds.most_bytes_of_tenant = config.cache_bytes_per_tenant;
    bounds.most_entry_bytes = config.cache_entry_bytes;
    return bounds;
}

/// The boot id as a directory name; empty if the kernel does not give one.
std::string boot_name()
{
    auto name = boot_id();
    std::erase_if(name, [](char c) { return c != '-' && !std::isxdigit(static_cast<unsigned char>(c)); });
    return name;
}

bool is_wanted(const compile_cache_config& config)
{
    return config.cache_bytes > 0 && config.cache_bytes_per_tenant > 0 && config.cache_entry_bytes > 0;
}

}    // namespace

compile_parts::parts::parts(const server_config& config, io_executor executor, timers& time, logger& log)
    : tools(&make_sha256_hasher)
    , results({executor, time, log, workers, tools, &make_sha256_hasher},
          {config.data_dir / "compiled", boot_name(), bounds_of(config.compiled)})
{
}

compile_parts::compile_parts(const server_config& config, io_executor executor, timers& time, logger& log)
    : on_(is_wanted(config.compiled) ? std::make_unique<parts>(config, executor, time, log) : nullptr)
{
}

task<> compile_parts::prepare()
{
    if (on_)
        co_await on_->results.prepare();
}

task<> compile_parts::look_ahead()
{
    if (on_)
        co_await on_->results.look_ahead();
}

task<> compile_parts::stop()
{
    if (on_)
        co_await on_->results.stop();
}

}    // namespace caisson
