#include "adapters/engine/volumes.hpp"

#include "adapters/engine/json_fields.hpp"

#include <boost/json/serialize.hpp>

namespace caisson::docker {

namespace json = boost::json;

namespace {

std::string volume_path(const std::string& name) { return "/volumes/" + escaped(name); }

std::string filter_by_name(const std::string& begin) { return escaped(json::serialize(json::object{{"name", json::array{begin}}})); }

volume_info volume_info_from(const json::value& from)
{
    return {std::string(needed(from, "Name").as_string()), text_of(from, "CreatedAt")};
}

}    // namespace

task<result<volume_info>> volumes::inspect(std::string name, steady_time deadline)
{
    const auto got = co_await engine_.call("GET", volume_path(name), deadline);
    co_return read_answer(got, "a volume", volume_info_from);
}

task<result<std::vector<volume_info>>> volumes::list(std::string begin, steady_time deadline)
{
    const auto got = co_await engine_.call("GET", "/volumes?filters=" + filter_by_name(begin), deadline);
    co_return read_answer(got, "its volumes", [&](const json::value& all) {
        std::vector<volume_info> out;
        const auto* const found = member(all, "Volumes");
        if (found == nullptr)
            return out;
        for (const auto& each : found->as_array()) {
            auto volume = volume_info_from(each);
            if (volume.name.starts_with(begin))    // the engine's filter matches any part of a name
                out.push_back(std::move(volume));
        }
        return out;
    });
}

task<result<void>> volumes::remove(std::string name, steady_time deadline)
{
    const auto gone = co_await engine_.call("DELETE", volume_path(name), deadline);
    if (gone.has_error() && gone.error().code != errc::not_found)
        co_return gone.error();
    co_return result<void>();
}

}    // namespace caisson::docker
