#include "app/wire/compiler_field.hpp"
#include "app/wire/execution_fields.hpp"
#include "app/wire/image_field.hpp"
#include "core/languages/compile_command.hpp"

#include <algorithm>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_code_bytes = 80 << 20;    // the disk limit is checked later
constexpr std::size_t max_language_bytes = 64;

std::vector<std::string> read_arguments(object_reader& reader, std::string_view field)
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
    spec.argv = read_arguments(reader, "command");
    if (given->is_array() && (spec.argv.empty() || (given->get_array()[0].is_string() && spec.argv.front().empty())))
        reader.problem("command", "must name a program first");
}

/// [SHELL, "-c", TEXT, its name]: bash or /bin/sh of this host, or sh in an image.
std::vector<std::string> shell_argv(const language_catalog& host, bool in_image, std::string text)
{
    const auto* bash = host.find("bash");
    const auto path = in_image ? std::string("sh") : bash != nullptr && bash->available() ? bash->path : std::string("/bin/sh");
    return {path, "-c", std::move(text), path.substr(path.rfind('/') + 1)};
}

void read_shell(object_reader& reader, const wire_context& context, execution_spec& spec)
{
    spec.kind = execution_kind::shell;
    const auto text = reader.text("shell", max_argument_bytes, 1).value_or("");
    const bool in_image = runs_in_image(context, spec);
    spec.argv = shell_argv(*context.languages, in_image, text);
    if (in_image)
        spec.host_argv = shell_argv(*context.languages, false, text);
}

/// The interpreter and compiler of a language in the image of `spec`; unavailable if there is no image.
language_catalog::entry in_image_of(const wire_context& context, const execution_spec& spec, const language& what)
{
    const auto& image = spec.image.empty() ? context.images->image_of(what.name) : spec.image;
    if (image.empty())
        return {.what = &what};
    return {.what = &what, .path = context.images->interpreter(image, what.name), .compiler = context.images->compiler(image, what.name)};
}

/// A copy without the version, which is detected while requests are read.
language_catalog::entry on_host(const language_catalog::entry& known)
{
    return {.what = known.what, .path = known.path, .compiler = known.compiler, .script = known.script};
}

std::optional<language_catalog::entry> read_language(object_reader& reader, const wire_context& context, const execution_spec& spec)
{
    if (!reader.has("language")) {
        reader.problem("language", "is required with code");
        return std::nullopt;
    }
    const auto name = reader.text("language", max_language_bytes);
    if (!name)
        return std::nullopt;
    const auto* known = context.languages->find(*name);
    const bool needs_image = runs_in_image(context, spec);
    auto found = known == nullptr ? language_catalog::entry() : needs_image ? in_image_of(context, spec, *known->what) : on_host(*known);
    if (found.available())
        return found;
    const auto what = known == nullptr ? std::string("is not known")
                      : needs_image    ? std::string("has no image on this server")
                                       : "is not installed on this server (the Debian package " + std::string(known->what->package) + ")";
    reader.problem("language", what + "; available: " + (needs_image ? context.images->languages() : context.languages->available_names()));
    return std::nullopt;
}

/// The name of the code's file: `entry`, or the default of the language.
std::string read_entry(
    object_reader& reader, const std::optional<language_catalog::entry>& language, const std::optional<std::string>& code)
{
    const auto entry = reader.text("entry", max_path_bytes);
    if (!entry)
        return language ? default_file(*language->what, code.value_or("")) : "";
    auto [path, problem] = check_file(*entry);
    if (!problem.empty())
        reader.problem("entry", problem);
    return path;
}

/// Reads the compiler's limits; memory is at most the execution's.
compile_limits read_compile_limits(object_reader& reader, const wire_context& context, const execution_spec& spec)
{
    const auto& ranges = context.compile;
    const auto most = spec.limits.memory_bytes;
    compile_limits out{ranges.wall_ms.def, ranges.cpu_ms.def, most};
    const auto* object = reader.object("compile");
    if (object == nullptr)
        return out;
    object_reader limits(*object, reader.path_of("compile"), reader.problems());
    out.wall_ms = limits.integer("wall_ms", ranges.wall_ms.min, ranges.wall_ms.max).value_or(out.wall_ms);
    out.cpu_ms = limits.integer("cpu_ms", ranges.cpu_ms.min, ranges.cpu_ms.max).value_or(out.cpu_ms);
    out.memory_bytes = limits.integer("memory_bytes", std::min(context.limits->memory_bytes.min, most), most).value_or(most);
    limits.refuse_unknown();
    return out;
}

std::vector<input_file> files_for(const language_catalog::entry& language, const code_files& files)
{
    std::vector<input_file> out;
    for (auto& each : compiler_files(language, files))
        out.push_back({std::move(each.path), shared_bytes(std::move(each.content))});
    return out;
}

