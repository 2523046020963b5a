#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The target of `go build`: the package in the directory of the code's file, so that Go itself selects its files by names and build
/// constraints. See `go help buildconstraint` and `go help packages`.
namespace caisson {

/// If the request has no go.mod, the compiler gets this one from the build directory. -overlay makes it appear as the working
/// directory's go.mod; with -modfile Go may add its version to it.
inline constexpr std::string_view go_module_file = ".caisson/go/go.mod";
inline constexpr std::string_view go_module_text = "module main\n";
inline constexpr std::string_view go_overlay_file = ".caisson/go/overlay.json";
inline constexpr std::string_view go_overlay_text = R"({"Replace":{"go.mod":".caisson/go/go.mod"}})";

/// Whether these two files are needed: the code is built as a package and belongs to no module of the request.
bool go_needs_module(const std::string& main, std::string_view code, std::span<const std::string> others);

/// The directory in which `go build` runs, relative to the working directory: that of the code's module. Empty: the working directory.
std::string go_build_directory(const std::string& main, std::string_view code, std::span<const std::string> others);

/// The last arguments of `go build` in that directory: a package. Or files, if the code's file is not part of its directory's package:
/// it contains `//go:build ignore`, or Go ignores its name or its directory's.
std::vector<std::string> go_build_arguments(const std::string& main, std::string_view code, std::span<const std::string> others);

}    // namespace caisson
