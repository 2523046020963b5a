#pragma once

#include "core/skills/ports.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace caisson::testing {

/// Packages without files.
class fake_skill_trees : public skill_trees {
public:
    task<result<std::shared_ptr<const skill_tree>>> open(tenant_id, std::string digest) override
    {
        ++opened;
        if (!packages.contains(digest))
            co_return error{errc::not_found, "no such package"};
        auto made = std::make_shared<tree>("/cache/" + digest);
        packages[digest] = made;
        co_return made;
    }
    std::shared_ptr<const skill_tree> open_now(const tenant_id&, const std::string& digest) override
    {
        const auto found = packages.find(digest);
        return found == packages.end() ? nullptr : found->second.lock();
    }
    /// How many hold the package.
    long held(const std::string& digest) const { return packages.at(digest).use_count(); }

    std::map<std::string, std::weak_ptr<const skill_tree>> packages;    // knob: those that are there, with their last lease
    std::size_t opened = 0;

private:
    struct tree : skill_tree {
        explicit tree(std::filesystem::path where) : where_(std::move(where)) { }
        const std::filesystem::path& path() const override { return where_; }
        std::filesystem::path where_;
    };
};

}    // namespace caisson::testing
