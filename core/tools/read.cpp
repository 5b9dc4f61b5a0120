// read: a file's text, or the part of it that was asked for; an image as an image.
//
// Lines come without numbers: what a model copies from here into an edit must match exactly.

#include "core/text/base.h"
#include "core/text/encoding.h"
#include "core/text/io.h"
#include "core/tools/arguments.h"
#include "core/tools/documents.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

ToolOutcome image(const OpenedFile& file, std::string_view mime_type, const std::string& name,
                  const ToolLimits& limits, const ToolPorts& ports) {
  const std::string about = name + ": " + std::string(mime_type) + ", " +
                            with_separators(static_cast<std::size_t>(file.info.st_size)) + " bytes";
  if (!ports.keep_blob) return tool_failure(about + "; images cannot be stored here");
  const auto bytes = read_all(file.fd.get(), limits.image_bytes);
  if (!bytes)
    return tool_failure(about + "; the largest image that can be read has " +
                        with_separators(limits.image_bytes));
  std::string blob = ports.keep_blob(*bytes);
  if (blob.empty()) return tool_failure(about + "; it could not be stored");
  return {{model::Text{about}, model::Image{std::string(mime_type), std::move(blob)}}};
}

// The wanted lines of a file that may be larger than memory: everything else is only counted.
struct LineWindow {
  std::size_t first, count, bytes;  // what is wanted
  std::string text{};
  std::size_t line = 1;   // the one being read
  bool more = false;      // something follows the window
  bool cut_line = false;  // its last line was too long

  bool wanted() const { return line >= first && line - first < count; }

  bool take(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end == std::string_view::npos ? end : end + 1);
      if (line >= first && !wanted()) return !(more = true);
      if (wanted()) {
        if (text.size() + part.size() > bytes) return !fill(part);
        text += part;
      }
      if (end != std::string_view::npos) ++line;
      piece.remove_prefix(part.size());
    }
    return true;
  }

  // Full: whole lines only, unless a single line is longer than all there is room for.
  bool fill(std::string_view part) {
    const std::size_t last = text.rfind('\n');
    if (last == std::string::npos) {
      text += part.substr(0, bytes - text.size());
      text = utf8_prefix(text, text.size() - std::min<std::size_t>(text.size(), 3));
      cut_line = true;
    } else {
      text.resize(last + 1);
    }
    return more = true;
  }
};

std::string footer(const LineWindow& window, std::size_t size) {
  if (window.text.empty() && !window.more)
    return "[no line " + std::to_string(window.first) + ": the file ends before it]";
  if (!window.more) return "";
  if (window.cut_line)
    return "\n[line " + std::to_string(window.first) + " is longer than " +
           with_separators(window.text.size()) + " bytes and cut here; grep or bash can show more]";
  return "[the file continues: " + with_separators(size) + " bytes in all; read on with offset " +
         std::to_string(window.line) + "]";
}

ToolOutcome document(const OpenedFile& file, const std::string& name, LineWindow window,
                     const ToolPorts& ports) try {
  const auto bytes = read_all(file.fd.get(), most_document_bytes);
  if (!bytes)
    return tool_failure(name + ": it cannot be read, or is larger than " +
                        with_separators(most_document_bytes) + " bytes");
  const std::string text = document_text(*bytes, [&] { return ports.stopped(); });
  window.take(text);
  return tool_text(window.text + footer(window, text.size()));
} catch (const Error& error) {
  return tool_failure(name + ": " + error.what());
}

ToolOutcome run_read(const Root& root, const ToolLimits& limits, const JsonText& input,
                     const ToolPorts& ports) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::size_t offset = arguments.number("offset", 1);
  const std::size_t limit = arguments.number("limit", limits.read_lines);
  if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());

  const FilePlace place = judged_place(root, path, ports);
  if (!place) return tool_failure(place.refusal);
  const OpenedFile file = root.open_file(place);
  if (!file) return tool_failure(file.refusal);

  std::array<char, 8192> buffer{};
  const ssize_t got = pread(file.fd.get(), buffer.data(), buffer.size(), 0);
  const std::string_view head(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const auto size = static_cast<std::size_t>(file.info.st_size);
  if (const auto type = image_type(head); !type.empty())
    return image(file, type, place.name, limits, ports);
  LineWindow window{std::max<std::size_t>(offset, 1), limit, limits.result_bytes};
  if (is_document(place.name, head)) return document(file, place.name, std::move(window), ports);
  if (looks_binary(head))
    return tool_text(place.name + ": " + std::string(binary_kind(head)) + ", " +
                     with_separators(size) + " bytes; it begins with\n" + hex_head(head));

  const bool read = read_pieces(file.fd.get(), limits.read_scan_bytes, [&](std::string_view piece) {
    return !ports.stopped() && window.take(piece);
  });
  if (!read) return tool_failure(place.name + ": cannot be read");
  // Files may be terabytes of nothing.
  if (size > limits.read_scan_bytes && window.text.empty() && !window.more)
    return tool_failure(place.name + ": line " + std::to_string(offset) +
                        " does not begin within the first " +
                        with_separators(limits.read_scan_bytes) + " of " + with_separators(size) +
                        " bytes; bash (tail, sed) can look further");
  if (size == 0 && window.text.empty()) return tool_text("[the file is empty]");
  return tool_text(valid_utf8(window.text) + footer(window, size));
}

}  // namespace

Tool read_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("read", model::Argument::Kind::file, Effect::reads, roots, limits, run_read);
  tool.description =
      "Read a file in the workspace. Text is returned unchanged, without line numbers; long files "
      "in parts (offset, limit). Images are returned as images, PDFs and notebooks as text.";
  tool.schema = schema_of("path", {{"path", "string", "file to read, relative to the workspace"},
                                   {"offset", "integer", "first line to read; 1 is the first", 1},
                                   {"limit", "integer", "how many lines to read at most", 1}});
  tool.concurrent = true;
  tool.document_text = document_text;
  tool.other_names = {"notebookread"};
  return tool;
}

}  // namespace skein::tools
