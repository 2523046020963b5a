#include "app/wire/collect_field.hpp"

#include "core/files/patterns.hpp"

#include <boost/json/array.hpp>

namespace caisson::wire {

collect_spec collect_limits(const artifacts_config& config)
{
    collect_spec spec;
    spec.max_files = config.max_files;
    spec.max_bytes = config.max_bytes;
    spec.max_file_bytes = config.max_file_bytes;
    spec.max_depth = config.max_depth;
    return spec;
}

collect_spec read_collect(object_reader& reader, const artifacts_config& config)
{
    auto spec = collect_limits(config);
    const auto* array = reader.array("collect");
    if (array == nullptr)
        return spec;
    if (array->size() > max_patterns) {
        reader.problem("collect", "must not have more than " + std::to_string(max_patterns) + " patterns");
        return spec;
    }
    const auto field = reader.path_of("collect");
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < array->size(); ++i) {
        const auto place = field + "[" + std::to_string(i) + "]";
        auto text = text_of((*array)[i], place, max_pattern_bytes, reader.problems());
        if (!text)
            continue;
        if (auto wrong = pattern_problem(*text); !wrong.empty())
            reader.problems().add(place, std::move(wrong));
        bytes += text->size();
        spec.patterns.push_back(std::move(*text));
    }
    if (bytes > max_patterns_bytes)
        reader.problem("collect", "must not have more than " + std::to_string(max_patterns_bytes) + " bytes in all its patterns together");
    return spec;
}

}    // namespace caisson::wire
