#include "app/wire/image_field.hpp"

#include "core/exec/skill/skill_images.hpp"
#include "core/images/name_rules.hpp"

namespace caisson::wire {

namespace {

std::string with_images(const std::vector<std::string>& runtimes)
{
    std::string names;
    for (const auto& each : runtimes)
        if (has_images(each))
            names.append(names.empty() ? "; runtimes with images: " : ", ").append(each);
    return names;
}

}    // namespace

bool runs_in_image(const wire_context& context, const execution_spec& spec)
{
    return context.images != nullptr && has_images(spec.runtime);
}

void read_image(object_reader& reader, const wire_context& context, execution_spec& spec)
{
    spec.may_fall_back = !reader.has("runtime") && !reader.has("image") && !reader.has("skill");
    if (!reader.has("image"))
        return;
    const auto name = reader.text("image", max_image_name_bytes);
    if (!name)
        return;
    if (const auto problem = image_name_problem(*name); !problem.empty())
        reader.problem("image", problem);
    else if (reader.has("skill"))
        reader.problem("image", "cannot be combined with skill: a skill names its own");
    else if (!runs_in_image(context, spec))
        reader.problem("image", "has no meaning on the runtime " + spec.runtime + ", which runs programs of the server's host" +
                                    with_images(*context.runtimes));
    else
        spec.image = *name;
}

void settle_image(object_reader& reader, const wire_context& context, execution_spec& spec)
{
    if (!runs_in_image(context, spec) || reader.has("skill") || !spec.image.empty() || reader.has("image"))
        return;
    spec.image = spec.kind == execution_kind::code ? context.images->image_of(spec.language) : context.images->standard();
    if (spec.image.empty() && spec.kind != execution_kind::code)
        reader.problem("image", "is required: this server has none for commands (images.default)");
}

}    // namespace caisson::wire
