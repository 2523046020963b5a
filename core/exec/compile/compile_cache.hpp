#pragma once

#include "core/async/task.hpp"
#include "core/base/hasher.hpp"
#include "core/base/ids.hpp"
#include "core/base/shared_bytes.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caisson {

/// A file of the working directory. `path` is relative, without "..".
struct placed_file {
    std::string path;
    std::uint32_t mode = 0644;    // permission bits; with S_IFDIR it is a directory, without content
    shared_bytes content;
};

/// What a compilation is made of: all that can change what comes of it, but for limits. Two that are equal here, on tools that are the
/// same, are taken for one.
struct compile_inputs {
    tenant_id tenant;
    std::string language;    // canonical name
    std::string runtime;
    std::string image_digest;    // of what the sandbox is made of; empty: of programs of this host
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> env;
    std::string directory;    // that it works in, as the sandbox sees it
    std::vector<placed_file> files;
};

/// What a compiler that ended by itself and well left behind.
struct compiled_result {
    std::string output;    // of compile_report
    bool output_truncated = false;
    std::vector<placed_file> files;    // that it made or changed, in the working directory
};

/// Names `inputs` on `tools`, which tells one state of the compilers from another: 64 lower-case hex digits. Each part counts with its
/// length, so that none can pass for two, and lists in their order. Blocks for as long as hashing the files takes.
std::string compile_key(const compile_inputs& inputs, const std::string& tools, hasher& sha256);

/// Results of compilations, each given back to the tenant only that it came from. What is in them was made inside a sandbox: it is data.
/// I/O thread; the work is done on threads of the cache's own, and takes as long as the disk does.
class compile_cache {
public:
    struct answer {
        std::string key;                                 // for keep(); empty: it is of no use here
        std::shared_ptr<const compiled_result> found;    // null: it has to be compiled
    };

    virtual ~compile_cache() = default;
    /// Inputs, and files of a result, that are larger together are left alone.
    virtual std::int64_t most_bytes() const = 0;
    /// Never an error: what cannot be read is compiled.
    virtual task<answer> find(compile_inputs inputs) = 0;
    /// Has it kept in the background, or not at all: no room, a full disk, tools that changed since find(). `inputs` are those that gave
    /// `key`.
    virtual void keep(compile_inputs inputs, std::string key, compiled_result result) = 0;
};

}    // namespace caisson
