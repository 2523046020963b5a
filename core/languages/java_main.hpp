#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Selects the class of a Java program to start, by the rules of the language (JLS 12.1.4) and of the `java` launcher.
namespace caisson {

/// The class that a file is named after: "com.acme.Main" for Main.java with `package com.acme;`.
std::string java_class_of(const std::string& main, std::string_view code);

/// Binary names ("com.acme.Outer$Inner") of the types in `code` that have `public static void main(String[])`, in source order.
/// Ignores local and anonymous classes; reads the first MiB. Never fails: for text that is not Java the names are arbitrary.
std::vector<std::string> java_mains(std::string_view code);

/// The simple name of the first public top-level type; empty if there is none. javac requires its file to have that name.
std::string java_public_type(std::string_view code);

/// The class to start, or why none can be chosen.
struct java_choice {
    std::string name;
    std::string problem;    // a sentence without the field's name; empty if `name` is valid
};

/// The class with main in the code's file; of several, the one named like the file. If that file has none, the only class with main in
/// the other files. If no class has main, the class that the file is named after, so that `java` reports what is missing.
java_choice java_main_class(const std::string& main, std::string_view code, std::span<const std::string_view> others);

}    // namespace caisson
