// The current files of the workspace, reached without following a link; what is in them is kept
// as blobs where that is asked for. What has surely not changed since is not read again.
#pragma once

#include <sys/stat.h>

#include "core/model/payloads.h"
#include "core/sandbox/tree_record.h"
#include "core/store/backend.h"
#include "core/text/base.h"
#include "core/workspace/root.h"

namespace skein::checkpoints {

// What files of a workspace held when they were last looked at, in a file of this machine, so that
// a new process need not read them again. A cache: whatever is wrong with it, they are read.
struct LookedAt {
  sandbox::ChangeStamp stamp{};
  std::uint64_t size = 0;
  std::string hash{};  // empty: its contents were not looked at
  bool kept = false;   // they are known to be stored
};
using LookedAtFiles = std::unordered_map<std::string, LookedAt>;  // by path

LookedAtFiles load_looks(const std::string& file);
// What was looked at so soon after a change that a second one could hide is left out.
void save_looks(const std::string& file, const LookedAtFiles& looks);

// Where contents of files are stored under their hashes: on this machine, wherever sessions are.
// Shared by a workspace and the copy in which its earlier states are tested.
using ContentStore = std::shared_ptr<store::Blobs>;
// In the home of the sessions, a folder of this machine; `blobs` must outlive it.
inline ContentStore content_store(store::Blobs& blobs) { return {ContentStore(), &blobs}; }

// Ends work on the files of a workspace when the user asks for that. Everything that may take long
// checks it. A look that was ended throws, so that a part of the files is never taken for all.
class StopRequest {
 public:
  struct Stopped : Error {
    Stopped() : Error("stopped", ExitStatus::interrupted) {}
  };

  bool asked() const { return asked_ && asked_(); }
  void check() const {
    if (asked()) throw Stopped();
  }

  // As long as it exists, `asked` decides. Empty: nothing ends the work.
  class By {
   public:
    By(StopRequest& stop, std::function<bool()> asked)
        : stop_(stop), before_(std::exchange(stop.asked_, std::move(asked))) {}
    ~By() { stop_.asked_ = std::move(before_); }
    By(const By&) = delete;
    By& operator=(const By&) = delete;

   private:
    StopRequest& stop_;
    std::function<bool()> before_;
  };

 private:
  std::function<bool()> asked_{};
};

using model::FileKind, model::KeptFile, workspace::FilePlace, workspace::Root;

inline constexpr std::uint64_t most_kept_bytes = 64u << 20;  // of one file

// Where the workspace has a file of exactly this name, reached without following a link.
FilePlace exact_place(const Root& root, const std::string& path,
                      Root::Missing folders = Root::Missing::refuse);

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
  // All three must outlive this. `memory`: the file in which looks are saved; empty: they are not.
  FileLook(const Root& root, ContentStore& contents, const StopRequest& stop,
           std::string memory = {})
      : root_(root), contents_(contents), stop_(stop), memory_(std::move(memory)) {}
  ~FileLook();
  FileLook(const FileLook&) = delete;
  FileLook& operator=(const FileLook&) = delete;

  enum class Contents { hashed, kept };
  // What is kept counts once flush() was called. A file larger than `most` is not read.
  store::Result<SeenFile> look(const std::string& path, Contents contents,
                               std::uint64_t most = most_kept_bytes);
  store::Result<SeenFile> look(const std::string& path, const FilePlace& place, Contents contents,
                               std::uint64_t most);
  // What is in a file now, if that is what has this hash.
  store::Result<std::string> read(const std::string& path, const std::string& hash);
  store::Result<void> flush();

 private:
  LookedAt& known(const std::string& path);

  store::Result<void> take_in(SeenFile& seen, const FilePlace& place, Contents contents,
                              std::uint64_t most);

  store::Result<void> take_in_link(SeenFile& seen, const FilePlace& place, Contents contents);
  store::Result<void> keep_later(std::string bytes, const std::string& path);

  const Root& root_;
  ContentStore& contents_;
  const StopRequest& stop_;
  std::string memory_;
  std::optional<LookedAtFiles> remembered_{};  // by those before us; read when it is needed
  bool learned_ = false;                       // something they did not know
  LookedAtFiles known_{};
  std::vector<std::string> pending_{};        // contents to be kept
  std::vector<std::string> pending_paths_{};  // whose they are
  std::uint64_t pending_bytes_ = 0;
};

}  // namespace skein::checkpoints
