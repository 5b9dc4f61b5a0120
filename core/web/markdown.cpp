// How a page becomes Markdown: to_markdown.
#include "core/text/std.h"

#include "core/web/page.h"

#include "core/text/text.h"
#include "core/web/html.h"

namespace skein::web {

namespace {

constexpr std::size_t most_columns = 100;

std::string as_cell(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text)) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// A table of a page while it is read, and as Markdown.
class PipeTable {
 public:
  void begin_row() {
    if (rows_.empty() || !rows_.back().empty()) rows_.emplace_back();
  }

  void add_cell(std::string text) {
    if (rows_.empty()) rows_.emplace_back();
    if (rows_.back().size() < most_columns) rows_.back().push_back(std::move(text));
  }

  // Every cell as a paragraph: what a table means that only arranges things.
  auto cells() const { return rows_ | std::views::join; }

  // Its first row is its head. With one column it is a list of paragraphs.
  std::string text() const {
    const auto blank = [](const std::string& cell) { return trimmed(cell).empty(); };
    if (std::ranges::all_of(cells(), blank)) return {};
    // Only the head is filled up to the widest row: all of them would cost rows times columns.
    std::size_t columns = 0;
    for (const auto& row : rows_) columns = std::max(columns, row.size());
    std::string out;
    if (columns <= 1) {
      for (const std::string& cell : cells())
        if (!blank(cell)) out.append(trimmed(cell)).append("\n\n");
      return out;
    }
    bool head = true;
    for (const auto& row : rows_) {
      if (row.empty()) continue;
      for (const std::string& cell : row) out += "| " + as_cell(cell) + " ";
      if (head)
        for (std::size_t i = row.size(); i < columns; ++i) out += "| ";
      out += "|\n";
      if (!std::exchange(head, false)) continue;
      for (std::size_t i = 0; i < columns; ++i) out += "| --- ";
      out += "|\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_{};
};

// The marks of what is deeper than anyone reads would outgrow the text.
constexpr std::size_t deepest_mark = 16;

// Markdown, a block at a time: paragraphs, headings and code inside of quotes and lists, each line
// with the marks of what it is in.
class MarkdownWriter {
 public:
  explicit MarkdownWriter(std::size_t most) : most_(most) {}  // bytes, about

  // A block of one or more lines; nothing if it is blank.
  void write(std::string_view block) {
    block = trimmed(block, "\n");
    if (trimmed(block).empty()) return;
    // Items follow each other closely; all else has a blank line in front.
    const bool item = is_fresh();
    if (!out_.empty() && !(item && item_before_)) {
      for (const Container& each : inside_)
        if (each.every_line && !each.fresh) out_ += each.mark;
      while (out_.ends_with(' ')) out_.pop_back();
      out_ += '\n';
    }
    item_before_ = item || (item_before_ && std::ranges::any_of(inside_, [](const Container& each) {
                              return !each.every_line;
                            }));
    while (!block.empty() && out_.size() < most_) {
      const std::size_t end = std::min(block.find('\n'), block.size());
      out_.append(prefix()).append(block.substr(0, end));
      while (out_.ends_with(' ')) out_.pop_back();
      out_ += '\n';
      block.remove_prefix(std::min(end + 1, block.size()));
    }
  }

  // What the blocks from now on are in: a quote with "> ", an item with "- " or "12. ", whose mark
  // is in front of its first line only.
  void enter(std::string mark, bool every_line = false) {
    if (inside_.size() < deepest_mark)
      inside_.push_back({std::move(mark), every_line});
    else
      ++deeper_;
  }

  void leave() {
    if (deeper_ > 0)
      --deeper_;
    else if (!inside_.empty())
      inside_.pop_back();
  }

  std::size_t size() const { return out_.size(); }
  const std::string& text() const { return out_; }

 private:
  struct Container {
    std::string mark;
    bool every_line;
    bool fresh = true;
  };
  // It begins an item.
  bool is_fresh() const {
    return std::ranges::any_of(
        inside_, [](const Container& each) { return each.fresh && !each.every_line; });
  }

  std::string prefix() {
    std::string out;
    for (Container& each : inside_) {
      const bool marked = each.every_line || each.fresh;
      out += marked ? each.mark : std::string(each.mark.size(), ' ');
      each.fresh = false;
    }
    return out;
  }

  std::size_t most_;
  std::size_t deeper_ = 0;  // containers that are no longer marked
  std::vector<Container> inside_{};
  std::string out_{};
  bool item_before_ = false;  // the last block was in a list
};

constexpr std::size_t deepest = 512;
constexpr std::size_t worth_choosing = 500;  // characters of an article that is all we want

class Converter {
 public:
  Converter(std::string_view html, const Url& url, bool with_furniture)
      : tokens_(html),
        base_(url),
        with_furniture_(with_furniture),
        most_(html.size() * 4 + 4096),
        writer_(most_) {}

  MarkdownPage page() {
    HtmlToken token;
    while (tokens_.next(token) && flushed_ + line_.size() < most_) {
      switch (token.kind) {
        case HtmlToken::Kind::text: take_text(token.text); break;
        case HtmlToken::Kind::start: begin(token); break;
        case HtmlToken::Kind::end: end(token.name); break;
      }
    }
    while (!open_.empty()) pop();
    flush();
    page_.title = collapsed(page_.title);
    page_.text = trimmed(chosen(), "\n");
    if (!page_.text.empty()) page_.text += '\n';
    return std::move(page_);
  }

 private:
  struct Open {
    Element element;
    std::string name;
    bool silent = false;     // nothing in it is shown
    bool nested = false;     // in one of its kind, and so without marks
    std::size_t from = 0;    // where its words begin in the line
    std::string note{};      // a link's address, a list's number, code's language
    std::size_t begin = 0;   // of an article, in what is written
    std::size_t number = 0;  // of the next item
  };
  struct Range {
    Element element;
    std::size_t begin, end;
  };

  static std::string collapsed(std::string_view text) {
    std::string out;
    for (const char c : trimmed(text)) {
      const bool blank = is_blank(c);
      if (!blank || !out.ends_with(' ')) out += blank ? ' ' : c;
    }
    return out;
  }

  bool is_open(Element element) const { return open_count_[static_cast<std::size_t>(element)] > 0; }
  int& count(Element element) { return open_count_[static_cast<std::size_t>(element)]; }

  void take_text(std::string_view text) {
    if (is_open(Element::title) && silent_ <= 1 && page_.title.size() < 1000) page_.title += text;
    if (silent_ > 0 || silent_beyond_) return;
    if (is_open(Element::preformatted)) {
      line_ += text;
      return;
    }
    for (const char c : text) {
      const bool blank = is_blank(c);
      if (!blank)
        line_ += c;
      else if (!line_.empty() && line_.back() != ' ' && line_.back() != '\n')
        line_ += ' ';
    }
  }

  // The block so far. What is open in it is closed at its end and opened again in the next one.
  std::string take_line() {
    if (line_.empty()) return {};
    for (auto each = open_.rbegin(); each != open_.rend(); ++each) wrap(*each);
    for (Open& each : open_) each.from = 0;
    flushed_ += line_.size();
    return std::exchange(line_, {});
  }

  void flush() {
    if (is_open(Element::preformatted)) {  // some pages have an element for each line of code
      if (!line_.empty() && !line_.ends_with('\n')) line_ += '\n';
      return;
    }
    write(take_line());
  }

  void write(std::string_view block) {
    block = trimmed(block, " \n");
    if (!table_)
      writer_.write(block);
    else if (!block.empty())
      cell_.append(cell_.empty() ? "" : " ").append(block);
  }

  // Puts the marks of an inline element around its words.
  void wrap(const Open& each) {
    if (each.nested || is_open(Element::preformatted)) return;
    std::string_view before, after;
    std::string address;
    if (each.element == Element::strong) before = after = "**";
    if (each.element == Element::emphasis) before = after = "*";
    if (each.element == Element::code) before = after = "`";
    if (each.element == Element::link && !each.note.empty()) {
      before = "[";
      address = "](" + each.note + ")";
      after = address;
    }
    if (before.empty() || each.from >= line_.size()) return;
    const std::string words = line_.substr(each.from);
    const std::string_view inner = trimmed(words);
    if (inner.empty()) return;
    line_.resize(each.from);
    if (words.front() == ' ') line_ += ' ';
    line_.append(before).append(inner).append(after);
    if (words.back() == ' ') line_ += ' ';
  }

  bool drops(const HtmlToken& tag, Element element) const {
    if (hides_itself(tag)) return true;
    if (element == Element::dropped || element == Element::title) return true;
    const bool in_content = is_open(Element::main) || is_open(Element::article);
    return !with_furniture_ &&
           (element == Element::furniture || (element == Element::frame && !in_content));
  }

  void begin(const HtmlToken& tag) {
    const Element element = element_named(tag.name);
    take_facts(tag, element);
    if (is_void(tag.name)) {
      if (silent_ == 0 && !silent_beyond_) take_void(tag, element);
      return;
    }
    close_for(element);
    const bool silent = drops(tag, element);
    if (element == Element::other && !silent) return;
    if (open_.size() >= deepest) {
      ++beyond_;
      silent_beyond_ = silent_beyond_ || silent;
      return;
    }
    if (!silent && silent_ == 0 && is_block(element)) flush();
    Open opened{.element = element,
                .name = tag.name,
                .silent = silent,
                .nested = is_open(element),
                .from = line_.size()};
    if (!silent && silent_ == 0) enter(opened, tag);
    silent_ += silent ? 1 : 0;
    ++count(element);
    open_.push_back(std::move(opened));
  }

  void take_facts(const HtmlToken& tag, Element element) {
    if (element == Element::base && !tag.attribute("href").empty()) {
      const auto parsed = parse_url(resolved(base_, tag.attribute("href")));
      if (const auto* url = std::get_if<Url>(&parsed)) base_ = *url;
    }
    if (element == Element::time && page_.date.empty() && in_article())
      page_.date = collapsed(tag.attribute("datetime")).substr(0, 40);
    if (element != Element::meta) return;
    std::string name = lower(tag.attribute("property"));
    if (name.empty()) name = lower(tag.attribute("name"));
    if (name == "article:published_time" || name == "date" || name == "dc.date")
      page_.date = collapsed(tag.attribute("content")).substr(0, 40);
  }
  bool in_article() const { return is_open(Element::article) || is_open(Element::main); }

  void take_void(const HtmlToken& tag, Element element) {
    if (element == Element::line_break) {
      while (line_.ends_with(' ') && !is_open(Element::preformatted)) line_.pop_back();
      line_ += '\n';
    }
    if (element == Element::rule && !table_) {
      flush();
      writer_.write("---");
    }
    const std::string alt = element == Element::image ? collapsed(tag.attribute("alt")) : "";
    if (!alt.empty() && !hides_itself(tag)) line_ += "![" + alt + "]";
  }

  // What the start of this element ends by itself.
  void close_for(Element element) {
    const auto close_up_to = [&](Element closed, std::initializer_list<Element> walls) {
      if (!is_open(closed)) return;
      for (std::size_t i = open_.size(); i-- > 0;) {
        if (open_[i].element == closed) return pop_to(i);
        if (std::ranges::find(walls, open_[i].element) != walls.end()) return;
      }
    };
    using enum Element;
    if (is_block(element)) close_up_to(paragraph, {block, item, table_cell, quote, definition});
    if (element == item) close_up_to(item, {list, ordered_list, table_cell});
    if (element == term || element == definition) {
      close_up_to(term, {block, table_cell});
      close_up_to(definition, {block, table_cell});
    }
    if (element == table_cell || element == table_row) close_up_to(table_cell, {table_row, table});
    if (element == table_row) close_up_to(table_row, {table});
    if (element == link) close_up_to(link, {table_cell});
  }

  void enter(Open& opened, const HtmlToken& tag) {
    switch (opened.element) {
      case Element::link: opened.note = resolved(base_, tag.attribute("href")); break;
      case Element::ordered_list: opened.number = 1; break;
      case Element::preformatted:
      case Element::code: opened.note = code_language(tag); break;
      case Element::item: writer_.enter(item_mark()); break;
      case Element::quote: writer_.enter("> ", true); break;
      case Element::definition: writer_.enter(": "); break;
      case Element::main:
      case Element::article: opened.begin = writer_.size(); break;
      case Element::table: begin_table(); break;
      case Element::table_row:
        if (table_) table_->begin_row();
        break;
      default: break;
    }
    if (opened.element == Element::code && !opened.note.empty())
      for (auto each = open_.rbegin(); each != open_.rend(); ++each)
        if (each->element == Element::preformatted && each->note.empty()) each->note = opened.note;
  }

  std::string item_mark() {
    for (auto each = open_.rbegin(); each != open_.rend(); ++each) {
      if (each->element == Element::list) break;
      if (each->element == Element::ordered_list) return std::to_string(each->number++) + ". ";
    }
    return "- ";
  }

  // A table within another one says that the outer one only arranges things: its cells become
  // paragraphs.
  void begin_table() {
    if (table_) {
      for (const std::string& cell : table_->cells()) writer_.write(cell);
      writer_.write(std::exchange(cell_, {}));
    }
    table_.emplace();
  }

  void end(const std::string& name) {
    if (beyond_ > 0) {
      if (element_named(name) != Element::other && --beyond_ == 0) silent_beyond_ = false;
      return;
    }
    const Element element = element_named(name);
    if (!is_open(element)) {
      if (name == "p" && silent_ == 0) flush();
      return;
    }
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i].element == element && open_[i].name == name) return pop_to(i);
      // An end tag within a cell does not end what is around the table.
      if (open_[i].element == Element::table && element != Element::table) return;
    }
  }