/// Sets the compile step and the argv of the compiled program.
void compile_code(const wire_context& context, execution_spec& spec, const language_catalog::entry& language, const code_files& files)
{
    const auto to_work = path_from(spec.cwd, "");
    const auto& rule = *language.what->compile;
    auto& step = spec.compile.emplace();
    step.argv = compile_command(language, files);
    step.directory = compile_directory(language, files);
    step.env.insert(rule.env.begin(), rule.env.end());
    step.files = files_for(language, files);
    spec.argv = made_command(language, files, to_work);
    spec.env.insert(rule.program_env.begin(), rule.program_env.end());
    const auto* host = context.languages->find(language.what->name);
    if (!runs_in_image(context, spec) || !host->available())
        return;
    step.host_argv = compile_command(*host, files);
    spec.host_argv = made_command(*host, files, to_work);
}

void read_code(object_reader& reader, const wire_context& context, execution_spec& spec, std::vector<named_file>& files)
{
    spec.kind = execution_kind::code;
    const auto language = read_language(reader, context, spec);
    auto code = reader.text("code", max_code_bytes);
    auto file = read_entry(reader, language, code);
    const bool compiled = language && language->what->compile != nullptr;
    const auto limits = read_compile_limits(reader, context, spec);
    auto wishes = read_compiler(reader, compiled ? language->what : nullptr);
    for (std::string_view field : {"compile", "compiler"})
        if (language && !compiled && reader.has(field))
            reader.problem(field, "has a meaning only with a language that is compiled");
    if (!reader.has("code"))
        reader.problem("code", "is required with language");
    if (!language || file.empty() || !code)
        return;
    spec.language = language->what->name;
    if (compiled) {
        code_files all{file, *code, {}, spec.limits.memory_bytes, {}, std::move(wishes)};
        for (const auto& each : files) {
            all.others.push_back(each.file.path);
            if (each.file.path.ends_with(".java"))
                all.contents.push_back(each.file.content.view());
            if (spec.language == "fortran")
                all.fortran.push_back({each.file.path, each.file.content.view()});
        }
        if (const auto problem = start_problem(*language->what, all); !problem.empty())
            reader.problem("code", problem);
        compile_code(context, spec, *language, all);
        spec.compile->limits = limits;
        files.push_back({reader.has("entry") ? "entry" : "code", {std::move(file), shared_bytes(std::move(*code))}});
        return;
    }
    spec.argv = run_command(*language, path_from(spec.cwd, file), {});
    if (const auto* host = context.languages->find(spec.language); runs_in_image(context, spec) && host->available())
        spec.host_argv = run_command(*host, path_from(spec.cwd, file), {});
    files.push_back({reader.has("entry") ? "entry" : "code", {std::move(file), shared_bytes(std::move(*code))}});
}

/// Adds the problem that no program is given, with the message of the skill runner's contract.
void refuse_nothing(object_reader& reader)
{
    const bool means_skill = reader.has("version") || reader.has("input");
    const std::string others = means_skill ? "" : ", or command, or shell, or language with code";
    reader.problems().add(reader.path_of("skill"), "is required" + others, "'skill' is required" + others);
}

bool is_of_code(std::string_view field) { return field == "code" || field == "language"; }

/// True for programs that can run in a skill's package in place of its own.
bool runs_in_package(std::string_view way) { return way == "command" || way == "shell"; }

/// The field that gives the program; empty, with problems, if there is none or another field conflicts with it.
std::string_view chosen_program(object_reader& reader)
{
    std::string_view first;
    bool fits = true;
    for (std::string_view way : {"command", "shell", "code", "language", "skill"}) {
        const bool goes_with_first = (is_of_code(way) && is_of_code(first)) || (way == "skill" && runs_in_package(first));
        if (!reader.has(way) || goes_with_first)
            continue;
        if (!first.empty())
            reader.problem(way, "cannot be combined with " + std::string(first));
        fits = fits && first.empty();
        first = first.empty() ? way : first;
    }
    if (first.empty())
        refuse_nothing(reader);
    for (std::string_view field : {"entry", "compile", "compiler"})
        if (!first.empty() && !is_of_code(first) && reader.has(field))
            reader.problem(field, "has a meaning with code only");
    return !fits ? std::string_view() : is_of_code(first) ? "code" : first;
}

}    // namespace

void read_program(object_reader& reader, const wire_context& context, execution_spec& spec, std::vector<named_file>& files)
{
    const auto way = chosen_program(reader);
    if (way == "command")
        read_command(reader, spec);
    else if (way == "shell")
        read_shell(reader, context, spec);
    else if (way == "code")
        read_code(reader, context, spec, files);
    for (auto name : {"command", "shell", "language", "code", "entry", "compile", "compiler"})
        reader.take(name);    // mark as known, even if one was refused
    if (way == "command" && runs_in_image(context, spec))
        spec.host_argv = spec.argv;
    auto args = read_arguments(reader, "args");
    if (!spec.may_fall_back)
        spec.host_argv.clear();
    if (!spec.host_argv.empty())
        spec.host_argv.insert(spec.host_argv.end(), args.begin(), args.end());
    spec.argv.insert(spec.argv.end(), std::make_move_iterator(args.begin()), std::make_move_iterator(args.end()));
}

}    // namespace caisson::wire
