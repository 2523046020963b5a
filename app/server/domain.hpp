#pragma once

#include "app/server/compile_parts.hpp"
#include "app/server/disk_room.hpp"
#include "app/server/foundation.hpp"
#include "app/server/host.hpp"
#include "app/server/skill_parts.hpp"
#include "app/server/thread_parts.hpp"
#include "core/auth/auth_service.hpp"
#include "core/auth/key_watch.hpp"
#include "core/auth/tickets.hpp"
#include "core/exec/execution_service.hpp"
#include "core/exec/skill/skill_runs.hpp"
#include "core/files/janitor.hpp"
#include "core/files/url_signer.hpp"
#include "core/images/image_service.hpp"
#include "core/languages/languages.hpp"

#include <functional>

namespace caisson {

/// What a server does, however it is asked: executions, skills, images, threads, and the keys to them. Its members use those before them.
struct domain {
    /// `on` outlives it. `webhook_due` is called when the end of an execution with a webhook is stored.
    domain(foundation& on, std::function<void()> webhook_due);

    foundation& base;
    disk_room room;
    skill_parts skills;
    compile_parts compiled;
    const execution_limit_ranges skill_limits;
    caisson::host host;
    image_service images;
    const caisson::image_table image_table;
    caisson::skill_runs skill_runs;
    thread_parts threads;
    execution_service executions;
    auth_service auth;
    ticket_office tickets;
    key_watch keys;
    url_signer signer;
    caisson::janitor janitor;
    language_catalog languages;

private:
    execution_services services(std::function<void()> webhook_due);
};

}    // namespace caisson
