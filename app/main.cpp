#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/application.h"
#include "app/invocation/cli.h"
#include "core/jobs/supervise.h"
#include "core/text/base.h"

namespace {

// An error may quote a file, a key or an argument: none of them drives the terminal.
int report(const std::exception& error, skein::ExitStatus trouble) {
  skein::app::tell_user(error.what());
  return static_cast<int>(trouble);
}

// The program that starts us may have closed one of the three. The next file we open would get its
// number, and an answer would be written into a transcript. This way writing fails, and is
// reported.
void keep_standard_streams() {
  int fd = 0;
  do fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  // /jobs stop waits for the end of this process, so it does nothing more.
  if (const auto status = skein::jobs::supervise(words.subspan(argc > 0))) _exit(*status);
  keep_standard_streams();
  umask(umask(077) & 077);  // the user may read and write what skein makes
  // A file that may not grow is reported as EFBIG, like a full disk; by default the signal would
  // end us in the middle of a turn. Children get the default back.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const skein::app::Parsed parsed = skein::app::parse_command_line(argc, argv);
    const int status = parsed.invocation ? skein::app::run(*parsed.invocation) : parsed.status;
    // A script that gets half of an answer must not get exit status 0.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw skein::Error("the output could not be written", skein::ExitStatus::storage);
    return status;
  } catch (const skein::Error& error) {
    return report(error, error.status());
  } catch (const std::exception& error) {
    return report(error, skein::ExitStatus::turn);
  }
}
