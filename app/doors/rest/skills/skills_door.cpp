#include "app/doors/rest/skills/skills_door.hpp"

#include "app/doors/rest/skills/skill_upload.hpp"

namespace caisson::http {

skills_door::skills_door(const api_services& services) : use_(services)
{
    const auto package_bytes = static_cast<std::uint64_t>(use_.config.skills.max_package_bytes) + upload_overhead_bytes;
    routes_ = {
        {"POST", "/v1/skills", scope::run, handler(this, &skills_door::upload_skill),
            {.body_bytes = package_bytes, .body = net::body_mode::streamed}},
        {"GET", "/v1/skills", scope::read, handler(this, &skills_door::list_skills), {.has_query = true}},
        {"POST", "/v1/skills/validate", scope::read, handler(this, &skills_door::validate_skill),
            {.body_bytes = package_bytes, .body = net::body_mode::streamed}},
        {"GET", "/v1/skills/{name}", scope::read, handler(this, &skills_door::get_skill_summary)},
        {"DELETE", "/v1/skills/{name}", scope::run, handler(this, &skills_door::erase_skill)},
        {"GET", "/v1/skills/{name}/versions", scope::read, handler(this, &skills_door::list_skill_revisions), {.has_query = true}},
        {"GET", "/v1/skills/{name}/{version}", scope::read, handler(this, &skills_door::get_skill)},
        {"DELETE", "/v1/skills/{name}/{version}", scope::run, handler(this, &skills_door::erase_skill_version)},
        {"GET", "/v1/skills/{name}/{version}/package", scope::read, handler(this, &skills_door::download_skill)},
        {"GET", "/v1/skills/{name}/{version}/files", scope::read, handler(this, &skills_door::list_skill_files)},
        {"GET", "/v1/skills/{name}/{version}/files/{path...}", scope::read, handler(this, &skills_door::get_skill_file)},
        {"POST", "/v1/skills/{name}/{version}/disable", scope::run, handler(this, &skills_door::disable_skill)},
        {"POST", "/v1/skills/{name}/{version}/enable", scope::run, handler(this, &skills_door::enable_skill)},
    };
}

}    // namespace caisson::http
