#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

enum class colour { none, bold, red, green, yellow, grey };

/// `text` between the terminal's escape sequences for `how`; as it is if `enabled` is false.
std::string coloured(std::string_view text, colour how, bool enabled);

/// `text` for one line of a terminal: characters that could steer it or turn what it shows (steering_bytes) become spaces, since they
/// come from programs, and it is cut to `width` columns with "…".
std::string one_line(std::string_view text, std::size_t width);

/// Columns of text, two spaces apart, as wide as their widest cell. The last column is not padded.
class text_table {
public:
    explicit text_table(std::vector<std::string> titles) : titles_(std::move(titles)) { }

    struct cell {
        std::string text;
        colour how = colour::none;
    };
    /// One cell for each title.
    void add(std::vector<cell> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.empty(); }

    /// Fits it into lines of `columns` (0: as wide as it gets): the last column is cut, down to 16 columns, and if that is not
    /// enough those with the titles `droppable` are left away, the first of them first.
    void fit(std::size_t columns, std::vector<std::string> droppable = {});

    /// With a line for the titles; each line ends in a line feed.
    std::string str(bool colours) const;

private:
    std::vector<std::size_t> widths() const;

    std::vector<std::string> titles_;
    std::vector<std::vector<cell>> rows_;
};

}    // namespace caisson::cli
