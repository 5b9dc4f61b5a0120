// Tells when the file of a session changes (inotify). A disk that other machines write to tells
// nothing of that.
#pragma once

#include <memory>
#include <string>

#include "core/store/backend.h"
#include "core/store/files/files.h"
#include "core/text/fd.h"

namespace skein::store::home {

class TranscriptWatch : public SessionWatch {
 public:
  // `files` need not outlive it.
  TranscriptWatch(files::Files& files, Id session);
  int descriptor() const override { return events_.get(); }
  bool take() override;

 private:
  std::string session_;
  Fd events_;
};

}  // namespace skein::store::home
