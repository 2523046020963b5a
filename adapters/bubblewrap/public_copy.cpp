#include "adapters/bubblewrap/public_copy.hpp"

#include "adapters/host/small_file.hpp"
#include "core/base/unique_fd.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 24;
constexpr std::size_t package_list_bytes = std::size_t{128} << 20;
constexpr mode_t read_by_all = S_IROTH;
constexpr mode_t passed_by_all = S_IROTH | S_IXOTH;

struct write_failure {
    std::string path;
    int reason;
};

class copier {
public:
    copier(const public_source& source, const shipped_files& shipped, const std::string& target)
        : source_(source), shipped_(shipped), target_(target)
    {
    }

    void own_file(const std::string& name, const std::string& text)
    {
        copied_.insert("/etc/" + name);
        write("/etc/" + name, text, 0444, nullptr);
    }

    /// Copies files before links: which links are shown depends on the files.
    void folder(const std::string& path, int depth = 0)
    {
        struct stat about{};
        const bool is_shown = ::lstat((source_.root + path).c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                              about.st_uid == source_.owner && (about.st_mode & passed_by_all) == passed_by_all && !is_never_public(path);
        if (!is_shown || depth > deepest)
            return;
        for (const auto& name : names_in(path)) {
            const auto below = path + "/" + name;
            if (++entries_ > most_public_entries || ::lstat((source_.root + below).c_str(), &about) != 0)
                continue;
            if (S_ISDIR(about.st_mode))
                folder(below, depth + 1);
            else if (S_ISREG(about.st_mode))
                file(below);
            else if (S_ISLNK(about.st_mode) && !is_never_public(below))
                links_.push_back(below);
        }
    }

    void links()
    {
        for (const auto& path : links_)
            if (!copied_.contains(path) && leads_to_shown(path))
                link(path);
    }

    std::string finish() const { return source_.digests.sha256(all_); }

private:
    std::vector<std::string> names_in(const std::string& path) const
    {
        std::vector<std::string> names;
        std::error_code failed;
        for (fs::directory_iterator each(source_.root + path, failed), end; !failed && each != end; each.increment(failed))
            names.push_back(each->path().filename().string());
        std::ranges::sort(names);
        return names;
    }

    void file(const std::string& path)
    {
        const unique_fd opened(::open((source_.root + path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat about{};
        if (!opened || copied_.contains(path) || ::fstat(opened.get(), &about) != 0 || !S_ISREG(about.st_mode))
            return;
        host_file facts{.path = path,
            .is_roots = about.st_uid == source_.owner,
            .is_for_all = (about.st_mode & read_by_all) != 0,
            .links = about.st_nlink,
            .bytes = static_cast<std::uint64_t>(about.st_size),
            .is_as_shipped = shipped_.contains(path)};
        if (!is_public(facts) || bytes_ + facts.bytes > most_public_bytes)
            return;
        const auto text = read_all(opened.get(), facts.bytes);
        facts.is_as_shipped = facts.is_as_shipped && text && source_.digests.md5(*text) == shipped_.find(path)->second;
        if (!text || !is_public(facts))
            return;
        bytes_ += text->size();
        copied_.insert(path);
        write(path, *text, (about.st_mode & S_IXOTH) != 0 ? 0555 : 0444, &about);
    }

    static std::optional<std::string> read_all(int file, std::uint64_t bytes)
    {
        std::string text(bytes, '\0');
        std::size_t got = 0;
        while (got < text.size()) {
            const ssize_t more = ::read(file, text.data() + got, text.size() - got);
            if (more < 0 && errno == EINTR)
                continue;
            if (more <= 0)
                return std::nullopt;
            got += static_cast<std::size_t>(more);
        }
        return text;
    }

    /// True also for links to directories with shown content.
    bool leads_to_shown(const std::string& path) const
    {
        std::error_code failed;
        auto end = fs::canonical(source_.root + path, failed).string();
        if (failed)
            return false;
        if (is_shown_whole(end))
            return true;
        if (!end.starts_with(source_.root))
            return false;
        end.erase(0, source_.root.size());
        return copied_.contains(end) || folders_.contains(end);
    }

    void link(const std::string& path)
    {
        std::error_code failed;
        const auto text = fs::read_symlink(source_.root + path, failed).string();
        if (failed)
            return;
        have_folder(fs::path(path).parent_path().string());
        if (::symlink(text.c_str(), (target_ + path).c_str()) != 0)
            throw write_failure{path, errno};
        note('l', path, text);
    }

    void have_folder(const std::string& path)
    {
        if (path.size() <= 1 || !folders_.insert(path).second)
            return;
        have_folder(fs::path(path).parent_path().string());
        const auto place = target_ + path;
        if ((::mkdir(place.c_str(), 0755) != 0 && errno != EEXIST) || ::chmod(place.c_str(), 0755) != 0)
            throw write_failure{path, errno};
    }

    void write(const std::string& path, const std::string& text, mode_t mode, const struct stat* about)
    {
        have_folder(fs::path(path).parent_path().string());
        const unique_fd made(::open((target_ + path).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
        if (!made || ::fchmod(made.get(), mode) != 0)
            throw write_failure{path, errno};
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t more = ::write(made.get(), text.data() + done, text.size() - done);
            if (more < 0 && errno != EINTR)
                throw write_failure{path, errno};
            done += more > 0 ? static_cast<std::size_t>(more) : 0;
        }
        if (about != nullptr) {
            const struct timespec times[] = {about->st_mtim, about->st_mtim};
            ::futimens(made.get(), times);
        }
        note(mode == 0555 ? 'x' : 'f', path, text);
    }

    void note(char kind, const std::string& path, std::string_view content)
    {
        all_.append(1, kind).append(path).append(1, '\0').append(source_.digests.sha256(content)).append("\n");
    }

    const public_source& source_;
    const shipped_files& shipped_;
    const std::string& target_;
    std::string all_;    // one line per file and link
    std::size_t entries_ = 0;
    std::uint64_t bytes_ = 0;
    std::set<std::string> copied_;
    std::set<std::string> folders_;
    std::vector<std::string> links_;
};

}    // namespace

result<std::string> copy_public_files(
    const public_source& source, const shipped_files& shipped, const own_etc_files& own, const std::string& target)
try {
    copier copy(source, shipped, target);
    for (const auto& [name, text] : own)
        copy.own_file(name, text);
    copy.folder("/etc");
    for (const auto folder : public_data)
        copy.folder(std::string(folder));
    copy.links();
    return copy.finish();
} catch (const write_failure& failure) {
    return error{errc::runtime_unavailable, "cannot write " + target + failure.path + ": " + std::strerror(failure.reason)};
}

shipped_files shipped_by_packages(const public_source& source)
{
    shipped_files files;
    add_conffiles(read_small_file(source.root + "/var/lib/dpkg/status", package_list_bytes).value_or(""), files);
    add_ucf_files(read_small_file(source.root + "/var/lib/ucf/hashfile", package_list_bytes).value_or(""), files);
    return files;
}

}    // namespace caisson
