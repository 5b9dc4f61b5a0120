// Keys at random into a skein at a pseudo-terminal: it neither crashes nor hangs, ends when told
// to, and leaves the terminal sane. Counts: 300 runs of 120 keys, 10,000 in the long job, or
// argv[1].
#include <csignal>
#include <random>

#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/pty.h"
#include "tests/support/sweep.h"
#include "tests/support/temp_dir.h"

using namespace skein::test;

namespace {

constexpr int keys_per_run = 120;

// No letters that could make a command that does something, should a ! come before them.
constexpr std::string_view keys[] = {
    "a",
    "q",
    "x",
    "y",
    "n",
    "b",
    "j",
    "k",
    " ",
    "/",
    "@",
    "!",
    "?",
    "1",
    "\\",
    "é",
    "漢",
    "👩‍👧",
    "e\u0301",
    "\x01",
    "\x02",
    "\x03",
    "\x04",
    "\x05",
    "\x06",
    "\x07",
    "\x0b",
    "\x0c",
    "\x0e",
    "\x0f",
    "\x10",
    "\x12",
    "\x13",
    "\x14",
    "\x15",
    "\x16",
    "\x17",
    "\x18\x05",
    "\x18",
    "\x19",
    "\x1a",
    "\x1f",
    "\t",
    "\t",
    "\r",
    "\r",
    "\n",
    "\x7f",
    "\x7f",
    "\x1b",
    "\x1b\x1b",
    "\x1b\r",
    "\x1b"
    "b",
    "\x1b"
    "f",
    "\x1b"
    "d",
    "\x1by",
    "\x1bu",
    "\x1bl",
    "\x1b.",
    "\x1bp",
    "\x1b<",
    "\x1b\x7f",
    "\x1b[A",
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[H",
    "\x1b[F",
    "\x1b[3~",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[Z",
    "\x1b[1;5A",
    "\x1b[1;5B",
    "\x1b[1;5C",
    "\x1b[1;3D",
    "\x1bOA",
    "\x1b[13;2u",
    "\x1b[27;5;9~",
    "\x1b[<0;1;1M",
    "\x1b[200~",
    "\x1b[201~",
    "\x1b[200~short\x1b[201~",
    "\x1b[200~1\n2\r3\r\n4\n5\n6\n7\n\x1b[A\x03\x1b[201~",
    "\x1b[999",
    "\x1b]0;x",
    "\x07",
    "\xff",
    "\xf0\x9f",
    "/tree\r",
    "/resume\r",
    "/sessions\r",
    "/new\r",
    "/undo\r",
    "/help\r",
    "hello\r",
    "list files\r",
    "run true\r",
    "\x12",
    "/switch main\r",
};

std::string name(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char code[8];
    std::snprintf(code, sizeof code, c >= 0x20 && c < 0x7F ? "%c" : "\\x%02x",
                  static_cast<unsigned char>(c));
    out += code;
  }
  return out;
}

class Run {
 public:
  explicit Run(std::size_t seed) : seed_(seed), random_(seed) {
    constexpr int sizes[][2] = {{80, 24}, {40, 12}, {200, 50}, {20, 5}};
    const auto& size = sizes[random_() % std::size(sizes)];
    pty_.resize(size[0], size[1]);
  }

  // What went wrong; empty: nothing.
  std::string run() {
    start();
    for (int i = 0; i < keys_per_run && complaint_.empty(); ++i) {
      const std::string_view key = keys[random_() % std::size(keys)];
      typed_ += key;
      pty_.type(key);
      if (random_() % 40 == 0)
        pty_.resize(10 + static_cast<int>(random_() % 150), 4 + static_cast<int>(random_() % 50));
      // Mostly in bursts, sometimes with pauses that let an Esc be an Esc.
      if (random_() % 6 == 0) look(static_cast<int>(random_() % 45));
      // ^D and two ^C end it: then it is started again.
      if (const auto status = pty_.status_of(skein_, 0)) {
        check_end(*status);
        start();
      }
    }
    if (complaint_.empty()) leave();
    return complaint_;
  }

 private:
  void start() {
    if (!complaint_.empty()) return;
    pty_.forget();
    skein_ = pty_.start_skein(dir_.path().string());
    if (!pty_.shows("› ")) complain("no prompt");
  }

  // However deep it is in lists, questions and pastes, this leads out.
  void leave() {
    for (int i = 0; i < 500; ++i)
      for (const std::string_view way_out : {"\x1b[201~\x1b\\\x03", "\x15\x04"}) {
        pty_.type(way_out);
        if (const auto status = pty_.status_of(skein_, 60)) return check_end(*status);
      }
    pty_.forget();
    complain("does not end, shows " + name(look(100)));
  }

  void check_end(int status) {
    if (status != 0) complain("status " + std::to_string(status));
    if (pty_.modes() != "echo cooked signals")
      complain("terminal left with '" + pty_.modes() + "'");
    if (!pty_.left_tidy()) complain("terminal left untidy");
  }

  const std::string& look(int ms) {
    return pty_.shown([](const std::string&) { return false; }, ms);
  }

  void complain(const std::string& what) {
    if (kill(skein_, SIGKILL) == 0) status_of(skein_);
    complaint_ = "run " + std::to_string(seed_) + ": " + what + " after " + name(typed_);
  }

  std::size_t seed_;
  std::mt19937_64 random_;
  TempDir dir_{};
  Pty pty_{};
  pid_t skein_ = -1;
  std::string typed_{}, complaint_{};
};

}  // namespace

int main(int argc, char** argv) {
  use_memory_disk();
  const std::size_t runs = argc > 1 ? std::stoul(argv[1]) : long_run() ? 5'000 : 300;
  const std::size_t first = argc > 2 ? std::stoul(argv[2]) : 0;
  const std::size_t wrong =
      complaints_of(runs, 4, [&](std::size_t i) { return Run(first + i).run(); });
  std::printf("random_keys: %zu runs of %d keys, %zu wrong\n", runs, keys_per_run, wrong);
  return wrong == 0 ? 0 : 1;
}
