// A thread that no signal reaches: they are for the thread that was there first.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace skein {

template <class Function>
std::thread quiet_thread(Function function) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(function));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace skein
