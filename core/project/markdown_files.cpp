#include "core/project/markdown_files.h"

#include <yaml.h>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

using Field = FrontMatter::Field;
using Fault = FrontMatter::Fault;

constexpr std::size_t first_line = 2;  // of the YAML, in the file
// How many values are taken whole before the file is given up: each costs another reading.
constexpr std::size_t most_quoted = 16;
// What skein reads: it must not be left out because it is nested. Other programs nest as they like.
constexpr std::string_view used_fields =
    "agent allowed-tools argument-hint arguments background context description "
    "disable-model-invocation disallowedTools effort maxTurns model name paths permissionMode "
    "skills thinking tools user-invocable when_to_use";

// One reading of the YAML, event by event: nothing is built of what is not understood.
class YamlReader {
 public:
  explicit YamlReader(std::string_view yaml) : yaml_(yaml) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(yaml.data()),
                                 yaml.size());
  }
  ~YamlReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  // False: see fault().
  bool read(std::vector<Field>& fields) {
    for (;;) {
      if (!next()) return false;
      switch (event_.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT: break;
        case YAML_DOCUMENT_START_EVENT:
          if (event_.data.document_start.version_directive != nullptr ||
              event_.data.document_start.tag_directives.start !=
                  event_.data.document_start.tag_directives.end)
            return refuse("directives (%) are not supported");
          if (++documents_ > 1) return refuse("there is a second document in it");
          break;
        case YAML_STREAM_END_EVENT: return true;
        case YAML_MAPPING_START_EVENT:
          if (!plain_enough() || !read_fields(fields)) return false;
          break;
        default:
          if (event_.type == YAML_SCALAR_EVENT && event_.data.scalar.length == 0)
            break;  // nothing but comments
          return refuse("expected `name: value`");
      }
    }
  }

  const Fault& fault() const { return fault_; }
  bool refused_by_yaml() const { return by_yaml_; }

 private:
  bool next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) != 0) return true;
    event_ = {};
    by_yaml_ = true;
    const char* problem = parser_.problem != nullptr ? parser_.problem : "it is not YAML";
    fault_ = {parser_.problem_mark.line + first_line, problem};
    if (parser_.error == YAML_READER_ERROR)  // it knows the byte only
      fault_.line = first_line + static_cast<std::size_t>(std::ranges::count(
                                     yaml_.substr(0, parser_.problem_offset), '\n'));
    return false;
  }

  bool refuse(std::string reason) {
    fault_ = {event_.start_mark.line + first_line, std::move(reason)};
    yaml_event_delete(&event_);
    return false;
  }

  // Neither an anchor nor a tag.
  bool plain_enough() {
    const auto check = [this](const auto& node) {
      if (node.anchor != nullptr) return refuse("anchors (&) are not supported");
      return node.tag == nullptr || refuse("tags (!) are not supported");
    };
    switch (event_.type) {
      case YAML_ALIAS_EVENT: return refuse("aliases (*) are not supported");
      case YAML_SCALAR_EVENT: return check(event_.data.scalar);
      case YAML_SEQUENCE_START_EVENT: return check(event_.data.sequence_start);
      case YAML_MAPPING_START_EVENT: return check(event_.data.mapping_start);
      default: return true;
    }
  }

  std::string scalar() const {
    return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
  }

  bool read_fields(std::vector<Field>& fields) {
    for (;;) {
      if (!next() || !plain_enough()) return false;
      if (event_.type == YAML_MAPPING_END_EVENT) return true;
      if (event_.type != YAML_SCALAR_EVENT) return refuse("a name must be a word");
      Field field{scalar(), {}};
      if (!names_.insert(field.name).second) return refuse("`" + field.name + "` is given twice");
      if (!next() || !plain_enough() || !read_value(field)) return false;
      fields.push_back(std::move(field));
    }
  }

  bool read_value(Field& field) {
    switch (event_.type) {
      case YAML_SCALAR_EVENT: field.value = scalar(); return true;
      case YAML_SEQUENCE_START_EVENT: return read_items(field);
      case YAML_MAPPING_START_EVENT: return read_map(field);
      default: return refuse("expected a value");
    }
  }

  bool read_items(Field& field) {
    auto& items = field.value.emplace<1>();
    for (;;) {
      if (!next() || !plain_enough()) return false;
      if (event_.type == YAML_SEQUENCE_END_EVENT) return true;
      if (event_.type != YAML_SCALAR_EVENT)
        return pass_over(field, "a list may only hold plain values");
      items.push_back(scalar());
    }
  }

  bool read_map(Field& field) {
    auto& map = field.value.emplace<2>();
    for (;;) {
      if (!next() || !plain_enough()) return false;
      if (event_.type == YAML_MAPPING_END_EVENT) return true;
      if (event_.type != YAML_SCALAR_EVENT) return refuse("a name must be a word");
      auto& [name, value] = map.emplace_back(scalar(), "");
      if (!next() || !plain_enough()) return false;
      if (event_.type != YAML_SCALAR_EVENT)
        return pass_over(field, "maps inside maps are not supported");
      value = scalar();
    }
  }

  // The rest of a list or map, from an event inside it that is no plain value.
  bool pass_over(Field& field, const char* otherwise) {
    if (has_word(used_fields, field.name)) return refuse(otherwise);
    field.value = "";
    for (int depth = 1;;) {
      const bool begins =
          event_.type == YAML_SEQUENCE_START_EVENT || event_.type == YAML_MAPPING_START_EVENT;
      const bool ends =
          event_.type == YAML_SEQUENCE_END_EVENT || event_.type == YAML_MAPPING_END_EVENT;
      depth += begins ? 1 : ends ? -1 : 0;
      if (depth == 0) return true;
      if (!next()) return false;
    }
  }

  std::string_view yaml_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  int documents_ = 0;
  std::set<std::string> names_{};
  bool by_yaml_ = false;
  Fault fault_{0, ""};
};

