#pragma once

#include "app/doors/http/door.hpp"
#include "app/doors/http/services.hpp"

#include <vector>

namespace caisson::http {

/// Files that executions left.
class artifacts_door : public door {
public:
    /// `services` outlive it.
    explicit artifacts_door(const api_services& services);
    std::span<const route> routes() const override { return routes_; }

private:
    // artifact_routes.cpp
    task<result<execution_row>> ended_execution(call_ptr call);
    task<result<artifact_row>> named_artifact(call_ptr call);
    task<> list_artifacts(call_ptr call);
    task<> get_artifact(call_ptr call);
    task<> delete_artifact(call_ptr call);
    task<> get_files(call_ptr call);

    const api_services& use_;
    std::vector<route> routes_;
};

}    // namespace caisson::http
