#include "app/wire/compiler_field.hpp"

#include <boost/json/array.hpp>

namespace caisson::wire {

namespace {

constexpr std::size_t max_standard_bytes = 32;

void read_standard(object_reader& compiler, const compiler_choices& choices, compiler_wishes& out)
{
    auto standard = compiler.text("std", max_standard_bytes, 1);
    if (!standard)
        return;
    if (const auto problem = standard_problem(choices, *standard); !problem.empty())
        compiler.problem("std", problem);
    else
        out.standard = std::move(*standard);
}

void read_flags(object_reader& compiler, const compiler_choices& choices, compiler_wishes& out)
{
    const auto* flags = compiler.array("flags");
    if (flags == nullptr)
        return;
    if (flags->size() > max_compiler_flags) {
        compiler.problem(
            "flags", "must have at most " + std::to_string(max_compiler_flags) + " items, not " + std::to_string(flags->size()));
        return;
    }
    for (std::size_t i = 0; i < flags->size(); ++i) {
        const auto path = compiler.path_of("flags") + '[' + std::to_string(i) + ']';
        auto flag = text_of((*flags)[i], path, max_compiler_flag_bytes, compiler.problems());
        if (!flag)
            continue;
        if (auto problem = flag_problem(choices, *flag); !problem.empty())
            compiler.problems().add(path, std::move(problem));
        else
            out.flags.push_back(std::move(*flag));
    }
}

}    // namespace

compiler_wishes read_compiler(object_reader& reader, const language* what)
{
    static constexpr compiler_choices nothing;
    compiler_wishes out;
    if (what == nullptr) {
        reader.take("compiler");
        return out;
    }
    const auto* object = reader.object("compiler");
    if (object == nullptr)
        return out;
    object_reader compiler(*object, reader.path_of("compiler"), reader.problems());
    const auto& choices = what->compile->choices == nullptr ? nothing : *what->compile->choices;
    read_standard(compiler, choices, out);
    read_flags(compiler, choices, out);
    compiler.refuse_unknown();
    return out;
}

}    // namespace caisson::wire
