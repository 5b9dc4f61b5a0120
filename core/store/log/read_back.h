// Reading a transcript from its end, as far as it is as it should be.
#pragma once

#include "core/store/log/scan.h"

namespace skein::store::log {

// From `end`, a border between batches, newest line first, until `each` returns false or the file
// begins. Only verified batches are told. `damaged` as soon as one is not as it should be: then
// only a scan can tell what there is. Returns the crc of the batch that ends at `end`.
Result<std::uint32_t> read_back(const files::OpenFile& file, Id session, std::uint64_t end,
                                const VisitLine& each);

}  // namespace skein::store::log
