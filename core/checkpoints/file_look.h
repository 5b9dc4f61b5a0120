// Files of the workspace as they are now, reached without following a link; what is in them is kept
// as blobs where that is asked for. What has surely not changed since is not read again.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/checkpoints/content_store.h"
#include "core/checkpoints/look_memory.h"
#include "core/checkpoints/stop.h"
#include "core/model/kept_file.h"
#include "core/tools/workspace/root.h"

namespace skein::checkpoints {

using model::FileKind, model::KeptFile, tools::workspace::Place, tools::workspace::Root;

inline constexpr std::uint64_t most_kept_bytes = 64u << 20;  // of one file

struct SeenFile {
  // file: a regular file or a symbolic link, as `file` says. none: nothing of that name, or a
  // folder. own: one of skein's files, which are in no checkpoint.
  enum class Kind { file, none, other, own } kind = Kind::none;
  KeptFile file{};
  struct stat info {};
  std::string why{};  // with `other`: what it is, or why it cannot be read
};

class FileLook {
 public:
  // All three must outlive this. What was seen is noted in the file `memory` for the next one;
  // empty: it is not.
  FileLook(const Root& root, ContentStore& contents, const Stop& stop, std::string memory = {})
      : root_(root), contents_(contents), stop_(stop), memory_(std::move(memory)) {}
  ~FileLook();
  FileLook(const FileLook&) = delete;
  FileLook& operator=(const FileLook&) = delete;

  enum class Contents { hashed, kept };
  // What is kept counts once flush() was called. A file larger than `most` is not read.
  store::Result<SeenFile> look(const std::string& path, Contents contents,
                               std::uint64_t most = most_kept_bytes);
  store::Result<SeenFile> look(const std::string& path, const Place& place, Contents contents,
                               std::uint64_t most);
  store::Result<std::string> keep(std::string_view bytes);  // at once; its name
  // What is in a file now, if that is what has this hash.
  store::Result<std::string> read(const std::string& path, const std::string& hash);
  store::Result<void> flush();

 private:
  struct Known {
    LookedAt look{};
    bool kept = false;
  };
  Known& known(const std::string& path);
  bool is_kept(Known& file) const;
  store::Result<void> take_in(SeenFile& seen, const Place& place, Contents contents,
                              std::uint64_t most);
  std::optional<std::string> bytes_of(const tools::workspace::Opened& file,
                                      std::uint64_t most) const;
  store::Result<void> take_in_link(SeenFile& seen, const Place& place, Contents contents);
  store::Result<void> keep_later(std::string bytes, const std::string& path);

  const Root& root_;
  ContentStore& contents_;
  const Stop& stop_;
  std::string memory_;
  std::optional<LookedAtFiles> remembered_{};  // by those before us; read when it is needed
  bool learned_ = false;                       // something they did not know
  std::unordered_map<std::string, Known> known_{};
  std::vector<std::string> pending_{};        // contents to be kept
  std::vector<std::string> pending_paths_{};  // whose they are
  std::uint64_t pending_bytes_ = 0;
};

}  // namespace skein::checkpoints
