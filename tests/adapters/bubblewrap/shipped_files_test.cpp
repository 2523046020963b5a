#include "adapters/bubblewrap/shipped_files.hpp"

#include <gtest/gtest.h>

namespace caisson {

TEST(ShippedFiles, AreReadFromTheFieldConffilesOfEachPackage)
{
    shipped_files files;
    add_conffiles("Package: netbase\n"
                  "Status: install ok installed\n"
                  "Conffiles:\n"
                  " /etc/protocols 0123456789abcdef0123456789abcdef\n"
                  " /etc/services fedcba9876543210fedcba9876543210 obsolete\n"
                  " /etc/new newconffile\n"
                  "Description: names\n"
                  " /etc/no 00000000000000000000000000000000\n"
                  "\n"
                  "Package: other\n"
                  "Conffiles:\n"
                  " relative 00000000000000000000000000000000\n"
                  " /etc/short 00\n",
        files);
    EXPECT_EQ(files,
        (shipped_files{{"/etc/protocols", "0123456789abcdef0123456789abcdef"}, {"/etc/services", "fedcba9876543210fedcba9876543210"}}));
}

TEST(ShippedFiles, AreReadFromTheListOfUcf)
{
    shipped_files files;
    add_ucf_files("0123456789abcdef0123456789abcdef  /etc/php/8.2/cli/php.ini\nnot a line\n"
                  "0123456789abcdef0123456789abcdef  /etc/dbconfig-common/app.conf\n",
        files);
    EXPECT_EQ(files, (shipped_files{{"/etc/php/8.2/cli/php.ini", "0123456789abcdef0123456789abcdef"}}));
}

}    // namespace caisson
