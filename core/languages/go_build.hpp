#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What `go build` is told to build: the package in the directory of the code's file, so that Go itself decides by names and build
/// constraints which files belong to it. See `go help buildconstraint` and `go help packages`.
namespace caisson {

/// Where no go.mod comes with the request, the compiler is shown one that lies beside what it makes: it stands for a go.mod of the
/// working directory (-overlay), and may be completed with the version of Go (-modfile).
inline constexpr std::string_view go_module_file = ".caisson/go/go.mod";
inline constexpr std::string_view go_module_text = "module main\n";
inline constexpr std::string_view go_overlay_file = ".caisson/go/overlay.json";
inline constexpr std::string_view go_overlay_text = R"({"Replace":{"go.mod":".caisson/go/go.mod"}})";

/// Whether the two files above are needed: the package is built as one and belongs to no module of the request.
bool go_needs_module(const std::string& main, std::string_view code, std::span<const std::string> others);

/// The directory in which `go build` runs, relative to the working directory: that of the code's module; empty: the working directory.
std::string go_build_directory(const std::string& main, std::string_view code, std::span<const std::string> others);

/// The last arguments of `go build` in that directory: a package, or files where the code's file is no part of its directory's package:
/// it says `//go:build ignore`, or its name or its directory's is one that Go passes over.
std::vector<std::string> go_build_arguments(const std::string& main, std::string_view code, std::span<const std::string> others);

}    // namespace caisson
