#include "core/languages/java_main.hpp"

#include "core/languages/java_tokens.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace caisson {

namespace {

/// Bounds on the text and names examined; everything beyond is ignored.
constexpr std::size_t max_java_bytes = 1 << 20;          // of one file
constexpr std::size_t max_other_java_bytes = 4 << 20;    // of all other files
constexpr std::size_t max_java_name_bytes = 1'024;       // of a binary name
constexpr std::size_t max_member_tokens = 64;            // of modifiers, and of parameters
constexpr std::size_t max_shown_classes = 8;

using java_token_list = std::span<const std::string_view>;

/// The package clause's name; empty if there is none.
std::string java_package(java_token_list tokens)
{
    if (tokens.empty() || tokens.front() != "package")
        return {};
    std::string out;
    for (const auto token : tokens.subspan(1)) {
        if (token == ";")
            break;
        out += token;
    }
    return out;
}

std::string in_java_package(const std::string& package, std::string_view name)
{
    return package.empty() ? std::string(name) : package + "." + std::string(name);
}

/// The file name without directories and suffix.
std::string_view java_stem(std::string_view path)
{
    const auto name = path.substr(path.rfind('/') + 1);
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string_view token_at(java_token_list tokens, std::size_t at) { return at < tokens.size() ? tokens[at] : std::string_view(); }

/// Whether the parameters after `(` are one array of strings: `String[] a`, `String a[]`, `final String... a`.
bool takes_strings(java_token_list tokens)
{
    std::string parameter;
    for (const auto token : tokens) {
        if (token == ")")
            break;
        if (token != "final")
            parameter.append(token).append(is_java_word(token) ? " " : "");
    }
    static constexpr std::string_view package = "java .lang .";
    std::string_view rest = parameter;
    if (rest.starts_with(package))
        rest.remove_prefix(package.size());
    static constexpr std::string_view type = "String ";
    if (!rest.starts_with(type))
        return false;
    rest.remove_prefix(type.size());
    if (rest.starts_with("[]"))
        rest.remove_prefix(2);
    else if (rest.starts_with("..."))
        rest.remove_prefix(3);
    else if (rest.ends_with("[]"))
        rest.remove_suffix(2);
    else
        return false;
    return !rest.empty() && rest.find_first_of("[].,<>@ ") == rest.size() - 1;    // exactly one name
}

/// Walks over the tokens of a file and tracks the enclosing types.
class java_walk {
public:
    explicit java_walk(java_token_list tokens)
        : tokens_(tokens), package_(java_package(tokens.first(std::min(tokens.size(), max_member_tokens))))
    {
    }

    void run()
    {
        for (at_ = 0; at_ < tokens_.size(); ++at_)
            step(tokens_[at_]);
    }
    std::vector<std::string> mains;
    std::string public_type;    // the first top-level one

private:
    struct scope {
        std::string name;    // binary name of a type that can be started; empty: any other scope
        bool is_interface = false;
        std::size_t parentheses = 0;    // open ones around it
    };
    struct declaration {
        std::string_view name;    // empty: no declaration is open
        bool is_interface = false;
        std::size_t parentheses = 0;
    };

    void step(std::string_view token)
    {
        if (token == "(")
            ++parentheses_;
        else if (token == ")")
            parentheses_ -= parentheses_ > 0 ? 1 : 0;
        else if (token == "{")
            open();
        else if (token == "}")
            close();
        else if (token == "main")
            take_main();
        else if (declares_type())
            begin_type();
        if (token == "{" || token == "}" || token == ";")
            member_begin_ = at_ + 1;
    }

    /// `record` is a keyword only in declarations.
    bool declares_type() const
    {
        static constexpr std::array<std::string_view, 3> words{"class", "interface", "enum"};
        const auto token = tokens_[at_];
        const auto next = token_at(tokens_, at_ + 1);
        if (!is_java_word(next) || (at_ > 0 && tokens_[at_ - 1] == "."))
            return false;
        const auto after = token_at(tokens_, at_ + 2);
        return std::ranges::find(words, token) != words.end() || (token == "record" && (after == "(" || after == "<"));
    }

    /// Whether the member at the current token has the modifier `word`.
    bool has_modifier(std::string_view word) const
    {
        const auto length = std::min(at_ - member_begin_, max_member_tokens);
        const auto member = tokens_.subspan(at_ - length, length);
        return std::ranges::find(member, word) != member.end();
    }

    void begin_type()
    {
        declared_ = {token_at(tokens_, at_ + 1), tokens_[at_] == "interface", parentheses_};
        if (scopes_.empty() && public_type.empty() && has_modifier("public"))
            public_type = declared_.name;
    }

    void open()
    {
        scope next{{}, declared_.is_interface, parentheses_};
        const bool is_type = !declared_.name.empty() && declared_.parentheses == parentheses_;
        if (is_type && scopes_.empty())
            next.name = in_java_package(package_, declared_.name);
        else if (is_type && !scopes_.back().name.empty() && scopes_.back().name.size() + declared_.name.size() < max_java_name_bytes)
            next.name = scopes_.back().name + "$" + std::string(declared_.name);
        if (is_type)
            declared_ = {};
        scopes_.push_back(std::move(next));
    }

    void close()
    {
        if (scopes_.empty())
            return;
        parentheses_ = scopes_.back().parentheses;
        scopes_.pop_back();
    }

    void take_main()
    {
        const bool is_method = at_ > 0 && tokens_[at_ - 1] == "void" && token_at(tokens_, at_ + 1) == "(";
        if (!is_method || scopes_.empty() || scopes_.back().name.empty() || !has_modifier("static"))
            return;
        const bool is_public = scopes_.back().is_interface || has_modifier("public");
        if (is_public && takes_strings(tokens_.subspan(at_ + 2).first(std::min(tokens_.size() - at_ - 2, max_member_tokens))))
            mains.push_back(scopes_.back().name);
    }

    java_token_list tokens_;
    std::string package_;
    std::size_t at_ = 0;
    std::size_t member_begin_ = 0;
    std::size_t parentheses_ = 0;
    std::vector<scope> scopes_;
    declaration declared_;
};

java_walk walked(java_token_list tokens)
{
    java_walk walk(tokens);
    walk.run();
    return walk;
}

std::string names_of(const std::vector<std::string>& classes)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(classes.size(), max_shown_classes); ++i)
        out.append(out.empty() ? "" : ", ").append(classes[i]);
    return out + (classes.size() > max_shown_classes ? ", …" : "");
}

}    // namespace

