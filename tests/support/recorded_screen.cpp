#include "tests/support/recorded_screen.h"

#include <algorithm>

#include "repl/layout/width.h"

namespace skein::test {

RecordedScreen::RecordedScreen(layout::TerminalStyle look, std::size_t columns,
                               const model::Tools* tools)
    : width(columns) {
  screen::Screen::Parts parts;
  parts.port = {.write = [this](std::string_view bytes) { writes.emplace_back(bytes); },
                .clock = [this] { return now; },
                .width = [this] { return width; }};
  parts.look = look;
  parts.tools = tools;
  screen_ = std::make_unique<screen::Screen>(std::move(parts));
}

std::string RecordedScreen::bytes() const {
  std::string out;
  for (const std::string& each : writes) out += each;
  return out;
}

model::Tool shown_tool(std::string name, model::Effect effect,
                       std::function<std::string(const JsonText&)> diff) {
  model::Tool tool;
  tool.name = name;
  tool.effect = effect;
  tool.title = [name](const JsonText& input) { return name + " " + input; };
  tool.diff = std::move(diff);
  return tool;
}

model::Event text_event(std::string text) {
  return model::Streaming{model::delta::TextPiece{"", std::move(text)}};
}
model::Event thinking_event(std::string text) {
  return model::Streaming{model::delta::ThinkingPiece{"", std::move(text)}};
}
model::Event committed(const model::Message& message) {
  return model::Committed{model::message_entry(message)};
}

namespace {

// Rows of cells; a wide character takes one cell and leaves the next one empty.
class Terminal {
 public:
  Terminal(std::size_t width, std::size_t height) : width_(width), height_(height) {}

  void put(std::string_view grapheme, std::size_t columns) {
    if (column_ + columns > width_) new_row(), column_ = 0;
    std::vector<std::string>& cells = row();
    cells.resize(std::max(cells.size(), column_ + columns), " ");
    cells[column_] = grapheme;
    for (std::size_t i = 1; i < columns; ++i) cells[column_ + i].clear();
    column_ += columns;
  }
  void new_row() {
    if (++row_ >= rows_.size()) rows_.resize(row_ + 1);
  }
  void line_feed() { new_row(), column_ = 0; }
  void carriage_return() { column_ = 0; }
  void up(std::size_t by) {
    const std::size_t top = rows_.size() > height_ ? rows_.size() - height_ : 0;
    row_ = std::max(top, row_ - std::min(row_, by));
  }
  void right(std::size_t by) { column_ = std::min(width_ - 1, column_ + by); }
  void clear_below() {
    row().resize(std::min(row().size(), column_));
    rows_.resize(row_ + 1);
  }
  std::string text() const {
    std::string out;
    for (const auto& cells : rows_) {
      std::string line;
      for (const std::string& cell : cells) line += cell;
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out == "\n" ? "" : out;
  }

 private:
  std::vector<std::string>& row() { return rows_[row_]; }

  std::size_t width_, height_;
  std::vector<std::vector<std::string>> rows_{1};
  std::size_t row_ = 0, column_ = 0;
};

}  // namespace

std::string seen(std::string_view bytes, std::size_t width, std::size_t height) {
  Terminal terminal(width, height);
  while (!bytes.empty()) {
    if (bytes[0] == '\033') {
      const std::size_t length = layout::own_sequence(bytes);
      if (length == 0) return "?" + std::string(bytes.substr(1, 20));
      const std::size_t by =
          std::strtoul(std::string(bytes.substr(2, length - 3)).c_str(), nullptr, 10);
      switch (bytes[length - 1]) {
        case 'A': terminal.up(by); break;
        case 'C': terminal.right(by); break;
        case 'J': terminal.clear_below(); break;
        default: break;
      }
      bytes.remove_prefix(length);
      continue;
    }
    const layout::Grapheme next = layout::first_grapheme(bytes);
    if (bytes[0] == '\n')
      terminal.line_feed();
    else if (bytes[0] == '\r')
      terminal.carriage_return();
    else
      terminal.put(bytes.substr(0, next.bytes), next.columns);
    bytes.remove_prefix(next.bytes);
  }
  return terminal.text();
}

}  // namespace skein::test
