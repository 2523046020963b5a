#include "core/base/secret.hpp"

#include <cstring>

namespace caisson {

void secret::wipe() noexcept
{
    ::explicit_bzero(text_.data(), text_.size());
    text_.clear();
}

}    // namespace caisson
