#include "core/store/log/read_back.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text/request_text.h"

namespace skein::store::log {

namespace {

constexpr std::size_t largest_step = 256u << 10;

}  // namespace

Result<std::uint32_t> read_back(const files::OpenFile& file, Id session, std::uint64_t end,
                                const VisitLine& each) {
  const auto damaged = [&] {
    return Failure{Failure::Kind::damaged, "session " + to_string(session) + " is damaged"};
  };
  const std::uint32_t seed = seal_seed(session);
  std::uint32_t last_crc = 0;
  struct Reading {
    std::uint64_t begin, end;
    std::string text;
    Line line;
  };
  std::vector<Reading> batch;  // newest first, until its first line is reached
  std::optional<std::uint32_t> expected;
  std::string buffer;  // the bytes from `base` on that belong to no line yet
  std::uint64_t base = end;
  std::size_t step = 64u << 10;

  while (base > 0) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(step, base));
    std::string block(count, '\0');
    const Result<std::size_t> got = file.read(block.data(), count, base - count);
    if (!got) return got.error();
    if (*got < count) return damaged();  // shorter than we were told
    base -= count;
    buffer.insert(0, block);
    step = std::min<std::size_t>(step * 2, largest_step);

    // Every line whose beginning is in the buffer.
    while (!buffer.empty()) {
      if (buffer.back() != '\n') return damaged();
      const std::size_t newline =
          buffer.size() < 2 ? std::string::npos : buffer.rfind('\n', buffer.size() - 2);
      if (newline == std::string::npos && base > 0) break;
      const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
      if (is_blank(std::string_view(buffer).substr(begin))) {
        buffer.resize(begin);
        continue;
      }
      Reading reading{
          base + begin, base + buffer.size(), buffer.substr(begin, buffer.size() - begin - 1), {}};
      buffer.resize(begin);
      batch.push_back(std::move(reading));
      const std::optional<Line> line = read_line(batch.back().text);
      if (!line || line->seal.place + batch.size() != line->seal.count) return damaged();
      if (line->seal.place > 0) continue;

      std::uint32_t state = seed;
      for (std::size_t i = batch.size(); i-- > 0;) {
        batch[i].line = *read_line(batch[i].text);
        if (line_crc(state, batch[i].text) != batch[i].line.seal.crc) return damaged();
        state = state_after(batch[i].line.seal.crc, batch[i].text);
      }
      const Seal& seal = batch.front().line.seal;
      if (expected && *expected != seal.crc) return damaged();
      if (!expected) last_crc = seal.crc;
      expected = seal.previous;
      for (const Reading& found : batch)
        if (!each({LineStatus::committed, found.begin, found.end, found.text, &found.line}))
          return last_crc;
      batch.clear();
    }
    if (buffer.size() > max_line_bytes) return damaged();
  }
  if (!batch.empty()) return damaged();
  return last_crc;
}

}  // namespace skein::store::log
