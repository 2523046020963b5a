#pragma once

#include "app/doors/http/door.hpp"
#include "app/doors/http/services.hpp"

#include <vector>

namespace caisson::http {

/// Images of containers: those of the engine and those that a tenant may use.
class images_door : public door {
public:
    /// `services` outlive it.
    explicit images_door(const api_services& services);
    std::span<const route> routes() const override { return routes_; }

private:
    // image_routes.cpp
    task<> list_images(call_ptr call);
    task<> pull_image(call_ptr call);
    task<> answer_when_pulled(call_ptr call, std::string image);
    task<> load_image(call_ptr call);
    task<> remove_image(call_ptr call);
    task<> list_allowed_images(call_ptr call);
    task<> allow_image(call_ptr call);
    task<> disallow_image(call_ptr call);

    const api_services& use_;
    std::vector<route> routes_;
};

}    // namespace caisson::http
