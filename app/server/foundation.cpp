#include "app/server/foundation.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "app/logging/json_logger.hpp"
#include "app/server/process_limits.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Retries for 2 s: the kernel may still be ending a killed server that holds the lock.
std::unique_ptr<storage> open_storage(const std::filesystem::path& data_dir)
{
    constexpr int tries = 20;
    for (int i = 1;; ++i) {
        try {
            return storage::open(data_dir, {.make_hasher = &make_sha256_hasher});
        } catch (const storage_error& failure) {
            if (failure.fault() != storage_fault::locked || i == tries)
                throw;
        }
        std::this_thread::sleep_for(100ms);
    }
}

std::unique_ptr<logger> make_log(const server_config& config)
{
    return config.log_file.empty() ? make_json_logger(config.log_threshold, stderr)
                                   : make_json_logger(config.log_threshold, config.log_file);
}

}    // namespace

foundation::foundation(const server_config& wanted)
    : config(within_host(wanted, raise_descriptor_limit()))
    , log(make_log(config))
    , store(open_storage(config.data_dir))
    , self(begin_instance(config.data_dir, time.now_ms()))
{
}

}    // namespace caisson
