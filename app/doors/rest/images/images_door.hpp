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
    task<> list_images(call_ptr one);
    task<> pull_image(call_ptr one);
    task<> answer_when_pulled(call_ptr one, std::string image);
    task<> load_image(call_ptr one);
    task<> remove_image(call_ptr one);
    task<> list_allowed_images(call_ptr one);
    task<> allow_image(call_ptr one);
    task<> disallow_image(call_ptr one);

    const api_services& use_;
    std::vector<route> routes_;
};

}    // namespace caisson::http
