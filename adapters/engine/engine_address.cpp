#include "adapters/engine/engine_address.hpp"

namespace caisson::docker {

namespace {

constexpr std::string_view by_tcp = "tcp://";

error bad(const engine_options& options, const std::string& why)
{
    return {errc::bad_request,
        "'" + options.address +
            "' is not an address of a Docker engine such as unix:///var/run/docker.sock or tcp://192.0.2.7:2376: " + why};
}

bool names_port(std::string_view authority)
{
    const auto bracket = authority.find(']');
    return authority.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
}

result<net::url> socket_address(const engine_options& options)
{
    if (!options.ca_file.empty() || !options.certificate_file.empty() || !options.key_file.empty())
        return bad(options, "certificates are for tcp:// addresses");
    auto parsed = net::url::parse(options.address);
    if (parsed.has_error())
        return bad(options, "after unix:// an absolute path of at most 107 bytes must follow");
    return parsed;
}

}    // namespace

result<net::url> engine_address(const engine_options& options)
{
    const std::string_view address = options.address;
    if (address.starts_with("unix://"))
        return socket_address(options);
    if (!address.starts_with(by_tcp))
        return bad(options, "it begins with neither unix:// nor tcp://");
    const bool encrypted = !options.ca_file.empty();
    if (!encrypted && (!options.certificate_file.empty() || !options.key_file.empty()))
        return bad(options, "a client certificate needs a ca_file too, since without one there is no TLS");
    const auto authority = address.substr(by_tcp.size());
    if (authority.find('/') != std::string_view::npos)
        return bad(options, "nothing may follow the port");
    auto text = (encrypted ? "https://" : "http://") + std::string(authority);
    if (!names_port(authority))
        text += encrypted ? ":2376" : ":2375";
    auto parsed = net::url::parse(text);
    if (parsed.has_error())
        return bad(options, "the host or the port is malformed");
    return parsed;
}

}    // namespace caisson::docker
