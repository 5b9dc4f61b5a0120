// A command that prints a key or a header on its first line, run through /bin/sh.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "core/text/fd.h"

namespace skein::providers {

class KeyCommand {
 public:
  // Where it runs: in front, where it may ask the user at the terminal, or in a process group of
  // its own, which ends as a whole.
  enum class Place { foreground, own_group };
  // Starts it. Throws Error, as all of these do without quoting the command: it may hold a secret
  // itself.
  explicit KeyCommand(const std::string& command, Place place = Place::foreground);
  ~KeyCommand();  // one that still runs is ended
  KeyCommand(const KeyCommand&) = delete;
  KeyCommand& operator=(const KeyCommand&) = delete;

  // Waits for its end. `stopped` is asked now and then; left out: it may take as long as it likes.
  std::string first_line(const std::function<bool()>& stopped = {});

 private:
  std::string output(const std::function<bool()>& stopped);

  Place place_;
  pid_t child_ = -1;
  Fd output_;
};

}  // namespace skein::providers
