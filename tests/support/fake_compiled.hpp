#pragma once

#include "core/exec/compile/compile_cache.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson::testing {

/// Results in memory. A key is made of the tenant, the arguments and the files.
class fake_compile_cache : public compile_cache {
public:
    std::int64_t most_bytes() const override { return most; }
    task<answer> find(compile_inputs inputs) override
    {
        asked.push_back(inputs);
        const auto key = key_of(inputs);
        const auto found = kept.find(key);
        co_return answer{key, found == kept.end() ? nullptr : std::make_shared<const compiled_result>(found->second)};
    }
    void keep(compile_inputs inputs, std::string key, compiled_result result) override
    {
        keeps_what_was_asked = keeps_what_was_asked && key == key_of(inputs);
        kept[std::move(key)] = std::move(result);
    }

    std::int64_t most = -1;    // knob: nothing is kept
    std::vector<compile_inputs> asked;
    std::map<std::string, compiled_result> kept;
    bool keeps_what_was_asked = true;

private:
    static std::string key_of(const compile_inputs& inputs)
    {
        std::string key = inputs.tenant.str();
        for (const auto& each : inputs.argv)
            key += " " + each;
        for (const auto& each : inputs.files)
            key += " " + each.path + "=" + std::string(each.content.view());
        return key;
    }
};

}    // namespace caisson::testing
