#include "adapters/containers/engine_record.hpp"

#include "adapters/host/local_record.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace caisson {

namespace json = boost::json;

void engine_record::stamp(steady_time now)
{
    local_record here;
    here.stamp(now);
    boot_id = here.boot_id;
    made_at_ns = here.made_at_ns;
}

std::optional<steady_time> engine_record::made_at() const
{
    local_record there;
    there.boot_id = boot_id;
    if (made_at_ns <= 0 || boot_id.empty() || !there.is_of_this_boot())
        return std::nullopt;
    return steady_time(std::chrono::duration_cast<steady_time::duration>(std::chrono::nanoseconds(made_at_ns)));
}

std::string engine_record::to_json() const
{
    return json::serialize(json::object{{"runtime", runtime}, {"container", container}, {"work_directory", work_directory},
        {"image", image}, {"image_digest", image_digest}, {"boot", boot_id}, {"made_at_ns", made_at_ns}, {"cpu_before_us", cpu_before_us}});
}

std::optional<engine_record> engine_record::from_json(std::string_view text)
try {
    const auto object = json::parse(json::string_view(text.data(), text.size()));
    const auto words = [&](const char* name) { return std::string(object.at(name).as_string()); };
    const auto number = [&](const char* name) { return object.at(name).to_number<std::int64_t>(); };
    return engine_record{words("runtime"), words("container"), words("work_directory"), words("image"), words("image_digest"),
        words("boot"), number("made_at_ns"), number("cpu_before_us")};
} catch (const std::exception&) {
    return std::nullopt;
}

}    // namespace caisson
