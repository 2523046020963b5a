#pragma once

#include "adapters/containers/engine_runtime.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {

namespace json = boost::json;

/// A container as an engine tells it; the rest of its names and labels follow from the sandbox.
struct told {
    std::string state = "running";
    int exit_code = 0;
    bool oom_killed = false;
    std::string link = "stdio";
    std::string instance = "test";
};

/// A runtime over stdio whose engine does what the test says.
class EngineRuntime : public imposter_test {
protected:
    EngineRuntime()
    {
        there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:1"}});
        there.on("GET", "/images/json").json(200, json::array());
    }

    sandbox_spec spec() { return {.id = ids.make<sandbox_id>(), .limits = {64 << 20, 1000, 32, 4 << 20, 64}}; }
    json::object labels_of(const sandbox_id& id, const told& how) const
    {
        return {{"caisson.instance", how.instance}, {"caisson.runtime", "docker"}, {"caisson.sandbox", id.str()},
            {"caisson.link", how.link}, {"caisson.work", "/workspace"}};
    }
    json::object inspected(const sandbox_id& id, const told& how) const
    {
        return {{"Id", "c1"}, {"Name", "/caisson-" + id.str()}, {"Image", "sha256:1"},
            {"Config", {{"Image", "busybox"}, {"Labels", labels_of(id, how)}}},
            {"State", {{"Status", how.state}, {"Pid", how.state == "running" ? 1 : 0}, {"ExitCode", how.exit_code},
                          {"OOMKilled", how.oom_killed}, {"Error", ""}}}};
    }
    json::object listed(const sandbox_id& id, const std::string& container, const told& how = {}) const
    {
        return {{"Id", container}, {"Names", {"/x"}}, {"State", how.state}, {"Labels", labels_of(id, how)}};
    }
    void plan_image(const std::vector<std::string>& volumes, const std::vector<std::string>& environment)
    {
        json::object places;
        for (const auto& each : volumes)
            places[each] = json::object();
        const json::object config{{"Volumes", places}, {"Env", json::array(environment.begin(), environment.end())}};
        there.forget("GET", "/images/busybox/json");
        there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:1"}, {"Config", config}});
    }
    /// What GET /containers/c1/json says from now on.
    void tell(const sandbox_id& id, const told& how)
    {
        there.forget("GET", "/containers/c1/json");
        there.on("GET", "/containers/c1/json").json(200, inspected(id, how));
    }
    std::unique_ptr<sandbox> started()
    {
        const auto wanted = spec();
        there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
        there.on("POST", "/containers/c1/start").empty(204);
        there.on("DELETE", "/containers/c1").empty(204);
        tell(wanted.id, {});
        auto made = run(runtime.create(wanted));
        if (made.has_error())
            throw std::runtime_error(made.error().detail);
        const auto done = run(runtime.start(**made));
        if (done.has_error())
            throw std::runtime_error(done.error().detail);
        return std::move(*made);
    }
    static std::unique_ptr<execution_group> open_group(sandbox& box)
    {
        auto group = box.open_group(first_program_group, {});
        return std::move(*group);
    }
    static std::string event(const char* action, const char* signal = "")
    {
        const json::object text{
            {"Action", action}, {"Actor", {{"ID", "c1"}, {"Attributes", {{"signal", signal}}}}}, {"timeNano", 1'700'000'001'000'000'000}};
        return json::serialize(text) + "\n";
    }
    engine_runtime_options options{.instance = "test", .agent_path = "/bin/agent", .default_image = "busybox"};
    null_logger log;
    worker_pool workers{"work", 1};
    id_factory ids{time};
    engine_services services{context.get_executor(), time, log, on};
    engine_runtime runtime{services, workers, options};
};

}    // namespace caisson::docker
