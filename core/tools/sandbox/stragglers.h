// What a program leaves running: processes that went into sessions of their own and outlive it.
// While this object lives they become our children instead of init's, so they can be found.
#pragma once

#include <sys/types.h>

#include <vector>

namespace skein::tools::sandbox {

class Stragglers {
 public:
  Stragglers();  // before the program starts; our children by then are left alone
  ~Stragglers();
  Stragglers(const Stragglers&) = delete;
  Stragglers& operator=(const Stragglers&) = delete;

  // Once the program has ended and been waited for. Returns how many could not be ended: none,
  // unless they make new ones faster than they can be found, or hang in the kernel.
  std::size_t end();

 private:
  std::vector<pid_t> ours_;
  int reaped_before_ = 0;
};

}  // namespace skein::tools::sandbox
