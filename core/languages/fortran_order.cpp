#include "core/languages/fortran_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace caisson {

namespace {

/// The modules (by name) and submodules (as "ancestor:name") that a file defines and uses. Lower case: Fortran ignores case.
struct fortran_names {
    std::set<std::string> defined;
    std::set<std::string> used;
};

bool is_fortran_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// The tokens of a statement, without its comment: "use", ",", "intrinsic", ":", ":", "name".
std::vector<std::string> tokens_of(std::string_view line)
{
    std::vector<std::string> out;
    for (std::size_t at = 0; at < line.size() && line[at] != '!';) {
        std::string token;
        for (; at < line.size(); ++at) {
            const char c = line[at] >= 'A' && line[at] <= 'Z' ? static_cast<char>(line[at] - 'A' + 'a') : line[at];
            if (!is_fortran_letter(c))
                break;
            token += c;
        }
        if (token.empty()) {
            token = line[at++];
            if (token == " " || token == "\t" || token == "\r")
                continue;
        }
        out.push_back(std::move(token));
    }
    return out;
}

/// "use name", "use :: name", "use, intrinsic :: name" (ISO/IEC 1539-1, R1409).
void note_use(const std::vector<std::string>& tokens, fortran_names& to)
{
    const auto colons = std::ranges::find(tokens, ":");
    const bool has_nature = tokens[1] == "," || tokens[1] == ":";
    if (!has_nature)
        to.used.insert(tokens[1]);
    else if (tokens.end() - colons > 2)
        to.used.insert(colons[2]);
}

/// "submodule (ancestor:parent) name".
void note_submodule(const std::vector<std::string>& tokens, fortran_names& to)
{
    const auto close = std::ranges::find(tokens, ")");
    if (tokens[1] != "(" || tokens.end() - close < 2 || close - tokens.begin() < 3)
        return;
    to.used.insert(tokens[2]);
    if (close - tokens.begin() == 5)
        to.used.insert(tokens[2] + ":" + tokens[4]);
    to.defined.insert(tokens[2] + ":" + close[1]);
}

void note_statement(const std::vector<std::string>& tokens, fortran_names& to)
{
    if (tokens.size() < 2)
        return;
    if (tokens[0] == "use")
        note_use(tokens, to);
    else if (tokens[0] == "submodule")
        note_submodule(tokens, to);
    else if (tokens[0] == "module" && tokens.size() == 2)    // not "module procedure a"
        to.defined.insert(tokens[1]);
}

fortran_names fortran_names_of(std::string_view text)
{
    fortran_names out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        note_statement(tokens_of(text.substr(0, end)), out);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

/// Places each file after the files that define what it uses.
class orderer {
public:
    explicit orderer(const std::vector<fortran_file>& files) : files_(files), seen_(files.size())
    {
        for (const auto& each : files) {
            names_.push_back(fortran_names_of(each.text));
            for (const auto& name : names_.back().defined)
                defined_in_.emplace(name, names_.size() - 1);
        }
    }

    std::vector<std::string> order()
    {
        for (std::size_t file = 0; file < files_.size(); ++file)
            place(file);
        return std::move(out_);
    }

private:
    /// Depth-first, with an explicit stack because there may be many files. A file is placed after the files that it needs.
    void place(std::size_t first)
    {
        std::vector<std::size_t> waiting{first};
        while (!waiting.empty()) {
            const auto file = waiting.back();
            const auto before = waiting.size();
            if (!std::exchange(seen_[file].entered, true))
                for (const auto& name : names_[file].used)
                    if (const auto found = defined_in_.find(name); found != defined_in_.end() && !seen_[found->second].entered)
                        waiting.push_back(found->second);
            if (waiting.size() > before)
                continue;
            waiting.pop_back();
            if (!std::exchange(seen_[file].placed, true))
                out_.push_back(files_[file].path);
        }
    }

    struct progress {
        bool entered = false;
        bool placed = false;
    };

    const std::vector<fortran_file>& files_;
    std::vector<progress> seen_;
    std::vector<fortran_names> names_;
    std::map<std::string, std::size_t> defined_in_;
    std::vector<std::string> out_;
};

}    // namespace

std::vector<std::string> fortran_order(const std::vector<fortran_file>& files) { return orderer(files).order(); }

}    // namespace caisson
