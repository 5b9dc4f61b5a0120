#include "core/tools/documents.h"

#include <fcntl.h>

#include "core/process/private_temporary.h"
#include "core/process/running_program.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/workspace/real_place.h"

namespace skein::tools {

namespace {

using process::Program, process::ProgramEnd, sandbox::Sandbox, sandbox::SandboxSpec;
using web::PdfText;

constexpr std::chrono::seconds longest_reading{20};
constexpr std::size_t most_text = 20 * 1024 * 1024;

// Where distributions install it; a program elsewhere on the PATH is not trusted.
std::string pdf_program() {
  for (const char* each : {"/usr/bin/pdftotext", "/usr/local/bin/pdftotext", "/bin/pdftotext"})
    if (access(each, X_OK) == 0) return each;
  return {};
}

// The program sees only its file, since a hostile PDF could make it print others.
SandboxSpec cell_in(const std::string& folder) {
  SandboxSpec cell{.root = folder, .temporary = folder, .network = false};
  const std::string home = workspace::real_place(user_home());
  if (home.size() > 1 && !workspace::is_below(folder, home)) cell.hidden.push_back(home);
  return cell;
}

// pdftotext ends each page with a form feed.
std::string with_page_numbers(std::string_view text) {
  std::string out;
  for (std::size_t page = 1; !text.empty(); ++page) {
    out += "[page " + std::to_string(page) + "]\n" + std::string(take_piece(text, '\f'));
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

// A text of a notebook, which is a string or a list of lines.
std::string joined_lines(const Json& text) {
  if (text.is_string()) return text.get<std::string>();
  return listed(strings_in(text), "");
}

std::string output_of(const Json& output) {
  if (output.contains("text")) return joined_lines(output["text"]);
  if (output.contains("traceback"))
    return string_at(output, "ename") + ": " + string_at(output, "evalue");
  const Json& data = at(output, "data");
  std::string out = joined_lines(at(data, "text/plain"));
  if (data.is_object())
    for (const auto& [kind, value] : data.items())
      if (kind != "text/plain") out += (out.empty() ? "" : "\n") + ("[" + kind + "]");
  return out;
}

std::string notebook_text(std::string_view bytes) {
  const std::optional<Json> notebook = parse_json(bytes);
  if (!notebook || !at(*notebook, "cells").is_array())
    throw Error("a notebook that is damaged, or older than version 4");
  std::string out;
  std::size_t number = 0;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    out += text;
    if (!out.ends_with('\n')) out += '\n';
  };
  for (const Json& cell : at(*notebook, "cells")) {
    add("[cell " + std::to_string(++number) + ", " + string_at(cell, "cell_type", "raw") + "]");
    add(joined_lines(at(cell, "source")));
    const std::vector<Json>& outputs = list_at(cell, "outputs");
    if (outputs.empty()) continue;
    add("[output of cell " + std::to_string(number) + "]");
    for (const Json& output : outputs) add(output_of(output));
  }
  return out;
}

PdfText read_with(const std::string& program_path, std::string_view bytes, Sandbox sandbox,
                  const web::Stopped& stopped) {
  process::PrivateTemporary temporary;
  const std::string folder = temporary.path();
  if (folder.empty() || !replace_small_file(folder + "/page.pdf", bytes))
    return {.trouble = "the PDF cannot be read: it could not be copied to a temporary folder"};
  SandboxSpec cell = cell_in(folder);
  if (std::string why = sandbox::settle_hidden(cell); !why.empty()) return {.trouble = why};
  const Fd opened(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Program program{.folder = opened.get(),
                  .limits = {.processes = 64, .memory = std::uint64_t{2} << 30}};
  const bool wrapped = sandbox == Sandbox::bubblewrap;
  const Fd rules = sandbox::confine(program, sandbox, cell);
  program.arguments.insert(
      program.arguments.end(),
      {program_path, "-q", "-enc", "UTF-8", (wrapped ? "/tmp" : folder) + "/page.pdf", "-"});
  PdfText out;
  const ProgramEnd end = process::run_program(
      program, {.output =
                    [&](std::string_view piece) {
                      out.text += piece.substr(0, most_text - std::min(most_text, out.text.size()));
                    },
                .stopped = stopped,
                .time = longest_reading});
  if (end == ProgramEnd{}) {
    if (trimmed(out.text, " \t\r\n\f").empty())
      return {.trouble = "a PDF without text, only with pictures"};
    return {.text = with_page_numbers(out.text)};
  }
  const bool late = end.cause == ProgramEnd::Cause::timed_out;
  return {.trouble = late ? "pdftotext took longer than 20 s" : "pdftotext cannot read this PDF"};
}

}  // namespace

web::ReadPdf pdf_reader(std::optional<Sandbox> sandbox) {
  return [sandbox](std::string_view bytes, const web::Stopped& stopped) -> PdfText {
    const std::string program = pdf_program();
    if (program.empty())
      return {.trouble = "a PDF; install pdftotext (poppler-utils) to have it read"};
    const Sandbox used = sandbox ? *sandbox : sandbox::best_sandbox();
    if (used == Sandbox::none) return {.trouble = "a PDF, which is not read without a sandbox"};
    return read_with(program, bytes, used, stopped);
  };
}

std::string document_text(std::string_view bytes, const web::Stopped& stopped) {
  if (!bytes.starts_with(pdf_magic)) return notebook_text(bytes);
  const PdfText read = pdf_reader(std::nullopt)(bytes, stopped);
  if (!read.trouble.empty()) throw Error(read.trouble);
  return valid_utf8(read.text);
}

}  // namespace skein::tools
