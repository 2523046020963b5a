#include "app/doors/rest/doors.hpp"

#include "app/doors/rest/artifacts/artifacts_door.hpp"
#include "app/doors/rest/executions/executions_door.hpp"
#include "app/doors/rest/images/images_door.hpp"
#include "app/doors/rest/service/service_door.hpp"
#include "app/doors/rest/skills/skills_door.hpp"
#include "app/doors/rest/threads/threads_door.hpp"

#include <memory>

namespace caisson::http {

namespace {

template <class Door>
std::unique_ptr<door> made(const api_services& services)
{
    return std::make_unique<Door>(services);
}

}    // namespace

std::vector<door_maker> rest_doors()
{
    return {
        &made<executions_door>, &made<artifacts_door>, &made<skills_door>, &made<images_door>, &made<threads_door>, &made<service_door>};
}

}    // namespace caisson::http
