#pragma once

#include "core/base/shared_bytes.hpp"

#include <string>
#include <utility>

namespace caisson {

/// The bytes of a small file. They mostly come in one piece, which is not copied; where two frames share the file they are joined.
class small_content {
public:
    void add(const shared_bytes& piece)
    {
        if (whole_.empty() && pieces_.empty()) {
            whole_ = piece;
            return;
        }
        if (pieces_.empty())
            pieces_ = std::exchange(whole_, {}).view();
        pieces_ += piece.view();
    }
    /// All bytes; none are left.
    shared_bytes take() { return pieces_.empty() ? std::exchange(whole_, {}) : shared_bytes(std::exchange(pieces_, {})); }

private:
    shared_bytes whole_;    // the one piece,
    std::string pieces_;    // or the bytes of several
};

}    // namespace caisson
