#include "app/doors/rest/images/images_door.hpp"

namespace caisson::http {

images_door::images_door(const api_services& services) : use_(services)
{
    const auto image_bytes = static_cast<std::uint64_t>(use_.config.images.max_load_bytes);
    routes_ = {
        {"GET", "/v1/images", scope::read, handler(this, &images_door::list_images)},
        {"POST", "/v1/images/pull", scope::run, handler(this, &images_door::pull_image)},
        {"POST", "/v1/images/load", scope::admin, handler(this, &images_door::load_image),
            {.has_query = true, .body_bytes = image_bytes, .body = net::body_mode::streamed}},
        {"DELETE", "/v1/images/{image...}", scope::admin, handler(this, &images_door::remove_image)},
        {"GET", "/v1/admin/images", scope::admin, handler(this, &images_door::list_allowed_images)},
        {"PUT", "/v1/admin/images/{image...}", scope::admin, handler(this, &images_door::allow_image), {.has_query = true}},
        {"DELETE", "/v1/admin/images/{image...}", scope::admin, handler(this, &images_door::disallow_image), {.has_query = true}},
    };
}

}    // namespace caisson::http
