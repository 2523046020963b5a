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
    task<> list_skill_files(call_ptr call);
    task<> get_skill_file(call_ptr call);
    // skill_routes.cpp
    task<> upload_skill(call_ptr call);
    task<> validate_skill(call_ptr call);
    task<> list_skills(call_ptr call);
    task<> get_skill_summary(call_ptr call);
    task<> list_skill_revisions(call_ptr call);
    task<> get_skill(call_ptr call);
    task<> download_skill(call_ptr call);
    task<> erase_skill_version(call_ptr call);
    task<> erase_skill(call_ptr call);
    task<> disable_skill(call_ptr call);
    task<> enable_skill(call_ptr call);
    task<> switch_skill(call_ptr call, bool disabled);

    const api_services& use_;
    std::vector<route> routes_;
};

}    // namespace caisson::http
