#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Which class of a Java program is started. The rules are those of the language (JLS 12.1.4) and of the `java` launcher.
namespace caisson {

/// The class that a file stands for: "com.acme.Main" of Main.java that says `package com.acme;`.
std::string java_class_of(const std::string& main, std::string_view code);

/// Binary names ("com.acme.Outer$Inner") of the types in `code` that have `public static void main(String[])`, in their order.
/// Local and anonymous classes do not count. The first MiB is looked at. Never fails: of text that is not Java the names may be any.
std::vector<std::string> java_mains(std::string_view code);

/// The simple name of the first public type that is not nested; empty if there is none. javac wants its file to be named after it.
std::string java_public_type(std::string_view code);

/// The class to start, or why there is none to choose.
struct java_choice {
    std::string name;
    std::string problem;    // a sentence without the field's name; empty if `name` holds
};

/// The class of the code's file that has main; if several have, the one that is named like the file. If none of that file has, the
/// only one of the other files. If no class has main, the one that the file stands for, so that `java` says what is missing.
java_choice java_main_class(const std::string& main, std::string_view code, std::span<const std::string_view> others);

}    // namespace caisson