  void pop_to(std::size_t index) {
    while (open_.size() > index) pop();
  }

  void pop() {
    Open last = std::move(open_.back());
    open_.pop_back();
    const bool shown = silent_ == 0;
    if (shown) leave(last);
    --count(last.element);
    silent_ -= last.silent ? 1 : 0;
  }

  void leave(const Open& last) {
    switch (last.element) {
      case Element::strong:
      case Element::emphasis:
      case Element::code:
      case Element::link: wrap(last); return;
      case Element::preformatted: leave_code(last); return;
      case Element::heading: leave_heading(last); return;
      case Element::table_cell: leave_cell(); return;
      case Element::table: leave_table(); return;
      default: break;
    }
    if (!is_block(last.element)) return;
    flush();
    if (last.element == Element::item || last.element == Element::quote ||
        last.element == Element::definition)
      writer_.leave();
    if (last.element == Element::main || last.element == Element::article)
      ranges_.push_back({last.element, last.begin, writer_.size()});
  }

  void leave_heading(const Open& last) {
    const std::string marks(static_cast<std::size_t>(last.name[1] - '0'), '#');
    const std::string words = collapsed(take_line());
    if (!words.empty()) write(table_ ? words : marks + " " + words);
  }

  void leave_code(const Open& last) {
    if (last.nested) return;
    std::string code = take_line();
    if (code.starts_with('\n')) code.erase(0, 1);
    if (trimmed(code).empty()) return;
    write(table_ ? "`" + collapsed(code) + "`" : fenced(code, last.note));
  }

