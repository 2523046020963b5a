#include "app/doors/rest/artifacts/archive_stream.hpp"
#include "core/async/offload.hpp"
#include "tests/app/doors/fake_exchange.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson::http {
namespace {

using testing::run_task;

class ArchiveStream : public ::testing::Test {
protected:
    ArchiveStream()
    {
        row.execution = execution_id::from_trusted("exe_1");
        row.tenant = tenant_id::from_trusted("ten_1");
    }
    void keep(const std::string& path, std::string bytes)
    {
        row.path = path;
        row.size_bytes = std::ssize(bytes);
        row.content = contents.keep(row.tenant, std::move(bytes)).id;
        artifacts.add({row});
    }
    bool send()
    {
        auto first = run_task(context, artifacts.list(row.tenant, row.execution, "", archive_page));
        archive_source from{artifacts, contents, work, log, [this] { return share; }};
        testing::fake_stream_writer out(sent);
        return run_task(context, send_archive(std::move(from), &out, std::move(*first), archive_format::tar_gz));
    }

    asio::io_context context;
    testing::fake_artifact_store artifacts;
    testing::fake_content_store contents;
    worker_pool work{"test", 1};
    null_logger log;
    testing::sent_body sent;
    artifact_row row;
    std::size_t share = 4 << 20;
};

TEST_F(ArchiveStream, HoldsNoMoreThanItsShare)
{
    share = 16 << 10;
    keep("a", std::string(300'000, 'a'));
    keep("b", "");
    EXPECT_TRUE(send());
    EXPECT_EQ(contents.most_asked, 8u << 10);
    EXPECT_GT(sent.text.size(), 100u);
}

TEST_F(ArchiveStream, ReadsLargePiecesWhereThereIsRoom)
{
    keep("a", std::string(300'000, 'a'));
    EXPECT_TRUE(send());
    EXPECT_EQ(contents.most_asked, 1u << 20);
}

TEST_F(ArchiveStream, IsCutWhereAFileWasDeletedMeanwhile)
{
    keep("a", "1");
    contents.forget(row.content);
    EXPECT_FALSE(send());
}

TEST_F(ArchiveStream, IsCutWhereTheClientIsGone)
{
    keep("a", std::string(300'000, 'a'));
    sent.writes_taken = 0;
    EXPECT_FALSE(send());
}

}    // namespace
}    // namespace caisson::http
