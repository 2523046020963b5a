#pragma once

#include "app/http/call.hpp"
#include "app/http/kept_answers.hpp"
#include "app/http/services.hpp"
#include "app/http/thread_call.hpp"
#include "app/wire/query.hpp"
#include "app/wire/stats_view.hpp"
#include "app/wire/thread_query.hpp"

#include <map>
#include <span>

namespace caisson::http {

/// One route of the API.
struct route;

/// The HTTP API: finds the route, authenticates the client and calls the route's handler. docs/openapi.yaml describes each route.
class api : public net::handler {
public:
    explicit api(api_services services);
    api(const api&) = delete;
    api& operator=(const api&) = delete;

    task<> handle(net::exchange& one) override;
    net::body_mode body_mode_of(const net::request& head) const override;
    std::uint64_t body_limit(const net::request& head) const override;
    task<result<std::string>> admit(const net::request* head) override;
    void complete(const net::request& from, net::headers& answer) const override { use_.pages.tell(from, answer); }

    /// Method and path of every route, as "GET /v1/executions/{id}"; a test compares them with docs/openapi.yaml.
    static std::vector<std::string> route_names();

private:
    friend struct route_table;

    task<> answer(call_ptr one, const route* to);
    /// `methods`: what the path supports.
    task<> answer_preflight(call_ptr one, std::string methods);
    task<> answer_route(call_ptr one, const route* to);
    /// `stream`: id of the execution whose events are requested; a ticket stays valid for that stream. Empty: a ticket works once.
    task<result<principal>> authenticate(const net::request* from, const route* to, std::string stream);
    task<result<principal>> redeem_ticket(std::string ticket, std::string stream);

    // create_route.cpp
    task<> create_execution(call_ptr one);
    // executions_routes.cpp
    task<> list_executions(call_ptr one);
    task<> get_execution(call_ptr one);
    task<> read_execution(call_ptr one, execution_id id, wire::get_query query);
    task<> delete_execution(call_ptr one);
    task<> cancel_execution(call_ptr one);
    task<> signal_execution(call_ptr one);
    task<> write_stdin(call_ptr one);
    // payload_routes.cpp
    task<> get_input(call_ptr one);
    task<> get_output(call_ptr one);
    // batch_route.cpp
    task<> create_batch(call_ptr one);
    // skill_routes.cpp
    task<> upload_skill(call_ptr one);
    task<> validate_skill(call_ptr one);
    task<> list_skills(call_ptr one);
    task<> get_skill_summary(call_ptr one);
    task<> list_skill_revisions(call_ptr one);
    task<> get_skill(call_ptr one);
    task<> download_skill(call_ptr one);
    // skill_file_routes.cpp
    task<> list_skill_files(call_ptr one);
    task<> get_skill_file(call_ptr one);
    // skill_routes.cpp
    task<> erase_skill_version(call_ptr one);
    task<> erase_skill(call_ptr one);
    task<> disable_skill(call_ptr one);
    task<> enable_skill(call_ptr one);
    // image_routes.cpp
    task<> list_images(call_ptr one);
    task<> pull_image(call_ptr one);
    task<> load_image(call_ptr one);
    task<> remove_image(call_ptr one);
    task<> list_allowed_images(call_ptr one);
    task<> allow_image(call_ptr one);
    task<> disallow_image(call_ptr one);
    task<> answer_when_pulled(call_ptr one, std::string image);
    // thread_routes.cpp
    task<> save_checkpoint(call_ptr one);
    task<> list_checkpoints(call_ptr one);
    task<> get_checkpoint(call_ptr one);
    task<> read_latest(call_ptr one, thread_name thread, kept_answers::form form);
    task<> read_checkpoint(call_ptr one, named_checkpoint named, wire::checkpoint_parts parts);
    task<> get_checkpoint_state(call_ptr one);
    task<> delete_checkpoint(call_ptr one);
    task<> pin_checkpoint(call_ptr one);
    task<> unpin_checkpoint(call_ptr one);
    task<> set_pin(call_ptr one, bool pinned);
    task<> list_threads(call_ptr one);
    task<> get_thread(call_ptr one);
    task<> put_thread(call_ptr one);
    task<> delete_thread(call_ptr one);
    task<> roll_back_thread(call_ptr one);
    task<> branch_thread(call_ptr one);
    task<> diff_thread(call_ptr one);
    // thread_file_routes.cpp
    task<> export_thread(call_ptr one);
    task<> import_thread(call_ptr one);
    // log_routes.cpp
    task<> get_logs(call_ptr one);
    task<> get_events(call_ptr one);
    // artifact_routes.cpp
    task<> list_artifacts(call_ptr one);
    task<> get_artifact(call_ptr one);
    task<> delete_artifact(call_ptr one);
    task<> get_files(call_ptr one);
    task<result<execution_row>> ended_execution(call_ptr one);
    task<result<artifact_row>> named_artifact(call_ptr one);
    task<result<principal>> authenticate_signed(call_ptr one);
    // stream_routes.cpp
    task<> stream_execution(call_ptr one);
    task<> connect(call_ptr one);
    // service_routes.cpp
    task<> create_ticket(call_ptr one);
    task<> get_languages(call_ptr one);
    task<> get_runtimes(call_ptr one);
    // stats_route.cpp
    task<> get_stats(call_ptr one);
    task<result<wire::tenant_stats>> stats_of(tenant_id tenant);
    // service_routes.cpp
    task<> get_health(call_ptr one);
    task<> get_ready(call_ptr one);
    task<> get_openapi(call_ptr one);

    // create_route.cpp
    task<> answer_when_ended(call_ptr one, execution_row row, bool cancel_on_disconnect);
    task<> answer_ended(call_ptr one, execution_row row, result<std::unique_ptr<log_reader>> log);
    task<> answer_accepted(call_ptr one, execution_row row);
    // skill_routes.cpp
    task<> switch_skill(call_ptr one, bool disabled);

    api_services use_;
    net::router router_;
    kept_answers ended_;                    // ended executions
    std::optional<kept_answers> latest_;    // latest checkpoints, by thread
    std::size_t waiting_clients_ = 0;
    std::map<tenant_id, std::size_t> imports_;    // thread imports in progress
};

}    // namespace caisson::http
