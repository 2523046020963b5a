#include "core/base/log.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace caisson {
namespace {

class list_logger : public logger {
public:
    std::vector<std::string> lines;
    void write(log_level level, std::string_view message, std::initializer_list<log_field> fields) noexcept override
    {
        auto line = std::to_string(static_cast<int>(level)) + " " + std::string(message);
        for (const auto& field : fields)
            line += " " + std::string(field.name) + "=" + boost::json::serialize(field.value);
        lines.push_back(line);
    }
};

TEST(Logger, FieldsKeepTheirTypes)
{
    list_logger log;
    const std::string owned = "owned";
    log.info("m", {{"zero", 0}, {"big", std::uint64_t(1) << 63}, {"yes", true}, {"ratio", 0.5}});
    log.error("m", {{"literal", "text"}, {"string", owned}, {"view", std::string_view("view")}, {"null", nullptr}});
    ASSERT_EQ(log.lines.size(), 2u);
    EXPECT_EQ(log.lines[0], "1 m zero=0 big=9223372036854775808 yes=true ratio=5E-1");
    EXPECT_EQ(log.lines[1], R"(3 m literal="text" string="owned" view="view" null=null)");
}

TEST(Logger, EachMethodIsOneLevel)
{
    list_logger log;
    log.debug("a");
    log.info("b");
    log.warning("c");
    log.error("d");
    EXPECT_EQ(log.lines, (std::vector<std::string>{"0 a", "1 b", "2 c", "3 d"}));
}

}    // namespace
}    // namespace caisson
