#include "adapters/bubblewrap/public_rule.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::string_view etc = "/etc/";

/// Names in /etc; a trailing * matches any suffix.
constexpr std::string_view never[] = {"NetworkManager", "apparmor*", "apt", "audit*", "containerd", "credstore*", "cron*", "crypttab",
    "default", "docker", "dpkg", "environment", "exports", "fstab", "group*", "gshadow*", "hostname", "hosts*", "init*", "ipsec*",
    "iptables", "kernel", "krb5*", "kubernetes", "ld.so.preload", "ldap", "letsencrypt", "libvirt", "logrotate*", "machine-id",
    "modprobe.d", "modules*", "mtab", "netplan", "network", "networks", "nftables.conf", "nsswitch.conf", "openvpn", "pam*", "passwd*",
    "polkit-1", "ppp", "rc?.d", "rcS.d", "resolv*", "rmt", "rsyslog*", "runit", "security", "shadow*", "ssh", "ssl/private", "subgid*",
    "subuid*", "sudo*", "sysctl*", "systemd", "tmpfiles.d", "udev", "ufw", "wireguard", "wpa_supplicant"};

/// Files below /etc, listed individually: an administrator's files next to them are not public.
constexpr std::string_view generated[] = {"ld.so.cache", "localtime", "timezone", "ssl/certs/ca-certificates.crt", "ssl/certs/java/cacerts",
    "texmf/web2c/*.cnf", "texmf/web2c/*.cfg", "texmf/tex/generic/config/language.*", "fpc-?.?.?.cfg", "dictionaries-common/ispell-default",
    "papersize"};

/// True if `name` matches `pattern` or is below a match. * matches any text without a slash, ? one character.
bool matches(std::string_view pattern, std::string_view name)
{
    if (pattern.empty())
        return name.empty() || name.starts_with('/');
    if (pattern.front() == '*') {
        for (std::size_t taken = 0; taken <= name.size() && (taken == 0 || name[taken - 1] != '/'); ++taken)
            if (matches(pattern.substr(1), name.substr(taken)))
                return true;
        return false;
    }
    const bool fits = !name.empty() && (pattern.front() == name.front() || (pattern.front() == '?' && name.front() != '/'));
    return fits && matches(pattern.substr(1), name.substr(1));
}

bool is_below(std::string_view path, std::string_view folder)
{
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}    // namespace

bool is_never_public(std::string_view path)
{
    if (!path.starts_with(etc))
        return false;
    const auto name = path.substr(etc.size());
    return std::ranges::any_of(never, [&](auto pattern) { return matches(pattern, name); });
}

bool is_generated(std::string_view path)
{
    if (std::ranges::any_of(public_data, [&](auto folder) { return is_below(path, folder); }))
        return true;
    if (!path.starts_with(etc))
        return false;
    const auto name = path.substr(etc.size());
    return std::ranges::any_of(generated, [&](auto pattern) { return matches(pattern, name); });
}

bool is_public(const host_file& file)
{
    return file.is_roots && file.is_for_all && file.links == 1 && file.bytes <= largest_public_file && !is_never_public(file.path) &&
           (file.is_as_shipped || is_generated(file.path));
}

bool is_shown_whole(std::string_view target)
{
    constexpr std::string_view whole[] = {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/sbin"};
    return std::ranges::any_of(whole, [&](auto folder) { return is_below(target, folder); });
}

}    // namespace caisson
