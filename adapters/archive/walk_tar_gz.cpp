#include "adapters/archive/archive_walk.hpp"
#include "adapters/archive/gzip_source.hpp"
#include "adapters/archive/member_reader.hpp"
#include "core/skills/name_rules.hpp"

#include <exception>
#include <new>

namespace caisson {

namespace {

constexpr std::int64_t end_marker_bytes = 512;

/// State of the libarchive callback, which must not throw.
struct inflater {
    gzip_source& source;
    std::exception_ptr failure = nullptr;
};

la_ssize_t read_some(archive* /*handle*/, void* data, const void** buffer)
{
    auto& in = *static_cast<inflater*>(data);
    try {
        const auto some = in.source.next();
        if (some.has_error())
            return -1;
        *buffer = some->data();
        return std::ssize(*some);
    } catch (...) {
        in.failure = std::current_exception();
        return -1;
    }
}

class tar_walk {
public:
    tar_walk(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink)
        : source_(file, limits), handle_(archive_read_new()), reader_(handle_.get(), limits, -1, std::move(stop), sink)
    {
        if (handle_ == nullptr)
            throw std::bad_alloc();
        archive_read_support_format_tar(handle_.get());
        archive_read_set_options(handle_.get(), "tar:!mac-ext");
    }

    result<void> run()
    {
        auto walked = walk();
        if (input_.failure)
            std::rethrow_exception(input_.failure);
        return source_.failure() ? result<void>(*source_.failure()) : walked;
    }

private:
    result<void> walk()
    {
        if (archive_read_open(handle_.get(), &input_, nullptr, &read_some, nullptr) != ARCHIVE_OK)
            return unreadable();
        for (;;) {
            archive_entry* entry = nullptr;
            const int state = archive_read_next_header(handle_.get(), &entry);
            if (state == ARCHIVE_EOF)
                return check_end();
            const bool right = state == ARCHIVE_OK || (state == ARCHIVE_WARN && is_unconverted(handle_.get()));
            if (!right)
                return unreadable();
            if (auto read = reader_.read(member_of(entry), -1); read.has_error())
                return read;
            end_of_last_ = position();
        }
    }

    /// After the last entry only the end marker and zeros may follow.
    result<void> check_end()
    {
        const auto end = position();
        for (auto rest = source_.next(); !rest.has_error() && !rest->empty(); rest = source_.next()) { }
        if (end - end_of_last_ < end_marker_bytes)
            return refused_archive("the tar.gz is damaged: the tar has no end; it may be cut off");
        if (source_.end_of_content() > end)
            return refused_archive("the tar.gz is damaged: bytes follow the end of the tar");
        return {};
    }

    std::int64_t position() const { return archive_filter_bytes(handle_.get(), 0); }
    error unreadable() const { return refused_archive("the tar.gz cannot be read: " + shown_name(message_of(handle_.get()))); }

    gzip_source source_;
    inflater input_{source_};
    archive_reader_handle handle_;
    member_reader reader_;
    std::int64_t end_of_last_ = 0;
};

}    // namespace

result<void> walk_tar_gz(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink)
{
    const name_locale names(name_locale::kind::bytes);    // names are taken unchanged, composed or not
    tar_walk walk(file, limits, std::move(stop), sink);
    return walk.run();
}

}    // namespace caisson
