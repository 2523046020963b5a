#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace caisson::bench {

/// A command line of the form `--name value … -- PROGRAM ARGS…`. All accessors throw std::invalid_argument with a sentence.
class arguments {
public:
    arguments(int argc, char** argv);

    std::string text(const std::string& name) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    /// From 1 to 1,000,000,000.
    std::int64_t count(const std::string& name, std::int64_t otherwise) const;
    bool has(const std::string& name) const { return named_.contains(name); }
    /// What follows `--`, at least the program.
    const std::vector<std::string>& command() const;

private:
    std::map<std::string, std::string> named_;
    std::vector<std::string> command_;
};

/// The whole of a program: prints what `work` throws and returns the exit status. SIGPIPE is ignored.
int run_main(int argc, char** argv, const std::function<void(const arguments&)>& work);

/// The whole of a file. Throws std::runtime_error.
std::string read_file(const std::string& path);

}    // namespace caisson::bench
