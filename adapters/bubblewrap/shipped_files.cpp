#include "adapters/bubblewrap/shipped_files.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t digits_of_md5 = 32;
constexpr std::string_view shipped_by_ucf[] = {"/etc/php/", "/etc/R/"};

bool is_md5(std::string_view text)
{
    return text.size() == digits_of_md5 &&
           std::ranges::all_of(text, [](char digit) { return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'); });
}

/// Takes the first word off the front of `line`.
std::string_view take_word(std::string_view& line)
{
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

}    // namespace

void add_conffiles(std::string_view status, shipped_files& files)
{
    bool in_field = false;
    while (!status.empty()) {
        auto line = take_line(status);
        if (!line.starts_with(' ')) {
            in_field = line.starts_with("Conffiles:");
            continue;
        }
        const auto path = take_word(line);
        const auto md5 = take_word(line);
        if (in_field && path.starts_with('/') && is_md5(md5))
            files.insert_or_assign(std::string(path), std::string(md5));
    }
}

void add_ucf_files(std::string_view hashes, shipped_files& files)
{
    while (!hashes.empty()) {
        auto line = take_line(hashes);
        const auto md5 = take_word(line);
        const auto path = take_word(line);
        const bool is_shipped = std::ranges::any_of(shipped_by_ucf, [&](auto folder) { return path.starts_with(folder); });
        if (is_shipped && is_md5(md5))
            files.insert_or_assign(std::string(path), std::string(md5));
    }
}

}    // namespace caisson
