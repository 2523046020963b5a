#include "adapters/engine/engine_error.hpp"
#include "adapters/engine/engine_impl.hpp"

namespace caisson::docker {

namespace {

constexpr std::size_t most_message_bytes = 64 * 1024;
constexpr std::size_t most_upload_answer_bytes = 1 << 20;

/// Converts read errors to engine errors.
class engine_body final : public net::body_reader {
public:
    engine_body(std::function<error(error)> failure, std::unique_ptr<net::body_reader> from)
        : failure_(std::move(failure)), from_(std::move(from))
    {
    }

    const net::response& head() const override { return from_->head(); }

    task<result<std::optional<std::string>>> read() override
    {
        auto got = co_await from_->read();
        if (got.has_error())
            co_return failure_(got.error());
        co_return got;
    }

private:
    std::function<error(error)> failure_;
    std::unique_ptr<net::body_reader> from_;
};

/// Records whether the source failed, not the engine.
class watched_source final : public net::body_source {
public:
    explicit watched_source(net::body_source* from) : from_(from) { }

    std::uint64_t size_bytes() const override { return from_->size_bytes(); }

    task<result<shared_bytes>> read() override
    {
        auto got = co_await from_->read();
        if (got.has_error())
            failed_ = got.error();
        co_return got;
    }

    const std::optional<error>& failed() const { return failed_; }

private:
    net::body_source* from_;
    std::optional<error> failed_;
};

task<result<std::string>> beginning_of(net::body_reader* from)
{
    std::string out;
    while (out.size() < most_message_bytes) {
        auto piece = co_await from->read();
        if (piece.has_error())
            co_return piece.error();
        if (!*piece)
            break;
        out += **piece;
    }
    out.resize(std::min(out.size(), most_message_bytes));
    co_return out;
}

}    // namespace

task<result<std::unique_ptr<net::body_reader>>> engine::impl::open_stream(net::request what, steady_time deadline)
{
    const auto with = co_await negotiated(deadline);
    if (with.has_error())
        co_return with.error();
    what.target = with->target(what.target);
    auto opened = co_await user.open_stream(std::move(what), deadline);
    if (opened.has_error())
        co_return failure(opened.error());
    const int status = (*opened)->head().status;
    if (status / 100 == 2) {
        auto translate = [this](error of_client) { return failure(std::move(of_client)); };
        co_return std::make_unique<engine_body>(std::move(translate), std::move(*opened));
    }
    auto reading = beginning_of(opened->get());
    const auto body = co_await with_deadline(time, deadline, std::move(reading));
    if (body.has_error())
        co_return failure(body.error());
    co_return engine_error(status, *body);
}

task<result<std::string>> engine::impl::upload(net::request what, net::body_source* body, net::transfer_options how)
{
    const auto with = co_await negotiated(time.steady_now() + how.connect_timeout);
    if (with.has_error())
        co_return with.error();
    what.target = with->target(what.target);
    watched_source source(body);
    auto answer = co_await user.upload(std::move(what), source, std::move(how));
    if (source.failed())
        co_return *source.failed();
    if (answer.has_error())
        co_return failure(answer.error());
    if (answer->status / 100 != 2)
        co_return engine_error(answer->status, answer->body);
    answer->body.resize(std::min(answer->body.size(), most_upload_answer_bytes));
    co_return std::move(answer->body);
}

task<result<std::unique_ptr<net::raw_connection>>> engine::impl::hijack(std::string target, steady_time deadline)
{
    const auto with = co_await negotiated(deadline);
    if (with.has_error())
        co_return with.error();
    net::request what;
    what.method = "POST";
    what.target = with->target(target);
    auto got = co_await user.upgrade(std::move(what), deadline);
    if (got.has_error())
        co_return failure(got.error());
    if (got->connection)
        co_return std::move(got->connection);
    if (got->answer.status / 100 == 2)
        co_return not_an_engine("it answers where it was to hand over the connection");
    co_return engine_error(got->answer.status, got->answer.body);
}

}    // namespace caisson::docker
