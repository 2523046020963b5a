#include "app/skills/file_intake.hpp"

#include "adapters/archive/package_reader.hpp"
#include "app/skills/spooled_file.hpp"

#include <boost/asio/post.hpp>

namespace caisson {

namespace {

error too_large(std::int64_t limit)
{
    return {errc::too_large, "the package has more than " + std::to_string(limit) + " bytes, which is the most that this server takes",
        {{"body", "must be at most " + std::to_string(limit) + " bytes long"}}};
}

constexpr std::int64_t look_every_bytes = 1 << 20;    // interval of checks for free space

error no_room() { return {errc::runtime_unavailable, "the server's disk has too little room for the package; try again later"}; }

/// Inspects and checks the package in a file. Blocks.
result<inspected_package> judge(spooled_file& file, const package_limits& limits, const package_rules& rules)
{
    const auto index = inspect_package(file.path(), limits);
    if (index.has_error())
        return index.error();
    auto checked = check_package(*index, rules);
    if (checked.has_error())
        return checked.error();
    inspected_package found;
    found.manifest = std::move(checked->manifest);
    found.notes = std::move(checked->notes);
    found.digest = file.digest();
    found.size_bytes = file.size_bytes();
    found.files = static_cast<std::int64_t>(index->entries.size());
    found.format = index->format;
    return found;
}

class file_upload : public package_upload {
public:
    file_upload(worker_pool& work, std::shared_ptr<spooled_file> file, const file_intake_options& options, package_rules rules)
        : work_(work), file_(std::move(file)), options_(options), limits_(options.limits), rules_(std::move(rules))
    {
    }
    ~file_upload() override
    {
        // Removing a large file takes time.
        asio::post(work_.pool(), [file = std::move(file_)]() mutable { file.reset(); });
    }
    file_upload(const file_upload&) = delete;
    file_upload& operator=(const file_upload&) = delete;

    task<result<void>> write(shared_bytes bytes) override
    {
        given_ += static_cast<std::int64_t>(bytes.size());
        if (given_ > limits_.max_package_bytes)
            return refuse(too_large(limits_.max_package_bytes));
        if (given_ >= next_look_ && !has_room())
            return refuse(no_room());
        auto append = [file = file_, bytes = std::move(bytes)] { return file->append(bytes.view()); };
        return offload(work_, std::move(append));
    }

    task<result<inspected_package>> inspect() override
    {
        if (given_ == 0)
            return refuse_package({errc::bad_request, "empty zip data", {{"body", "is empty"}}});
        auto look = [file = file_, limits = limits_, rules = rules_] { return judge(*file, limits, rules); };
        return offload(work_, std::move(look));
    }

    task<result<shared_bytes>> read(std::int64_t offset, std::size_t max_bytes) override
    {
        auto look = [file = file_, offset, max_bytes]() -> result<shared_bytes> { return shared_bytes(file->read(offset, max_bytes)); };
        return offload(work_, std::move(look));
    }

private:
    static task<result<void>> refuse(error why) { co_return why; }

    /// Room for the next part, which is written to this file, to the database's log and to the database.
    bool has_room()
    {
        next_look_ = given_ + look_every_bytes;
        return !options_.free_bytes || options_.free_bytes() > options_.kept_free_bytes + 3 * look_every_bytes;
    }
    static task<result<inspected_package>> refuse_package(error why) { co_return why; }

    worker_pool& work_;
    std::shared_ptr<spooled_file> file_;
    const file_intake_options& options_;    // of the intake, which outlives the upload
    const package_limits limits_;
    const package_rules rules_;
    std::int64_t given_ = 0;
    std::int64_t next_look_ = 0;
};

}    // namespace

task<> file_intake::prepare()
{
    auto empty = [directory = options_.directory] { empty_directory(directory); };
    return offload(work_, std::move(empty));
}

task<result<std::unique_ptr<package_upload>>> file_intake::begin(std::vector<std::string> images)
{
    auto rules = options_.rules;
    rules.images = std::move(images);
    auto make = [path = options_.directory / ("upload-" + std::to_string(++next_))] { return make_spooled_file(path); };
    auto made = co_await offload(work_, std::move(make));
    if (made.has_error())
        co_return made.error();
    co_return std::unique_ptr<package_upload>(std::make_unique<file_upload>(work_, std::move(*made), options_, std::move(rules)));
}

}    // namespace caisson
