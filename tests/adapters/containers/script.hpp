#pragma once

#include "adapters/net/http_types.hpp"
#include "core/async/notifier.hpp"

#include <boost/json/value.hpp>

#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace caisson::testing {

/// An answer, step by step. It may be made longer while it is being given: one without an end waits for more, so that one without any
/// step is held until the test says how it goes on.
class script {
public:
    /// `changed` is told of each new step.
    explicit script(std::shared_ptr<notifier> changed) : changed_(std::move(changed)) { }

    /// A whole answer. That of `json` has a length, as engines give it; of 204 and 304 the body is dropped.
    script& json(int status, boost::json::value body);
    script& whole(int status, net::headers fields, std::string body);
    script& empty(int status) { return whole(status, {}, ""); }
    /// {"message": …}, as engines say what is wrong.
    script& fails(int status, std::string_view message);

    /// The head of an answer in chunks; then chunk() and, for its last, end().
    script& stream(int status = 200, net::headers fields = {{"Content-Type", "application/json"}});
    script& chunk(std::string_view text);
    script& end();

    /// 101: from here on raw() is what the other side gets, and what it sends is in received().
    script& hijack();
    /// These bytes, whatever they are.
    script& raw(std::string bytes);
    /// The connection is closed.
    script& cut();

    /// What came on the connection behind the latest request that is answered by this.
    const std::string& received() const { return received_; }
    /// The other side says no more on it.
    bool input_ended() const { return input_ended_; }

private:
    friend class imposter;
    struct step {
        enum class kind { bytes, body, next_request, cut };
        kind what = kind::bytes;
        std::string bytes;
    };
    script& add(step::kind what, std::string bytes = {});

    std::shared_ptr<notifier> changed_;
    std::deque<step> steps_;
    std::string received_;
    bool input_ended_ = false;
    bool hijacks_ = false;    // then the other side may end its half alone
};

}    // namespace caisson::testing
