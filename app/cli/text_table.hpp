#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

enum class colour { none, bold, red, green, yellow, grey };

/// `text` with the terminal's escape sequences for `how`; unchanged if not `enabled`.
std::string coloured(std::string_view text, colour how, bool enabled);

/// Untrusted `text` for one line of a terminal: characters that could control it (steering_bytes) become spaces, and it is cut to `width`
/// columns with "…".
std::string one_line(std::string_view text, std::size_t width);

/// Columns of text, two spaces apart, each as wide as its widest cell. The last column is not padded.
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

    /// Fits the table to `columns` (0: any width). Cuts the last column, down to 16 columns; if that is not enough, first drops the columns
    /// titled `droppable`, in their order.
    void fit(std::size_t columns, std::vector<std::string> droppable = {});

    /// The table with a line of titles; each line ends with a line feed.
    std::string str(bool colours) const;

private:
    std::vector<std::size_t> widths() const;

    std::vector<std::string> titles_;
    std::vector<std::vector<cell>> rows_;
};

}    // namespace caisson::cli
