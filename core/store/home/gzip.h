// Transcripts packed with gzip: how they are made and read through. As of Files, what is returned
// is a number >= 0, or -errno; -EILSEQ: packed, and damaged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/store/files/files.h"
#include "core/store/files/new_file.h"
#include "core/text/base.h"

namespace skein::store::home {

std::string archive_path(Id session);
bool is_packed(std::string_view path);
// The session a file in transcripts/ belongs to: <session id>.jsonl or <session id>.jsonl.gz
std::optional<Id> session_of_file(std::string_view name);

// The same in trash/: <session id>.<time>.jsonl, or .jsonl.gz if it was archived.
std::optional<Id> session_of_trashed(std::string_view name);

// All of a file, piece by piece, unpacked if it is packed.
int read_pieces(files::Files& files, const std::string& path, const files::Take& take);
// Packs all of an open file into a new one; how many bytes there were.
std::int64_t pack(files::Files& files, files::Files::Handle from, files::NewFile& to);
// Unpacks (or copies) into a new file.
int unpack(files::Files& files, const std::string& from, files::NewFile& to);
// 1 if the file at `path` begins with all that is packed in `packed`, else 0.
int begins_with_packed(files::Files& files, const std::string& path, const std::string& packed);

}  // namespace skein::store::home
