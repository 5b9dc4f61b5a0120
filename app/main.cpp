#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>

#include "app/application.h"
#include "app/cli.h"
#include "core/jobs/keep_job.h"
#include "core/text/base.h"
#include "repl/layout/sanitize.h"

namespace {

// An error may quote a file, a key or an argument: none of them drives the terminal.
int report(const std::exception& error, skein::ExitStatus trouble) {
  std::fprintf(stderr, "skein: %s\n", skein::layout::sanitized(error.what()).c_str());
  return static_cast<int>(trouble);
}

// Whoever starts us may have closed one of the three. The next file we open would get its number,
// and an answer would be written into a transcript. This way writing fails, and is told.
void keep_standard_streams() {
  int fd = 0;
  do fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  // Whoever stops a job waits for the end of this process, so it does nothing more.
  if (const auto status = skein::jobs::supervise(words.subspan(argc > 0))) _exit(*status);
  keep_standard_streams();
  umask(umask(077) & 077);  // the user may read and write what skein makes
  // A file that may not grow is told as EFBIG, like a full disk; by default the signal would end us
  // in the middle of a turn. Children get the default back.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const skein::app::Parsed parsed = skein::app::parse_command_line(argc, argv);
    const int status = parsed.invocation ? skein::app::run(*parsed.invocation) : parsed.status;
    // A script that gets half of an answer must not be told that all went well.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw skein::Error("the output could not be written", skein::ExitStatus::storage);
    return status;
  } catch (const skein::Error& error) {
    return report(error, error.status());
  } catch (const std::exception& error) {
    return report(error, skein::ExitStatus::turn);
  }
}
