#include "app/wire/openapi.hpp"

#include "tests/app/doors/api_test.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace caisson::http {
namespace {

std::vector<std::string> described_routes()
{
    std::vector<std::string> routes;
    const auto document = boost::json::parse(wire::openapi_json());
    for (const auto& path : document.at("paths").as_object()) {
        for (const auto& method : path.value().as_object()) {
            std::string name(method.key());
            if (name == "parameters" || name == "summary" || name == "description")
                continue;
            std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
            routes.push_back(name + " " + std::string(path.key()));
        }
    }
    return routes;
}

class Contract : public testing::ApiTest { };

TEST_F(Contract, EveryRouteIsDescribedAndEveryDescribedRouteIsThere)
{
    EXPECT_THAT(api_->route_names(), ::testing::UnorderedElementsAreArray(described_routes()));
}

TEST_F(Contract, NoTwoDoorsHaveTheSameRoute)
{
    auto doors = rest_doors();
    doors.push_back(doors.front());
    EXPECT_THROW(api(services(), doors), std::logic_error);
}

}    // namespace
}    // namespace caisson::http
