/// A config file of any content: it is applied, or every mistake in it has a place and a sentence.
#include "app/config/settings.hpp"
#include "app/config/toml_source.hpp"
#include "core/base/utf8.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson;
    const fuzz::input in(data, size);
    draft_config draft;
    setting_book settings(draft);
    setting_places places;
    std::vector<field_problem> mistakes;
    apply_toml(in.rest(), "fuzz.toml", settings, places, mistakes);
    for (const auto& each : mistakes)
        FUZZ_CHECK(!each.message.empty() && each.field.starts_with("fuzz.toml"));
    for (const auto& [key, place] : places)
        FUZZ_CHECK(place.starts_with("fuzz.toml:") && settings.find(key) != nullptr);
    for (const auto& each : settings.fixed()) {
        static_cast<void>(each.shown());
        if (const auto value = parse_setting(each.kind, in.rest().substr(0, 256)))
            FUZZ_CHECK(value->index() == static_cast<std::size_t>(each.kind));
    }
    if (const auto parts = parse_host_and_port(in.rest().substr(0, 256)))
        FUZZ_CHECK(!parts->host.empty());
    return 0;
}
