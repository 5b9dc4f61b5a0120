#include "core/store/home/sift.h"

#include <algorithm>
#include <cstring>

#include "core/store/files/named_files.h"
#include "core/store/home/gzip.h"
#include "core/store/home/transcript.h"
#include "core/store/log/line_codec.h"

namespace skein::store::home {

namespace {

// Large enough that calls cost nothing, small enough for the processor's cache.
constexpr std::size_t block_bytes = 256u << 10;

// The lines of a file as its bytes come in.
class LineSieve {
 public:
  LineSieve(const Sieve& sieve, const VisitFacts& visit) : sieve_(sieve), visit_(visit) {}

  // `bytes` begin with those that were left over the last time. How many were used up.
  std::size_t take(std::string_view bytes) {
    const std::size_t end = bytes.rfind('\n') + 1;  // 0: not even one line
    const std::string_view lines = bytes.substr(0, end);
    for (std::size_t at = 0; at < lines.size() && !odd_;) {
      const std::size_t hit = sieve_.next(lines, at);
      if (hit == std::string_view::npos) break;
      const void* before = ::memrchr(lines.data() + at, '\n', hit - at);
      const std::size_t begin =
          before == nullptr
              ? at
              : static_cast<std::size_t>(static_cast<const char*>(before) - lines.data()) + 1;
      at = lines.find('\n', hit) + 1;
      look(lines.substr(begin, at - 1 - begin), base_ + begin);
    }
    if (end > 0) keep_end(lines);
    base_ += end;
    return end;
  }
  bool any() const { return any_; }
  // Something is not as it was written, or has no end: what counts then, only a scan can tell.
  bool odd() const { return odd_ || !ends_whole(); }

 private:
  void look(std::string_view text, std::uint64_t at) {
    const std::optional<log::Line> line = log::read_line(text);
    odd_ = !line;
    if (!line || line->type == type::session_header) return;
    any_ = true;
    visit_({line->id, line->parent, line->type, line->timestamp, line->body, at});
  }
  void keep_end(std::string_view lines) {
    constexpr std::size_t width = log::seal_width + 1;
    end_.assign(lines.substr(lines.size() - std::min(lines.size(), width)));
  }
  // ,"seal":"iiii/nnnn:…: what stands before a whole batch was acknowledged, so a file that ends in
  // the last line of one has nothing in it that does not count.
  bool ends_whole() const {
    constexpr std::string_view opening = R"(,"seal":")";
    if (!end_.starts_with(opening)) return false;
    const auto number = [&](std::size_t at) {
      return std::strtol(end_.substr(opening.size() + at, 4).c_str(), nullptr, 10);
    };
    return number(0) + 1 == number(5);
  }

  const Sieve& sieve_;
  const VisitFacts& visit_;
  std::uint64_t base_ = 0;
  std::string end_{};
  bool any_ = false, odd_ = false;
};

enum class Pass { done, odd };

Result<Pass> sift_plain(const files::OpenFile& file, const Sieve& sieve, LineSieve& lines) {
  thread_local std::string block;  // one for all files: pages are costly to get
  if (block.size() < block_bytes) block.resize(block_bytes);
  std::size_t left = 0;
  for (std::uint64_t at = 0;;) {
    const Result<std::size_t> got = file.read(block.data() + left, block.size() - left, at);
    if (!got) return got.error();
    if (*got == 0) return left > 0 ? Pass::odd : Pass::done;
    at += *got;
    const std::size_t have = left + *got;
    const std::size_t used = lines.take(std::string_view(block).substr(0, have));
    left = have - used;
    std::memmove(block.data(), block.data() + used, left);
    if (left > log::max_line_bytes) return Pass::odd;
    if (left == block.size()) block.resize(block.size() * 2);
    if (!sieve.go_on()) return Pass::done;
  }
}

Result<Pass> sift_packed(files::Files& files, const std::string& path, const std::string& name,
                         const Sieve& sieve, LineSieve& lines) {
  std::string block;
  bool too_long = false;
  const auto read = read_pieces(
      files, path,
      [&](std::string_view piece) {
        block += piece;
        block.erase(0, lines.take(block));
        too_long = block.size() > log::max_line_bytes;
        return !too_long && sieve.go_on();
      },
      name);
  if (!read) return read.error();
  return too_long || (!block.empty() && sieve.go_on()) ? Pass::odd : Pass::done;
}

// With a verdict on every byte, as sessions are opened; and with what was redacted only just now.
Result<std::set<Id>> scan_transcript(files::Files& files, Id session, const Sieve& sieve,
                                     const VisitFacts& visit) {
  constexpr int most_tries = 3;
  for (int tries = 1;; ++tries) {
    const std::string path = transcript_place(files, session).path;
    const Result<Transcript> opened = open_transcript(files, session, path);
    if (!opened) return opened.error();
    sieve.begin();
    const auto read = opened->log->each(0, [&](const StoredEntry& placed) {
      if (placed.entry.type != type::session_header &&
          sieve.next(placed.entry.payload, 0) != std::string_view::npos)
        visit(model::facts_of(placed.entry, placed.at));
      return sieve.go_on();
    });
    if (!read) return read.error();
    const Result<files::FileStat> now = transcript_place(files, session).stat;
    if (!now) return now.error();
    if (now->same_version(opened->memory().stat) || tries == most_tries)
      return opened->log->state().redacted;
  }
}

}  // namespace

Result<std::set<Id>> sift_transcript(files::Files& files, const SessionRecord& session,
                                     const Sieve& sieve, const VisitFacts& visit) {
  const Id id = session.header.session;
  const auto scan = [&] { return scan_transcript(files, id, sieve, visit); };
  if (session.damage.any()) return scan();
  const std::string name = described(id);
  const std::string path = session.archived ? archive_path(id) : log::transcript_path(id);
  const Result<files::OpenFile> file = files::open(files, path, files::OpenAs::reader, name);
  if (!file) return file.error().missing ? scan() : file.error();  // it was packed or unpacked
  const Result<files::FileStat> before = file->stat();
  if (!before) return before.error();
  // Written to since it was listed: what is redacted is not what the list says.
  if (before->size != session.bytes) return scan();
  sieve.begin();
  LineSieve lines(sieve, visit);
  const Result<Pass> pass = session.archived ? sift_packed(files, path, name, sieve, lines)
                                             : sift_plain(*file, sieve, lines);
  if (!pass) return pass.error();
  if (!sieve.go_on()) return session.state.redacted;
  if (*pass == Pass::odd) return scan();
  if (!lines.any()) return session.state.redacted;
  // Something is to be shown: not if it was redacted while we read.
  const Result<files::FileStat> now = files::stat(files, path, name);
  if (lines.odd() || !now || !now->same_version(*before)) return scan();
  return session.state.redacted;
}

}  // namespace skein::store::home