std::string java_class_of(const std::string& main, std::string_view code)
{
    const auto tokens = java_tokens(code.substr(0, max_java_bytes));
    return in_java_package(java_package(java_token_list(tokens).first(std::min(tokens.size(), max_member_tokens))), java_stem(main));
}

std::vector<std::string> java_mains(std::string_view code)
{
    const auto tokens = java_tokens(code.substr(0, max_java_bytes));
    return walked(tokens).mains;
}

std::string java_public_type(std::string_view code)
{
    const auto tokens = java_tokens(code.substr(0, max_java_bytes));
    return walked(tokens).public_type;
}

namespace {

std::vector<std::string> java_mains_of(std::span<const std::string_view> files)
{
    std::vector<std::string> out;
    std::size_t bytes = 0;
    for (const auto file : files) {
        bytes += std::min(file.size(), max_java_bytes);
        if (bytes > max_other_java_bytes)
            break;
        std::ranges::copy(java_mains(file), std::back_inserter(out));
    }
    return out;
}

}    // namespace

java_choice java_main_class(const std::string& main, std::string_view code, std::span<const std::string_view> others)
{
    auto of_file = java_class_of(main, code);
    auto found = java_mains(code);
    if (std::ranges::find(found, of_file) != found.end())
        return {std::move(of_file), {}};
    if (found.empty())
        found = java_mains_of(others);
    if (found.size() > 1)
        return {{}, "has several classes with main: " + names_of(found) + "; name the code's file after the one that is to run (entry)"};
    return {found.empty() ? std::move(of_file) : std::move(found.front()), {}};
}
}    // namespace caisson
