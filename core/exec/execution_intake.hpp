#pragma once

#include "core/admission/admission.hpp"
#include "core/admission/idempotency.hpp"
#include "core/exec/execution_access.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/live_executions.hpp"
#include "core/exec/record/record_policy.hpp"
#include "core/exec/services.hpp"
#include "core/log/log_reader.hpp"
#include "core/pool/idle_gate.hpp"
#include "core/pool/warm_pool.hpp"

#include <memory>
#include <optional>

namespace caisson {

/// Accepts executions: records each and sees to it that it is carried out, with and without an Idempotency-Key. What each public function
/// does is said by execution_service. I/O thread only.
class execution_intake {
public:
    /// All outlive it.
    execution_intake(const execution_services& services, admission& queue, warm_pool& pool, idle_gate& gate, execution_life& life,
        live_executions& live, execution_access& access)
        : use_(services)
        , queue_(queue)
        , pool_(pool)
        , idle_gate_(gate)
        , life_(life)
        , live_(live)
        , access_(access)
        , keys_(services.executor, services.time)
        , policy_(services.rules.records)
    {
    }

    /// When who asks for an execution has its answer: when it is accepted, or when it has ended.
    enum class answered { at_begin, at_end };

    struct submission {
        execution_row row;
        bool replayed = false;                        // the execution of an earlier request with this key; it may have ended
        std::unique_ptr<log_reader> log = nullptr;    // from its begin on, in memory, of one that ended before it was recorded
    };

    task<result<execution_row>> submit(tenant_id tenant, execution_spec spec);
    task<result<submission>> submit_awaited(tenant_id tenant, execution_spec spec);
    task<result<submission>> submit_once(tenant_id tenant, execution_spec spec, idempotency_claim claim);
    task<result<std::optional<submission>>> find_submission(tenant_id tenant, idempotency_claim claim);
    task<> forget_expired_keys();

private:
    task<result<submission>> record_new(tenant_id tenant, execution_spec spec, std::optional<idempotency_record> key, answered when);
    task<result<submission>> record_begun(execution_ptr exec, task<> run);
    task<> run_recorded(execution_ptr exec, execution_spec spec, result<void> begun);
    task<> run_made(execution_ptr exec, execution_spec spec, runtime_breakers::permit permit);
    task<bool> ends_unrecorded(execution_ptr exec);
    task<> record_end_of(execution_ptr exec);
    task<result<void>> insert_first(execution_ptr exec, execution_spec spec, bool is_begun);
    task<result<submission>> submit_under_key(tenant_id tenant, execution_spec spec, idempotency_claim claim);
    record_chances chances_of(const execution_row& row) const;

    const execution_services& use_;
    admission& queue_;
    warm_pool& pool_;
    idle_gate& idle_gate_;
    execution_life& life_;
    live_executions& live_;
    execution_access& access_;
    idempotency_gate keys_;
    record_policy policy_;
};

}    // namespace caisson
