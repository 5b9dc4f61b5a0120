// A command that runs beside the prompt, in a thread: started, and looked after now and then.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "core/text/io.h"

namespace skein::status {

class BackgroundCommand {
 public:
  struct End {
    std::string output{};
    std::string trouble{};  // why the output does not count; empty: it does
    bool operator==(const End&) const = default;
  };
  // Ends soon after `stop` is set, which a byte in `wake` tells.
  using Run = std::function<End(const std::string& input, const std::atomic<bool>& stop, int wake)>;

  explicit BackgroundCommand(Run run) : run_(std::move(run)) {}
  ~BackgroundCommand();
  BackgroundCommand(const BackgroundCommand&) = delete;
  BackgroundCommand& operator=(const BackgroundCommand&) = delete;

  bool running() const { return thread_.joinable(); }
  void start(std::string input);  // if it does not run
  // How it ended, once.
  std::optional<End> take();

 private:
  Run run_;
  Pipe wake_{};
  std::atomic<bool> stop_{false}, ended_{false};
  End end_{};
  std::thread thread_{};
};

}  // namespace skein::status
