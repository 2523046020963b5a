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

/// Notes that nothing says what is to run, in the words of the skill runner's contract.
void refuse_nothing(object_reader& reader)
{
    const bool means_skill = reader.has("version") || reader.has("input");
    const std::string others = means_skill ? "" : ", or command, or shell, or language with code";
    reader.problems().add(reader.path_of("skill"), "is required" + others, "'skill' is required" + others);
}

bool is_of_code(std::string_view field) { return field == "code" || field == "language"; }

/// The one way of saying what runs that the request uses; empty after noting each field that does not go with the first.
std::string_view chosen_program(object_reader& reader)
{
    std::string_view first;
    bool fits = true;
    for (std::string_view way : {"command", "shell", "code", "language", "skill"}) {
        if (!reader.has(way) || (is_of_code(way) && is_of_code(first)))
            continue;
        if (!first.empty())
            reader.problem(way, "cannot be combined with " + std::string(first));
        fits = fits && first.empty();
        first = first.empty() ? way : first;
    }
    if (first.empty())
        refuse_nothing(reader);
    else if (!is_of_code(first) && reader.has("entry"))
        reader.problem("entry", "has a meaning with code only");
    return !fits ? std::string_view() : is_of_code(first) ? "code" : first;
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
    for (auto name : {"command", "shell", "language", "code", "entry"})
        reader.take(name);    // known, also where another of them was refused
    auto args = read_texts(reader, "args");
    spec.argv.insert(spec.argv.end(), std::make_move_iterator(args.begin()), std::make_move_iterator(args.end()));
}

}    // namespace caisson::wire
