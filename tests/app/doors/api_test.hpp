#pragma once

#include "adapters/crypto/digest.hpp"
#include "app/doors/http/api.hpp"
#include "app/doors/rest/doors.hpp"
#include "core/files/url_signer.hpp"
#include "tests/app/doors/fake_exchange.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/fake_webhooks.hpp"
#include "tests/support/run_task.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace caisson::testing {

/// Webhooks that can be held while they are asked for.
class slow_webhook_store : public fake_webhook_store {
public:
    explicit slow_webhook_store(io_executor executor) : let_go_(executor) { }

    task<result<webhook_status>> find(tenant_id tenant, execution_id execution) override
    {
        waiting_ += corked_ ? 1 : 0;
        while (corked_)
            co_await let_go_.wait_past(let_go_.version());
        co_return co_await fake_webhook_store::find(std::move(tenant), std::move(execution));
    }
    void cork() { corked_ = true; }
    void uncork()
    {
        corked_ = false;
        let_go_.notify_all();
    }
    std::size_t waiting() const { return waiting_; }

private:
    notifier let_go_;
    bool corked_ = false;
    std::size_t waiting_ = 0;
};

/// An api over stores in memory, with two tenants.
class ApiTest : public ::testing::Test {
protected:
    ApiTest() : mine_(key_of("mine")), other_(key_of("other")) { }

    struct key {
        tenant_id tenant;
        std::string text;
    };
    key key_of(std::string tenant)
    {
        auto made = run_task(io_, auth_.create_key(std::move(tenant), {scope::run}, std::nullopt)).value();
        auto reading = run_task(io_, auth_.create_key(made.row.tenant_name, {scope::admin}, std::nullopt)).value();
        return {made.row.tenant, std::string(reading.text.reveal())};
    }

    std::shared_ptr<fake_exchange> request(std::string method, const std::string& path, const key& who)
    {
        auto one = std::make_shared<fake_exchange>();
        one->asked.method = std::move(method);
        one->asked.path = path;
        one->asked.fields = {{"Host", "here"}, {"Authorization", "Bearer " + who.text}};
        return one;
    }
    net::response call(std::string method, const std::string& path, const key& who)
    {
        const auto one = request(std::move(method), path, who);
        run_task(io_, api_->handle(*one));
        return said(*one);
    }
    /// The answer with its text, whoever keeps it.
    static net::response said(const fake_exchange& one)
    {
        auto answer = one.answer.value();
        answer.body = std::string(answer.content());
        return answer;
    }
    /// Those of a service in which executions wait, so that none ends by itself.
    static execution_services waiting(execution_services made)
    {
        made.rules.bounds.max_running = 0;
        return made;
    }
    http::api_services services() { return services(service_); }
    http::api_services services(execution_service& service)
    {
        wire::wire_context checks{&config_.limits, &languages_, config_.default_runtime, &config_.runtimes};
        http::api_services made{io_.get_executor(), time_, log_, service, auth_, tickets_, key_watch_, languages_, {}, config_, checks};
        made.artifacts = &artifacts_;
        made.signer = &signer_;
        made.webhooks = &webhooks_;
        return made;
    }

    asio::io_context io_;
    fake_timers time_{io_.get_executor()};
    null_logger log_;
    system_clock clock_;
    id_factory ids_{clock_};
    fake_artifact_store artifacts_;
    fake_execution_store executions_{&artifacts_};
    fake_event_store events_;
    fake_sandbox_store sandboxes_;
    fake_key_store keys_;
    slow_webhook_store webhooks_{io_.get_executor()};
    fake_signing_key_store signing_;
    url_signer signer_{signing_, time_, log_, &hmac_sha256};
    server_config config_;
    language_catalog languages_{[](std::string_view) { return std::nullopt; }};
    auth_service auth_{keys_, time_, &sha256_hex};
    ticket_office tickets_{time_, &sha256_hex};
    key_watch key_watch_{auth_, time_, io_.get_executor()};
    execution_service service_{execution_services{io_.get_executor(), time_, log_, ids_, {executions_, events_, sandboxes_}}};
    key mine_;
    key other_;
    std::unique_ptr<http::api> api_ = std::make_unique<http::api>(services(), http::rest_doors());
};

}    // namespace caisson::testing
