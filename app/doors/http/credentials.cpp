#include "app/doors/http/credentials.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

error bad_credential(const std::string& what)
{
    return {errc::unauthorized,
        what + ": send a key as \"Authorization: Bearer KEY\" or \"X-API-Key: KEY\"; `caisson key create --tenant NAME` makes one"};
}

}    // namespace

bool presents_key(const net::request& from) { return from.fields.find("Authorization") || from.fields.find("X-API-Key"); }

result<std::string> presented_key(const net::request& from)
{
    // A proxy in front may have checked another one of the fields than this server would.
    for (const auto* name : {"Authorization", "X-API-Key"})
        if (from.fields.count(name) > 1)
            return error{
                errc::bad_request, std::string(name) + " is there more than once: send one key", {{name, "is there more than once"}}};
    const auto field = from.fields.find("Authorization");
    if (!field) {
        const auto key = from.fields.find("X-API-Key");
        if (!key)
            return bad_credential("missing Authorization header");
        return key->empty() ? result<std::string>(bad_credential("empty X-API-Key header")) : std::string(*key);
    }
    const auto scheme = field->substr(0, field->find(' '));
    if (!net::equal_no_case(scheme, "bearer"))
        return bad_credential("Authorization header must use Bearer scheme");
    const auto token = field->substr(std::min(field->find_first_not_of(' ', scheme.size()), field->size()));
    return token.empty() ? result<std::string>(bad_credential("empty bearer token")) : std::string(token);
}

error ended_key() { return {errc::unauthorized, std::string(key_is_over)}; }

bool names_tenant(const net::request& from, const principal& who)
{
    const auto wanted = from.fields.find("X-Tenant-ID").value_or("");
    return from.fields.count("X-Tenant-ID") <= 1 && (wanted.empty() || wanted == who.tenant.str() || wanted == who.tenant_name);
}

}    // namespace caisson::http
