// Holds the precompiled header; see CMakeLists.txt.
