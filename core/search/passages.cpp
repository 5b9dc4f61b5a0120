#include "core/search/passages.h"

#include "core/model/entry.h"
#include "core/text/json.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

// A JSON value walked through once. Damage ends the walk; what was found
// until then counts.
class PassageWalk {
 public:
  enum class End { whole, cut };
  explicit PassageWalk(std::string_view json, End end = End::whole) : rest_(json), end_(end) {}

  char next() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }
  // The inside of a string, as it is stored.
  std::optional<std::string_view> string() {
    if (next() != '"') return std::nullopt;
    const std::size_t end = closing_quote(rest_, 0);
    const bool cut = end == std::string_view::npos;
    const std::string_view inside = rest_.substr(1, cut ? end : end - 1);
    rest_.remove_prefix(cut ? rest_.size() : end + 1);
    return cut && end_ != End::cut ? std::nullopt : std::optional(inside);
  }
  std::string_view string_or_skip() {
    if (const auto text = string()) return *text;
    skip();
    return {};
  }
  bool truth() {
    const bool is = next() == 't';
    skip();
    return is;
  }
  // Each member must be taken or skipped by `member`.
  template <class Member>
  void object(Member member) {
    if (!take('{')) return skip();
    for (bool more = next() != '}'; more; more = take(',')) {
      const auto key = string();
      if (!key || !take(':')) return fail();
      member(*key);
    }
    if (!take('}')) fail();
  }
  template <class Element>
  void array(Element element) {
    if (!take('[')) return skip();
    for (bool more = next() != ']'; more; more = take(',')) element();
    if (!take(']')) fail();
  }
  // All strings that are values, however deep.
  template <class Each>
  void strings(Each each) {
    int depth = 0;
    do {
      const char c = next();
      if (c == '"') {
        const auto text = string();
        if (text && next() != ':') each(*text);
      } else {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == '\0' || depth < 0) return;
        rest_.remove_prefix(1);
      }
      if (depth == 0 && (next() == ',' || next() == '}' || next() == ']')) return;
    } while (!rest_.empty());
  }
  void skip() {
    strings([](std::string_view) {});
  }

 private:
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void fail() { rest_ = {}; }

  std::string_view rest_;
  const End end_;
};

class MessageReader {
 public:
  MessageReader(std::string_view body, RawEntry& out,
                PassageWalk::End end = PassageWalk::End::whole)
      : walk_(body, end), out_(out) {}

  void read() {
    Role speaker = Role::user;
    bool continuation = false;
    walk_.object([&](std::string_view key) {
      if (key == "role") {
        const std::string_view role = walk_.string_or_skip();
        speaker = role == "assistant" ? Role::assistant : role == "tool" ? Role::tool : Role::user;
        out_.speaker = speaker;
      } else if (key == "continuation") {
        continuation = walk_.truth();
      } else if (key == "content") {
        content(speaker);
      } else if (key == "provider") {
        out_.provider = walk_.string_or_skip();
      } else if (key == "model") {
        out_.model = walk_.string_or_skip();
      } else if (key == "errorMessage") {
        out_.failed = true;
        add({speaker, walk_.string_or_skip()});
      } else {
        walk_.skip();
      }
    });
    // What skein itself wrote so that the model continues was said by no person.
    if (continuation) out_.passages.clear();
  }

 private:
  void add(const Passage& passage) {
    if (!passage.raw.empty()) out_.passages.push_back(passage);
  }
  void content(Role speaker) {
    if (walk_.next() == '"') return add({speaker, walk_.string_or_skip()});
    walk_.array([&] { block(speaker); });
  }
  void block(Role speaker) {
    std::string_view type, id, tool, blob;
    const std::size_t first = out_.passages.size();
    walk_.object([&](std::string_view key) {
      if (key == "type") {
        type = walk_.string_or_skip();
      } else if (key == "text") {
        add({speaker, walk_.string_or_skip()});
      } else if (key == "thinking") {
        add({Role::thinking, walk_.string_or_skip()});
      } else if (key == "id" || key == "tool_use_id") {
        id = walk_.string_or_skip();
      } else if (key == "name") {
        tool = walk_.string_or_skip();
      } else if (key == "input") {
        walk_.strings(
            [&](std::string_view text) { add({.role = Role::tool, .raw = text, .call = true}); });
      } else if (key == "content") {
        content(Role::tool);
      } else if (key == "isError") {
        out_.failed = walk_.truth() || out_.failed;
      } else if (key == "blob") {
        blob = walk_.string_or_skip();
      } else {
        walk_.skip();
      }
    });
    const bool result = type == "tool_result";
    for (std::size_t i = first; i < out_.passages.size(); ++i)
      out_.passages[i].tool = result ? id : tool;
    if (type == "tool_use") out_.calls.push_back({id, tool});
    if (result && !blob.empty()) out_.blobs.push_back({blob, id});
  }

  PassageWalk walk_;
  RawEntry& out_;
};

void read_summary(std::string_view body, RawEntry& out) {
  PassageWalk walk(body);
  walk.object([&](std::string_view key) {
    if (key == "summary")
      out.passages.push_back({Role::assistant, walk.string_or_skip()});
    else if (key == "provider")
      out.provider = walk.string_or_skip();
    else if (key == "model")
      out.model = walk.string_or_skip();
    else
      walk.skip();
  });
}

// Keeping what the vectors have: this is done for every line that is looked at.
void clear(RawEntry& entry) {
  entry.passages.clear();
  entry.calls.clear();
  entry.blobs.clear();
  entry.provider = entry.model = {};
  entry.speaker.reset();
  entry.failed = false;
}

}  // namespace

std::string_view name(Role role) {
  constexpr std::string_view names[] = {"title", "user", "assistant", "thinking", "tool"};
  return names[static_cast<std::size_t>(role)];
}

void read_passages(std::string_view type, std::string_view body, RawEntry& out) {
  clear(out);
  if (type == model::type::message)
    MessageReader(body, out).read();
  else if (type == model::type::compaction_summary || type == model::type::branch_summary)
    read_summary(body, out);
}

bool ends_in_passage(std::string_view cut_body, RawEntry& out) {
  clear(out);
  MessageReader(cut_body, out, PassageWalk::End::cut).read();
  if (out.passages.empty()) return false;
  const std::string_view last = out.passages.back().raw;
  return last.data() + last.size() == cut_body.data() + cut_body.size();
}

void unescape(std::string_view raw, std::string& out) {
  out.clear();
  for (;;) {
    const std::size_t run = std::min(raw.find('\\'), raw.size());
    out += raw.substr(0, run);
    raw.remove_prefix(run);
    if (raw.size() < 2) return;
    if (const auto unit = escaped_unit(raw)) {
      char32_t point = *unit;
      raw.remove_prefix(escaped_unit_length);
      if (const auto low = is_high_surrogate(point) ? escaped_unit(raw) : std::nullopt;
          low && is_low_surrogate(*low)) {
        point = joined_surrogates(point, *low);
        raw.remove_prefix(escaped_unit_length);
      }
      append_utf8(out, is_surrogate(point) ? 0xFFFD : point);
      continue;
    }
    constexpr std::string_view letters = "bfnrt", meanings = "\b\f\n\r\t";
    const std::size_t letter = letters.find(raw[1]);
    out += letter == std::string_view::npos ? raw[1] : meanings[letter];
    raw.remove_prefix(2);
  }
}

}  // namespace skein::search
