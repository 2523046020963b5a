#include "storage/check/lost_contents.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/transaction.hpp"

#include <string>
#include <utility>
#include <vector>

namespace caisson {

namespace {

using sqlite::connection;

struct lost_rows {
    std::vector<std::int64_t> artifacts;                          // keys
    std::vector<std::pair<std::string, std::string>> packages;    // tenant and digest
};

lost_rows find_lost(const std::filesystem::path& data_dir)
{
    connection db(data_dir / "records.db", sqlite::open_mode::frozen);
    db.attach(data_dir / "content.db", "ct", sqlite::open_mode::frozen);
    lost_rows found;
    auto artifacts = db.prepare(sql::restore::lost_artifacts);
    while (artifacts.step())
        found.artifacts.push_back(artifacts.integer(0));
    auto packages = db.prepare(sql::restore::lost_packages);
    while (packages.step())
        found.packages.emplace_back(packages.view(0), packages.view(1));
    return found;
}

void erase_lost(connection& db, const lost_rows& lost)
{
    sqlite::transaction all(db, sqlite::transaction_kind::write);
    for (const auto key : lost.artifacts)
        db.prepare(sql::artifact::erase_key).bind(key).run();
    for (const auto& [tenant, digest] : lost.packages)
        db.prepare(sql::restore::erase_package).bind(tenant, digest).run();
    if (!lost.packages.empty()) {
        db.prepare(sql::restore::erase_empty_versions).run();
        db.prepare(sql::restore::erase_unfound_revisions).run();
    }
    all.commit();
}

}    // namespace

lost_contents drop_lost_contents(const std::filesystem::path& data_dir)
{
    const auto lost = find_lost(data_dir);
    if (lost.artifacts.empty() && lost.packages.empty())
        return {};
    connection db(data_dir / "records.db", sqlite::open_mode::read_write);
    erase_lost(db, lost);
    db.tidy_up_on_close();
    return {lost.artifacts.size(), lost.packages.size()};
}

}    // namespace caisson
