// How far long work is, as one line on a terminal's standard error that is redrawn in place and
// taken away at the end. Where that is no terminal nothing is shown.
#pragma once

#include <cstdint>
#include <string>

namespace skein::verbs {

class Progress {
 public:
  enum class Unit { things, bytes };
  // `doing`: "importing".
  Progress(std::string doing, std::uint64_t whole, Unit unit = Unit::things);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(std::uint64_t by = 1);
  void end();

 private:
  void draw() const;

  std::string doing_;
  std::uint64_t whole_, done_ = 0;
  Unit unit_;
  bool shown_;
  std::int64_t drawn_ms_ = 0;
};

}  // namespace skein::verbs
