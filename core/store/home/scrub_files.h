// Takes a text out of files, one after the other: transcripts, archives, whatever else lies in a
// folder. What cannot be done is noted, and the rest is done all the same.
#pragma once

#include <set>
#include <string>

#include "core/model/scrub.h"
#include "core/store/backend.h"
#include "core/store/files/new_file.h"

namespace skein::store::home {

// Lines of former transcripts that have this entry's id: copies of it, perhaps from before it was
// scrubbed. What cannot be read has none.
std::vector<model::Entry> copies_of(files::Files& files, const std::string& folder, Id entry);

class FileScrubber {
 public:
  // `prefix` is how the files' folder is called in the report; empty: the home.
  FileScrubber(files::Files& files, const model::Scrubbing& what, Scrubbed& report,
               std::string prefix = {})
      : files_(files), what_(what), report_(report), prefix_(std::move(prefix)) {}

  // A transcript, packed or not, in one step: at any moment all of the old or all of the new is
  // there. The caller keeps others from writing to it. `name` is what people call it. True if it
  // had to be rewritten.
  bool transcript(Id session, const std::string& path, const std::string& name);
  // Every file of a folder, and of those beneath it if `deep`; not what is in `spared`.
  void folder(const std::string& folder, const std::set<std::string>& spared, bool deep = false);
  // What processes left behind when they died: nobody can tell what is in half an archive, and
  // nobody needs it. The caller holds the lock of the index, so no session is being made.
  void leftovers(const std::string& folder);
  void blobs();
  // Only says which files hold it, or cannot be looked at: they are the user's own.
  void look(const std::string& folder, const std::set<std::string>& spared);
  void sync(const std::string& folder);  // also what an earlier attempt could not make sure of

  void unreached(const std::string& path, const std::string& why);
  void unreached(const std::string& path, int error);

 private:
  Result<bool> rewrite(Id session, const std::string& path, const std::string& name);
  // 0 or -errno.
  int place(files::NewFile& plain, const std::string& path);
  // 1 if it had to be changed, 0 if not, or -errno.
  int filter(const std::string& path);
  template <class Each>
  void each_file(const std::string& folder, const std::set<std::string>& spared, bool deep,
                 const Each& each);

  files::Files& files_;
  const model::Scrubbing& what_;
  Scrubbed& report_;
  const std::string prefix_;
};

}  // namespace skein::store::home
