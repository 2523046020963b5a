#pragma once

#include <optional>
#include <string>

namespace caisson::testing {

/// Where the tests' engine listens, of the environment (CAISSON_TEST_ENGINE=unix:///…); nothing: there is none.
std::optional<std::string> test_engine_address();

/// Whether that engine has this OCI runtime.
bool test_engine_has(const std::string& engine_runtime);

/// An image with a busybox and its names, made for one test on its engine and removed with this.
class engine_image {
public:
    /// Throws std::runtime_error if there is no engine or no static busybox.
    engine_image();
    ~engine_image();
    engine_image(const engine_image&) = delete;
    engine_image& operator=(const engine_image&) = delete;

    const std::string& name() const { return name_; }

private:
    std::string name_;
};

}    // namespace caisson::testing
