#include "app/logging/json_logger.hpp"

#include "core/base/clock.hpp"
#include "core/base/unique_fd.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <fcntl.h>

#include <cerrno>
#include <mutex>
#include <system_error>

namespace caisson {

namespace {

/// Writes lines to a stdio stream. The mutex of base_sink keeps them whole.
class stream_sink : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit stream_sink(std::FILE* into) : into_(into) { }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override
    {
        std::fwrite(message.payload.data(), 1, message.payload.size(), into_);
        std::fputc('\n', into_);
        std::fflush(into_);
    }
    void flush_() override { std::fflush(into_); }

private:
    std::FILE* into_;
};

struct file_closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using owned_file = std::unique_ptr<std::FILE, file_closer>;

spdlog::level::level_enum level_of(log_level level)
{
    switch (level) {
    case log_level::debug: return spdlog::level::debug;
    case log_level::info: return spdlog::level::info;
    case log_level::warning: return spdlog::level::warn;
    case log_level::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

class json_logger : public logger {
public:
    json_logger(log_level minimum, std::FILE* into, owned_file owned)
        : owned_(std::move(owned)), backend_("caisson", std::make_shared<stream_sink>(into))
    {
        backend_.set_level(level_of(minimum));
        backend_.set_error_handler([](const std::string&) { });
    }

    void write(log_level level, std::string_view message, std::initializer_list<log_field> fields) noexcept override
    try {
        if (!backend_.should_log(level_of(level)))
            return;
        const auto line = to_log_line(clock_.now_ms(), level, message, fields);
        backend_.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
    } catch (...) {
        // Drop a line that cannot be written: logging must not fail the caller.
    }

private:
    owned_file owned_;    // declared before backend_, which writes to it
    system_clock clock_;
    spdlog::logger backend_;
};

owned_file open_log(const std::filesystem::path& path)
{
    unique_fd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
    owned_file file(fd ? ::fdopen(fd.get(), "a") : nullptr);
    if (!file)
        throw std::runtime_error("the log file " + path.string() + " cannot be opened: " + std::generic_category().message(errno));
    static_cast<void>(fd.release());
    return file;
}

}    // namespace

std::unique_ptr<logger> make_json_logger(log_level minimum, std::FILE* into)
{
    return std::make_unique<json_logger>(minimum, into, nullptr);
}

std::unique_ptr<logger> make_json_logger(log_level minimum, const std::filesystem::path& path)
{
    auto file = open_log(path);
    auto* const stream = file.get();
    return std::make_unique<json_logger>(minimum, stream, std::move(file));
}

}    // namespace caisson
