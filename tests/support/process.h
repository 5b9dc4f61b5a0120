// Other processes: the executable under test, run to its end, and copies of this program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace skein::test {

struct Finished {
  int status = 0;  // as a shell gives it: 128 + the signal's number if one ended it
  bool timed_out = false;
  std::string out{}, err{};
};

struct Command {
  std::vector<std::string> words{};
  std::string input{};
  int patience_ms = 120'000;            // the machine may be busy
  std::function<void()> before_exec{};  // in the child: limits, umask, environment
};
Finished run(const Command& command);

// `skein --home HOME words…`, with $SKEIN as the executable.
Command skein_command(const std::string& home, std::vector<std::string> words,
                      std::string input = {});
std::string skein_executable();
bool is_installed(const std::string& program);

// Whether a process with this word in its command line is left on the machine.
bool is_running(const std::string& word);

// A copy of this process that calls `work` and ends with what it returns.
pid_t start(const std::function<int()>& work);
int status_of(pid_t process);  // waits

// Calls `each` for 0 … count-1, divided among `workers` processes; what it returns is a complaint
// or empty. Complaints are printed; how many there were.
std::size_t complaints_of(std::size_t count, int workers,
                          const std::function<std::string(std::size_t)>& each);

// Temporary folders go to memory where there is such a place: what is tested here is the order of
// calls, and a sync that costs nothing lets more of them be tried.
void use_memory_disk();

}  // namespace skein::test
