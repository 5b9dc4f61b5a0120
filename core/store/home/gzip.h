// Transcripts packed with gzip: how they are called, made and read through. An archive that cannot
// be unpacked is `damaged`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/store/files/new_file.h"
#include "core/text/base.h"

namespace skein::store::home {

std::string archive_path(Id session);
bool is_packed(std::string_view path);
// The session a file in transcripts/ belongs to: <session id>.jsonl or <session id>.jsonl.gz
std::optional<Id> session_of_file(std::string_view name);

// The same in trash/: <session id>.<time>.jsonl, or .jsonl.gz if it was archived.
std::optional<Id> session_of_trashed(std::string_view name);

// All of a file, piece by piece, unpacked if it is packed; `name` is what people call it.
Result<void> read_pieces(files::Files& files, const std::string& path, const files::Take& take,
                         const std::string& name);
// Packs all of an open file into a new one; how many bytes there were.
Result<std::uint64_t> pack(const files::OpenFile& from, files::NewFile& to);
// Unpacks (or copies) into a new file, which knows whether it could be written.
Result<void> unpack(files::Files& files, const std::string& from, files::NewFile& to,
                    const std::string& name);
// Whether the file begins with all that is packed in `packed`.
Result<bool> begins_with_packed(files::Files& files, const files::OpenFile& file,
                                const std::string& packed);

}  // namespace skein::store::home
