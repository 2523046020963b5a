/// Heads of HTTP requests and answers: what is accepted has one meaning only, and written out again it has the same.
#include "adapters/net/head.hpp"
#include "adapters/net/origin.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

namespace caisson::net {
namespace {

constexpr head_limits limits{.line_bytes = 512, .header_bytes = 2'048, .header_count = 20};
constexpr head_limits roomy{.line_bytes = 8'192, .header_bytes = 64 << 10, .header_count = 100};

/// Where the head ends, 0 while it does not, nothing if it is refused.
std::optional<std::size_t> scanned(std::string_view bytes, std::uint8_t cuts)
{
    head_scanner scanner(limits);
    std::size_t have = 0;
    bool complete = false;
    fuzz::in_pieces(bytes, cuts, cuts == 0 ? 1 : 256, [&](std::string_view piece) {
        have += piece.size();
        complete = scanner.scan(bytes.substr(0, have));
        return !complete && !scanner.refused();
    });
    if (scanner.refused()) {
        FUZZ_CHECK(scanner.refused()->status >= 400 && scanner.refused()->status < 500);
        return std::nullopt;
    }
    return complete ? scanner.head_bytes() : 0;
}

/// The lines of a head as the simplest reader there is would see them.
template <class Each>
void each_line(std::string_view head, Each each)
{
    while (!head.empty()) {
        const auto end = head.find("\r\n");
        FUZZ_CHECK(end != std::string_view::npos);
        if (end > 0)
            each(head.substr(0, end));
        head.remove_prefix(end + 2);
    }
}

bool has_prefix_no_case(std::string_view text, std::string_view prefix) { return equal_no_case(text.substr(0, prefix.size()), prefix); }

/// None of the forms that two readers have been known to understand differently.
void check_no_smuggling(std::string_view head, framing body)
{
    int lengths = 0;
    int codings = 0;
    bool first = true;
    each_line(head, [&](std::string_view line) {
        FUZZ_CHECK(line.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
        if (std::exchange(first, false))
            return;
        FUZZ_CHECK(line.front() != ' ' && line.front() != '\t');
        const auto name = line.substr(0, line.find(':'));
        FUZZ_CHECK(name.size() < line.size() && !name.empty());
        FUZZ_CHECK(name.find_first_of(" \t\v\f\"(),/:;<=>?@[\\]{}") == std::string_view::npos);
        lengths += has_prefix_no_case(line, "content-length") && name.size() == 14;
        codings += has_prefix_no_case(line, "transfer-encoding") && name.size() == 17;
        if (name.size() == 17 && has_prefix_no_case(line, "transfer-encoding"))
            FUZZ_CHECK(line.size() >= 25 && equal_no_case(line.substr(line.find_last_not_of(" \t") - 6, 7), "chunked"));
    });
    FUZZ_CHECK(lengths + codings <= 1);
    if (body == framing::length || body == framing::chunked)
        FUZZ_CHECK(lengths == (body == framing::length) && codings == (body == framing::chunked));
}

bool same_fields(const headers& a, const headers& b)
{
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; });
}

void check_request(const request_head& one)
{
    const auto& asked = one.request;
    FUZZ_CHECK(!asked.method.empty() && asked.method.size() <= 32);
    FUZZ_CHECK(asked.target.starts_with('/') || (asked.target == "*" && asked.method == "OPTIONS"));
    FUZZ_CHECK(asked.path == asked.target.substr(0, asked.target.find('?')));
    FUZZ_CHECK(asked.fields.count("Host") == 1 || (asked.fields.count("Host") == 0 && one.minor_version == 0));
    FUZZ_CHECK(one.body != framing::until_close && (one.body != framing::chunked || one.minor_version >= 1));
    FUZZ_CHECK(!one.expects_continue || one.body != framing::none);
}

/// Written by the client's own writer, which speaks 1.1, and read once more.
void check_round_trip(const request_head& one)
{
    auto fields = one.request.fields;
    if (!fields.contains("Host"))
        fields.set("Host", "h");
    const auto text = serialize_request_head(one.request.method, one.request.target, fields);
    head_scanner scanner(roomy);
    FUZZ_CHECK(scanner.scan(text) && scanner.head_bytes() == text.size());
    request_head again;
    const auto refused = parse_request_head(text, again);
    if (one.minor_version == 0 && refused)    // an expectation that 1.0 does not know
        return;
    FUZZ_CHECK(!refused);
    FUZZ_CHECK(again.request.method == one.request.method && again.request.target == one.request.target);
    FUZZ_CHECK(again.request.path == one.request.path && again.request.query == one.request.query);
    FUZZ_CHECK(same_fields(again.request.fields, fields));
    FUZZ_CHECK(again.body == one.body && again.content_length == one.content_length);
    if (one.minor_version >= 1)
        FUZZ_CHECK(again.keep_alive == one.keep_alive && again.expects_continue == one.expects_continue);
}

void try_request(std::string_view head)
{
    request_head one;
    if (const auto refused = parse_request_head(head, one)) {
        FUZZ_CHECK(refused->status >= 400 && refused->status < 600 && !refused->message.empty() && !one.keep_alive);
        return;
    }
    check_no_smuggling(head, one.body);
    check_request(one);
    check_round_trip(one);
    static_cast<void>(canonical_origin(one.request.fields.find("Origin").value_or("")));
}

void try_response(std::string_view head, std::string_view to_method)
{
    response_head one;
    if (parse_response_head(head, to_method, one))
        return;
    check_no_smuggling(head, one.body);
    const int status = one.response.status;
    FUZZ_CHECK(status >= 100 && status <= 999);
    const bool bodiless = to_method == "HEAD" || status < 200 || status == 204 || status == 304;
    FUZZ_CHECK((one.body == framing::none) == bodiless && (one.body != framing::until_close || !one.keep_alive));
    const auto text = serialize_response_head(status, one.minor_version, one.response.fields) + "\r\n";
    response_head again;
    FUZZ_CHECK(!parse_response_head(text, to_method, again));
    FUZZ_CHECK(again.response.status == status && same_fields(again.response.fields, one.response.fields));
    FUZZ_CHECK(again.body == one.body && again.content_length == one.content_length && again.keep_alive == one.keep_alive);
}

}    // namespace
}    // namespace caisson::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson::net;
    caisson::fuzz::input in(data, size);
    const auto what = in.byte();
    const auto cuts = in.byte();
    const auto whole = scanned(in.rest(), 0);
    FUZZ_CHECK(whole == scanned(in.rest(), cuts | 1));
    if (!whole || *whole == 0)
        return 0;
    const auto head = in.rest().substr(0, *whole);
    FUZZ_CHECK(head.ends_with("\r\n\r\n") || head == "\r\n");
    if (what % 4 == 0)
        try_response(head, what & 4 ? "HEAD" : "GET");
    else
        try_request(head);
    return 0;
}