// The text of a line of the YAML, counted from the file's first; empty if there is none.
std::pair<std::size_t, std::size_t> line_at(std::string_view yaml, std::size_t line) {
  std::size_t from = 0;
  for (std::size_t at = first_line; at < line; ++at) {
    const std::size_t end = yaml.find('\n', from);
    if (end == std::string_view::npos) return {0, 0};
    from = end + 1;
  }
  std::size_t end = std::min(yaml.find('\n', from), yaml.size());
  if (end > from && yaml[end - 1] == '\r') --end;
  return {from, end};
}

// `name: value` with the value in quotes; false if the line is none, or its value is quoted.
bool quote_value(std::string& yaml, std::size_t line) {
  const auto [from, end] = line_at(yaml, line);
  const std::string_view text = std::string_view(yaml).substr(from, end - from);
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return false;
  const std::string_view value = trimmed(text.substr(colon + 2));
  if (value.empty() || value.starts_with('"') || value.starts_with('\'') ||
      value.starts_with('|') || value.starts_with('>'))
    return false;
  std::string quoted(text.substr(0, colon + 2));
  quoted += '\'';
  for (const char c : value) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  quoted += '\'';
  yaml.replace(from, end - from, quoted);
  return true;
}

// Past the line that begins at `from`.
std::size_t after_line(std::string_view text, std::size_t from) {
  const std::size_t end = text.find('\n', from);
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool is_rule(std::string_view line) {
  return line.starts_with("---") && trimmed(line.substr(3)).empty();
}

FrontMatter faulty(std::size_t line, std::string reason) {
  return {.fault = Fault{line, std::move(reason)}};
}

}  // namespace

FrontMatter read_front_matter(std::string_view file) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const std::size_t start = file.starts_with(mark) ? mark.size() : 0;
  const std::size_t yaml_from = after_line(file, start);
  if (!is_rule(file.substr(start, yaml_from - start))) return {};
  std::size_t at = yaml_from;
  for (std::size_t next = 0;; at = next) {
    if (at - yaml_from > front_matter_limit)
      return faulty(1, "the front matter is longer than 64 KiB");
    if (at >= file.size()) return faulty(1, "the front matter is never closed with ---");
    next = after_line(file, at);
    if (is_rule(file.substr(at, next - at))) break;
  }
  FrontMatter out;
  out.body = after_line(file, at);
  std::string yaml = valid_utf8(file.substr(yaml_from, at - yaml_from));
  for (std::size_t quoted = 0;; ++quoted) {
    YamlReader reader(yaml);
    out.fields.clear();
    if (reader.read(out.fields)) return out;
    const Fault& fault = reader.fault();
    // YAML names the line it stumbled over, or the one after it.
    if (reader.refused_by_yaml() && quoted < most_quoted &&
        (quote_value(yaml, fault.line) ||
         (fault.line > first_line && quote_value(yaml, fault.line - 1))))
      continue;
    return faulty(fault.line, fault.reason);
  }
}

