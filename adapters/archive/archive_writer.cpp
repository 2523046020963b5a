#include "adapters/archive/archive_writer.hpp"

#include "adapters/archive/libarchive.hpp"
#include "adapters/archive/unique_names.hpp"
#include "core/skills/name_rules.hpp"

#include <limits>
#include <new>
#include <stdexcept>

namespace caisson {

namespace {

/// The writer's own paths may be longer than those of a package.
package_limits path_limits()
{
    package_limits limits;
    limits.max_path_bytes = 4'096 + 16;    // plus a number
    limits.max_depth = 256;
    return limits;
}

error wrong(std::string message) { return {errc::bad_request, std::move(message)}; }

}    // namespace

std::string_view suffix_of(archive_format format) { return format == archive_format::zip ? ".zip" : ".tar.gz"; }
std::string_view media_type_of(archive_format format) { return format == archive_format::zip ? "application/zip" : "application/gzip"; }

class archive_writer::state {
public:
    explicit state(archive_format format) : zip_(format == archive_format::zip), handle_(archive_write_new())
    {
        if (handle_ == nullptr)
            throw std::bad_alloc();
        const name_locale names(name_locale::kind::utf8);
        set_format(format);
        archive_write_set_bytes_per_block(handle_.get(), 0);
        require(archive_write_open(handle_.get(), this, nullptr, &state::append, nullptr));
    }

    /// Freeing a handle makes libarchive close the archive. A tar would pad the incomplete file unless writing fails; a zip would leak its
    /// compressor's state if writing failed.
    ~state() { drop_ = zip_ ? dropping::quietly : dropping::by_failure; }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    result<void> begin_file(std::string_view path, std::int64_t size_bytes, std::uint32_t mode, std::int64_t modified_at_ms)
    {
        if (auto ended = end_file(); ended.has_error())
            return ended;
        const auto clean = clean_name(names_.take(harmless_name(path)), "archive", path_limits());
        if (clean.has_error() || clean->empty() || size_bytes < 0)
            return wrong("\"" + shown_name(path) + "\" cannot be the path of a file in an archive");
        const name_locale names(name_locale::kind::utf8);
        const archive_entry_handle entry(archive_entry_new());
        if (entry == nullptr)
            throw std::bad_alloc();
        archive_entry_set_pathname(entry.get(), clean->c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), mode & 0777);
        archive_entry_set_size(entry.get(), size_bytes);
        archive_entry_set_mtime(entry.get(), modified_at_ms / 1'000, 0);
        require(archive_write_header(handle_.get(), entry.get()));
        left_ = size_bytes;
        return {};
    }

    result<void> write(std::string_view bytes)
    {
        if (std::ssize(bytes) > left_)
            return wrong("a file of the archive has more bytes than it was begun with");
        const name_locale names(name_locale::kind::utf8);
        while (!bytes.empty()) {
            const auto done = archive_write_data(handle_.get(), bytes.data(), bytes.size());
            if (done <= 0)
                require(ARCHIVE_FATAL);
            bytes.remove_prefix(static_cast<std::size_t>(done));
            left_ -= done;
        }
        return {};
    }

    result<void> finish()
    {
        if (auto ended = end_file(); ended.has_error())
            return ended;
        const name_locale names(name_locale::kind::utf8);
        require(archive_write_close(handle_.get()));
        return {};
    }

    std::string take() { return std::exchange(made_, std::string()); }

private:
    void set_format(archive_format format)
    {
        if (format == archive_format::zip) {
            require(archive_write_set_format_zip(handle_.get()));
            require(archive_write_set_options(handle_.get(), "zip:compression=deflate,zip:compression-level=1"));
            return;
        }
        require(archive_write_set_format_pax_restricted(handle_.get()));
        require(archive_write_add_filter_gzip(handle_.get()));
        require(archive_write_set_options(handle_.get(), "gzip:compression-level=1,gzip:!timestamp"));
    }

    result<void> end_file() { return left_ > 0 ? wrong("a file of the archive has fewer bytes than it was begun with") : result<void>(); }

    /// Packing into memory fails only without memory, or by a bug here.
    void require(int status) const
    {
        if (status != ARCHIVE_OK)
            throw std::runtime_error("an archive cannot be written: " + message_of(handle_.get()));
    }

    static la_ssize_t append(archive* /*handle*/, void* data, const void* bytes, std::size_t size)
    {
        auto& self = *static_cast<state*>(data);
        if (self.drop_ != dropping::no)
            return self.drop_ == dropping::quietly ? static_cast<la_ssize_t>(size) : -1;
        try {
            self.made_.append(static_cast<const char*>(bytes), size);
        } catch (const std::bad_alloc&) {
            return -1;
        }
        return static_cast<la_ssize_t>(size);
    }

    enum class dropping { no, quietly, by_failure };

    bool zip_;
    dropping drop_ = dropping::no;
    std::string made_;
    archive_writer_handle handle_;    // destructed before made_, to which it writes
    std::int64_t left_ = 0;           // bytes missing in the current file
    unique_names names_;
};

archive_writer::archive_writer(archive_format format) : state_(std::make_unique<state>(format)) { }
archive_writer::~archive_writer() = default;
archive_writer::archive_writer(archive_writer&&) noexcept = default;
archive_writer& archive_writer::operator=(archive_writer&&) noexcept = default;

result<void> archive_writer::begin_file(std::string_view path, std::int64_t size_bytes, std::uint32_t mode, std::int64_t modified_at_ms)
{
    return state_->begin_file(path, size_bytes, mode, modified_at_ms);
}

result<void> archive_writer::write(std::string_view bytes) { return state_->write(bytes); }
result<void> archive_writer::finish() { return state_->finish(); }
std::string archive_writer::take() { return state_->take(); }

}    // namespace caisson
