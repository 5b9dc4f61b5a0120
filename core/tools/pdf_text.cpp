#include "core/tools/pdf_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/tools/sandbox/environment.h"
#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/socket_filter.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools {

namespace {

using sandbox::Program, sandbox::ProgramEnd, sandbox::Sandbox, sandbox::SandboxSpec;
using web::PdfText;

constexpr std::chrono::seconds longest_reading{20};
constexpr std::size_t most_text = 20 * 1024 * 1024;

// Where systems put it; what lies elsewhere on the path may be anyone's.
std::string pdf_program() {
  for (const char* each : {"/usr/bin/pdftotext", "/usr/local/bin/pdftotext", "/bin/pdftotext"})
    if (access(each, X_OK) == 0) return each;
  return {};
}

bool write_file(const std::string& path, std::string_view bytes) {
  const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file && write_all(file.get(), bytes);
}

// It sees only its file: what it could be made to print goes to a model.
SandboxSpec cell_in(const std::string& folder) {
  SandboxSpec cell{.root = folder, .temporary = folder, .network = false};
  const std::string home = workspace::real_place(user_home());
  if (home.size() > 1 && !workspace::is_below(folder, home)) cell.hidden.push_back(home);
  return cell;
}

PdfText read_with(const std::string& program_path, std::string_view bytes, Sandbox sandbox,
                  const web::Stopped& stopped) {
  sandbox::PrivateTemporary temporary;
  const std::string folder = temporary.path();
  if (folder.empty() || !write_file(folder + "/page.pdf", bytes))
    return {.trouble = "the PDF cannot be read: there is no room for it"};
  SandboxSpec cell = cell_in(folder);
  if (std::string why = sandbox::settle_hidden(cell); !why.empty()) return {.trouble = why};
  const Fd opened(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Program program{.arguments = {}, .environment = {}, .folder = opened.get()};
  program.limits = {.processes = 64, .memory = std::uint64_t{2} << 30};
  const bool wrapped = sandbox == Sandbox::bubblewrap;
  Fd rules;
  if (wrapped) {
    program.arguments = sandbox::bubblewrap_arguments(cell);
  } else {
    rules = sandbox::landlock_rules(cell);
    program.landlock = rules.get();
  }
  program.sockets = sandbox::sockets_for(sandbox, cell.network);
  for (const char* word : {program_path.c_str(), "-q", "-enc", "UTF-8", "-nopgbrk"})
    program.arguments.emplace_back(word);
  program.arguments.push_back((wrapped ? "/tmp" : folder) + "/page.pdf");
  program.arguments.emplace_back("-");
  program.environment =
      sandbox::command_environment(sandbox::own_environment(), wrapped ? "/tmp" : folder);
  PdfText out;
  sandbox::Watch watch;
  watch.time = longest_reading;
  watch.stopped = stopped;
  watch.output = [&](std::string_view piece) {
    out.text += piece.substr(0, most_text - std::min(most_text, out.text.size()));
  };
  const ProgramEnd end = sandbox::run_program(program, watch);
  if (end == ProgramEnd{}) return out;
  const bool late = end.cause == ProgramEnd::Cause::timed_out;
  return {.trouble = late ? "pdftotext was not done after 20 s" : "pdftotext cannot read this PDF"};
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

}  // namespace skein::tools