const Field* FrontMatter::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

namespace {

template <class Kind>
const Kind* value_of(const FrontMatter& front, std::string_view name) {
  const Field* field = front.find(name);
  return field == nullptr ? nullptr : std::get_if<Kind>(&field->value);
}

}  // namespace

std::string FrontMatter::text(std::string_view name) const {
  if (const auto* items = value_of<std::vector<std::string>>(*this, name)) return listed(*items);
  const auto* value = value_of<std::string>(*this, name);
  return value != nullptr ? *value : "";
}

std::vector<std::string> FrontMatter::list(std::string_view name,
                                           std::string_view separators) const {
  if (const auto* items = value_of<std::vector<std::string>>(*this, name)) return *items;
  const auto* value = value_of<std::string>(*this, name);
  if (value == nullptr) return {};
  std::vector<std::string> out;
  std::string word;
  int depth = 0;
  const auto close = [&] {
    if (const std::string_view text = trimmed(word); !text.empty()) out.emplace_back(text);
    word.clear();
  };
  for (const char c : *value) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (depth == 0 && separators.find(c) != std::string_view::npos)
      close();
    else
      word += c;
  }
  close();
  return out;
}

StringMap FrontMatter::map(std::string_view name) const {
  const auto* map = value_of<StringMap>(*this, name);
  return map != nullptr ? *map : StringMap{};
}

std::optional<bool> FrontMatter::flag(std::string_view name) const {
  const std::string word = lower(text(name));
  if (has_word("true yes on 1", word)) return true;
  if (has_word("false no off 0", word)) return false;
  return std::nullopt;
}

std::string in_one_line(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    if (const std::string_view words = trimmed(line); !words.empty())
      out += (out.empty() ? "" : " ") + std::string(words);
  return out;
}

MarkdownFile read_markdown(const std::string& path) {
  std::optional<std::string> bytes = file_text(path, markdown_limit);
  if (!bytes)
    return {.refusal = errno == EFBIG                        ? "it is larger than 1 MiB"
                       : errno == ENOTSUP || errno == EISDIR ? "it is not a file"
                                                             : std::strerror(errno)};
  MarkdownFile file{.text = std::move(*bytes)};
  file.front = read_front_matter(file.text);
  if (const auto& fault = file.front.fault)
    file.refusal = "line " + std::to_string(fault->line) + ": " + fault->reason;
  return file;
}

std::string MarkdownFile::first_paragraph() const {
  std::string out;
  bool in_fence = false;
  for (const std::string_view raw : split(body(), '\n')) {
    const std::string_view line = trimmed(raw);
    if (line.starts_with("```")) in_fence = !in_fence;
    const bool words = !line.empty() && !in_fence && !line.starts_with('#') &&
                       !line.starts_with("```") && !line.starts_with("<!--");
    if (words)
      out += (out.empty() ? "" : " ") + std::string(line);
    else if (!out.empty())
      break;
  }
  return valid_utf8(out);
}

std::vector<FoundMarkdown> markdown_files(const OwnFolder& folder, const Places& places) {
  namespace fs = std::filesystem;
  constexpr std::size_t most_names = 5000;
  constexpr int deepest_folder = 4;
  std::vector<fs::path> files;
  std::size_t names = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator
           at(folder.path, fs::directory_options::skip_permission_denied, failed),
       end;
       !failed && at != end && ++names <= most_names; at.increment(failed)) {
    std::error_code ignored;
    if (at.depth() == deepest_folder) at.disable_recursion_pending();
    if (at->path().extension() == ".md" && at->is_regular_file(ignored))
      files.push_back(at->path());
  }
  std::ranges::sort(files);
  std::vector<FoundMarkdown> out;
  for (const fs::path& file : files)
    if (std::string path = followed(file.string(), places, folder.of_project); !path.empty())
      out.push_back({file.lexically_relative(folder.path).string(), std::move(path)});
  return out;
}

}  // namespace skein::project
