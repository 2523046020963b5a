#include "core/exec/end_state.hpp"

#include "core/base/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace caisson {

std::string end_state(const execution_row& row)
{
    boost::json::object out{{"execution_id", row.id.str()}, {"status", to_string(row.status)}};
    if (row.verdict)
        out.emplace("verdict", to_string(*row.verdict));
    if (row.exit_code)
        out.emplace("exit_code", *row.exit_code);
    if (row.signal)
        out.emplace("signal", *row.signal);
    if (!row.error.empty())
        out.emplace("error", to_valid_utf8(row.error));
    auto text = boost::json::serialize(out);
    if (!row.output.empty()) {
        text.pop_back();
        text.append(",\"output\":").append(row.output.view()).append("}");
    }
    return text;
}

checkpoint_references references_of(const execution_row& row, std::span<const artifact_row> artifacts)
{
    checkpoint_references out;
    out.execution = row.id;
    for (const auto& each : artifacts.first(std::min(artifacts.size(), max_referenced_artifacts)))
        out.artifacts.push_back({each.execution, each.path});
    return out;
}

}    // namespace caisson
