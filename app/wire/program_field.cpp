#include "app/wire/execution_fields.hpp"

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_code_bytes = 80 << 20;    // the disk limit says more
constexpr std::size_t max_language_bytes = 64;

std::vector<std::string> read_texts(object_reader& reader, std::string_view field)
{
    std::vector<std::string> out;
    const auto* array = reader.array(field);
    if (array == nullptr)
        return out;
    if (array->size() > max_arguments) {
        reader.problem(field, "must have at most " + std::to_string(max_arguments) + " items, not " + std::to_string(array->size()));
        return out;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
        const auto path = reader.path_of(field) + '[' + std::to_string(i) + ']';
        out.push_back(text_of((*array)[i], path, max_argument_bytes, reader.problems()).value_or(""));
    }
    return out;
}

void read_command(object_reader& reader, execution_spec& spec)
{
    spec.kind = execution_kind::command;
    const auto* given = reader.take("command");
    spec.argv = read_texts(reader, "command");
    if (given->is_array() && (spec.argv.empty() || (given->get_array()[0].is_string() && spec.argv.front().empty())))
        reader.problem("command", "must name a program first");
}

void read_shell(object_reader& reader, const language_catalog& languages, execution_spec& spec)
{
    spec.kind = execution_kind::shell;
    const auto* bash = languages.find("bash");
    const auto shell = bash != nullptr && bash->available() ? bash->path : std::string("/bin/sh");
    spec.argv = {shell, "-c", reader.text("shell", max_argument_bytes, 1).value_or(""), shell.substr(shell.rfind('/') + 1)};
}

const language_catalog::entry* read_language(object_reader& reader, const language_catalog& languages)
{
    if (!reader.has("language")) {
        reader.problem("language", "is required with code");
        return nullptr;
    }
    const auto name = reader.text("language", max_language_bytes);
    if (!name)
        return nullptr;
    const auto* found = languages.find(*name);
    if (found != nullptr && found->available())
        return found;
    reader.problem("language",
        std::string(found == nullptr ? "is not known" : "is not installed on this server") + "; available: " + languages.available_names());
    return nullptr;
}

/// The file of the code; its name is the language's unless `entry` says otherwise.
std::string read_entry(object_reader& reader, const language_catalog::entry* language)
{
    const auto entry = reader.text("entry", max_path_bytes);
    if (!entry)
        return language == nullptr ? "" : std::string(language->what->file);
    auto [path, problem] = check_file(*entry);
    if (!problem.empty())
        reader.problem("entry", problem);
    return path;
}

void read_code(object_reader& reader, const language_catalog& languages, execution_spec& spec, std::vector<named_file>& files)
{
    spec.kind = execution_kind::code;
    const auto* language = read_language(reader, languages);
    auto file = read_entry(reader, language);
    if (!reader.has("code"))
        reader.problem("code", "is required with language");
    auto code = reader.text("code", max_code_bytes);
    if (language == nullptr || file.empty() || !code)
        return;
    spec.language = language->what->name;
    spec.argv = run_command(*language, path_from(spec.cwd, file), {});
    files.push_back({reader.has("entry") ? "entry" : "code", {std::move(file), std::move(*code)}});
}

/// The one way of saying what runs that the request uses; empty after noting a problem.
std::string_view chosen_program(object_reader& reader)
{
    constexpr std::array<std::string_view, 4> ways{"command", "shell", "code", "skill"};
    std::string_view chosen;
    for (auto way : ways) {
        if (!reader.has(way) && !(way == "code" && reader.has("language")))
            continue;
        if (!chosen.empty()) {
            reader.problem(way, "cannot be combined with " + std::string(chosen));
            return {};
        }
        chosen = way;
    }
    if (chosen.empty())
        reader.problem("command", "is required, or shell, or language with code, or skill");
    return chosen;
}

}    // namespace

void read_program(object_reader& reader, const language_catalog& languages, execution_spec& spec, std::vector<named_file>& files)
{
    const auto way = chosen_program(reader);
    if (way == "command")
        read_command(reader, spec);
    else if (way == "shell")
        read_shell(reader, languages, spec);
    else if (way == "code")
        read_code(reader, languages, spec, files);
    if (way != "code" && way != "" && reader.has("entry"))
        reader.problem("entry", "has a meaning with code only");
    for (auto name : {"command", "shell", "language", "code", "entry"})
        reader.take(name);    // known, also where another of them was refused
    auto args = read_texts(reader, "args");
    spec.argv.insert(spec.argv.end(), std::make_move_iterator(args.begin()), std::make_move_iterator(args.end()));
}

}    // namespace caisson::wire
