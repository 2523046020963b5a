#include "app/config/toml_source.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace caisson {

namespace {

constexpr std::size_t max_file_bytes = 1 << 20;

class toml_reader {
public:
    toml_reader(std::string name, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes)
        : name_(std::move(name)), settings_(settings), places_(places), mistakes_(mistakes)
    {
    }

    void read(const toml::table& table, const std::string& prefix)
    {
        for (const auto& [name, node] : table) {
            const std::string key = prefix + std::string(name.str());
            const auto* known = settings_.find(key);
            if (known != nullptr)
                take(*known, node);
            else if (!settings_.is_group(key))
                report(name.source(), key + ": " + setting_book::mistake_of(key));
            else if (const auto* inner = node.as_table())
                read(*inner, key + ".");
            else
                report(node.source(), key + ": " + setting_book::mistake_of(key, "must be a table"));
        }
    }

    void report(const toml::source_region& where, std::string message) { mistakes_.push_back({place(where), std::move(message)}); }

private:
    std::string place(const toml::source_region& where) const
    {
        return name_ + ":" + std::to_string(where.begin.line) + ":" + std::to_string(where.begin.column);
    }

    void take(const setting& to, const toml::node& node)
    {
        const auto value = value_of(to.kind, node);
        if (!value)
            return report(node.source(), to.key + ": must be " + std::string(name_of(to.kind)));
        if (const auto wrong = to.apply(*value))
            return report(node.source(), to.key + ": " + *wrong);
        places_[to.key] = place(node.source());
    }

    static std::optional<setting_value> value_of(setting_kind kind, const toml::node& node)
    {
        switch (kind) {
        case setting_kind::text: return wrapped(node.value_exact<std::string>());
        case setting_kind::integer: return wrapped(node.value_exact<std::int64_t>());
        case setting_kind::boolean: return wrapped(node.value_exact<bool>());
        case setting_kind::text_list: return list_of(node);
        }
        return std::nullopt;
    }

    template <class T>
    static std::optional<setting_value> wrapped(std::optional<T> value)
    {
        if (!value)
            return std::nullopt;
        return setting_value(std::move(*value));
    }

    static std::optional<setting_value> list_of(const toml::node& node)
    {
        const auto* array = node.as_array();
        if (array == nullptr)
            return std::nullopt;
        std::vector<std::string> items;
        for (const auto& item : *array) {
            auto text = item.value_exact<std::string>();
            if (!text)
                return std::nullopt;
            items.push_back(std::move(*text));
        }
        return setting_value(std::move(items));
    }

    std::string name_;
    setting_book& settings_;
    setting_places& places_;
    std::vector<field_problem>& mistakes_;
};

}    // namespace

void apply_toml(
    std::string_view text, const std::string& name, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes)
{
    toml_reader reader(name, settings, places, mistakes);
    try {
        const auto table = toml::parse(text, name);
        reader.read(table, "");
    } catch (const toml::parse_error& failure) {
        reader.report(failure.source(), std::string(failure.description()));
    }
}

void apply_toml_file(
    const std::filesystem::path& path, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(max_file_bytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (!file.is_open() || file.bad()) {
        mistakes.push_back({path.string(), "the file cannot be read"});
        return;
    }
    if (text.size() > max_file_bytes) {
        mistakes.push_back({path.string(), "the file is larger than 1 MiB"});
        return;
    }
    apply_toml(text, path.string(), settings, places, mistakes);
}

}    // namespace caisson