  void leave_cell() {
    flush();
    std::string cell = std::exchange(cell_, {});
    if (table_) table_->add_cell(std::move(cell));
  }

  void leave_table() {
    flush();
    if (!table_) return;
    const std::string table = std::exchange(table_, {})->text();
    write(std::exchange(cell_, {}));  // what stood outside of its cells
    write(table);
  }

  // <main> if it has something to say, else the articles; else everything.
  std::string_view chosen() const {
    const std::string_view all = writer_.text();
    for (const Range& range : ranges_)
      if (range.element == Element::main && range.end - range.begin > worth_choosing)
        return all.substr(range.begin, range.end - range.begin);
    std::size_t from = all.size(), to = 0, size = 0;
    for (const Range& range : ranges_) {
      if (range.element != Element::article) continue;
      from = std::min(from, range.begin);
      to = std::max(to, range.end);
      size += range.end - range.begin;
    }
    return size > worth_choosing ? all.substr(from, to - from) : all;
  }

  HtmlTokens tokens_;
  Url base_;
  bool with_furniture_;
  std::size_t most_;
  MarkdownPage page_{};
  MarkdownWriter writer_;
  std::vector<Open> open_{};
  std::array<int, 64> open_count_{};
  int silent_ = 0;          // how many that are open show nothing
  std::size_t beyond_ = 0;  // elements deeper than we look
  bool silent_beyond_ = false;
  std::string line_{};       // the words of the block so far
  std::size_t flushed_ = 0;  // bytes of those before it
  std::optional<PipeTable> table_{};
  std::string cell_{};
  std::vector<Range> ranges_{};
};

}  // namespace

MarkdownPage to_markdown(std::string_view html, const Url& url) {
  // Old pages keep all of their text in a form, or never close their <nav>.
  constexpr std::size_t too_little = 200;
  MarkdownPage page = Converter(html, url, false).page();
  if (page.text.size() >= too_little) return page;
  MarkdownPage whole = Converter(html, url, true).page();
  return whole.text.size() > 2 * page.text.size() ? whole : page;
}

}  // namespace skein::web
