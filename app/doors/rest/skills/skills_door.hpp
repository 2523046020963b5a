#pragma once

#include "app/doors/http/door.hpp"
#include "app/doors/http/services.hpp"

#include <vector>

namespace caisson::http {

/// Packages of skills.
class skills_door : public door {
public:
    /// `services` outlive it.
    explicit skills_door(const api_services& services);
    std::span<const route> routes() const override { return routes_; }

private:
    // skill_file_routes.cpp
    task<> list_skill_files(call_ptr one);
    task<> get_skill_file(call_ptr one);
    // skill_routes.cpp
    task<> upload_skill(call_ptr one);
    task<> validate_skill(call_ptr one);
    task<> list_skills(call_ptr one);
    task<> get_skill_summary(call_ptr one);
    task<> list_skill_revisions(call_ptr one);
    task<> get_skill(call_ptr one);
    task<> download_skill(call_ptr one);
    task<> erase_skill_version(call_ptr one);
    task<> erase_skill(call_ptr one);
    task<> disable_skill(call_ptr one);
    task<> enable_skill(call_ptr one);
    task<> switch_skill(call_ptr one, bool disabled);

    const api_services& use_;
    std::vector<route> routes_;
};

}    // namespace caisson::http
