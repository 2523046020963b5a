#pragma once

#include "storage/sqlite/connection.hpp"
#include "tests/storage/storage_load.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace caisson::testing {

/// Calls on threads of tenant 1: saves, many at once too, retention, pins, branches, both ways back, an import and a removal.
std::vector<store_call> thread_calls();

bool is_of_threads(std::string_view table);

/// What readers can see of all threads, in short. A removed thread is not there, nor one that is still imported.
std::string threads_content(sqlite::connection& db);

/// What is wrong with the chains of parents, the states that they lead to, and their counts; empty if nothing is.
std::string chain_findings(sqlite::connection& db);

}    // namespace caisson::testing
