#include "repl/status/background_command.h"

#include <utility>

#include "core/text/quiet_thread.h"

namespace skein::status {

BackgroundCommand::~BackgroundCommand() {
  if (!running()) return;
  stop_ = true;
  write_all(wake_.write.get(), "x");
  thread_.join();
}

void BackgroundCommand::start(std::string input) {
  if (running()) return;
  if (!wake_.read) wake_ = make_pipe();
  ended_ = false;
  thread_ = quiet_thread([this, input = std::move(input)] {
    end_ = run_(input, stop_, wake_.read.get());
    ended_ = true;
  });
}

std::optional<BackgroundCommand::End> BackgroundCommand::take() {
  if (!running() || !ended_) return std::nullopt;
  thread_.join();
  return std::exchange(end_, {});
}

}  // namespace skein::status
