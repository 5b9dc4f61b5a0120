// skein help, keys and completion: the subcommands, the configuration and the manual pages; which
// key does what, and what the terminal sends for a key; scripts for shells, and their candidates.
#include <sys/wait.h>
#include <unistd.h>

#include "app/completion/candidates.h"
#include "app/config/keys.h"
#include "app/invocation/signals.h"
#include "app/manual/pages.h"
#include "app/setup/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/screen/markdown/markdown.h"
#include "repl/terminal/key_map.h"
#include "repl/terminal/keys.h"
#include "repl/terminal/terminal.h"

namespace skein::verbs {

namespace {

void print_page(const std::vector<std::string>& arguments) {
  const std::string wanted = arguments.empty() ? "skein" : arguments.front();
  for (const manual::Page& page : manual::pages())
    if (arguments.size() <= 1 && (manual::man_name(page) == wanted || page.name == wanted))
      return print_text(manual::man_page(page));
  throw UsageError("there is no manual page '" + wanted + "'; there are " +
                   listed(manual::pages(), ", ", manual::man_name));
}

// A page of the guide as it is shown on standard output: to a pipe, as it is written.
std::string drawn(const manual::Page& page, const screen::Screen::Parts& screen) {
  const std::string text = manual::markdown(page, manual::LinkForm::terminal);
  screen::markdown::Markdown markdown(screen.look, screen.look.live ? screen.port.width() : 0);
  const std::string out = markdown.feed(screen.look.live ? manual::flowing(text) : text);
  return out + markdown.end();
}

// What does not fit on the screen is shown by the user's pager, which gets no key.
void show(const std::string& text, const screen::Screen::Parts& screen) {
  const bool fits = static_cast<std::size_t>(std::ranges::count(text, '\n')) <
                    (screen.look.live ? screen.port.height() : std::size_t{0});
  if (!screen.look.live || screen.look.labels || fits || isatty(STDIN_FILENO) == 0)
    return print_text(text);
  providers::Keyring keys;
  const catalog::Catalog catalog;
  for (const catalog::ProviderRow& row : catalog.providers())
    keys.take_environment({row.key_variables.begin(), row.key_variables.end()});
  app::catch_signals();
  setenv("LESS", "FRX", 0);
  std::FILE* const pager = popen("${PAGER:-less}", "w");
  if (pager == nullptr) return print_text(text);
  std::fwrite(text.data(), 1, text.size(), pager);
  constexpr int not_found = 127;
  if (const int status = pclose(pager); WIFEXITED(status) && WEXITSTATUS(status) == not_found)
    print_text(text);
}

// The name of a subcommand, as far as it is one: of "sessions shwo" that of "sessions show".
std::string nearest_topic(const std::string& topic) {
  std::vector<std::string_view> names;
  for (const manual::Page& page : manual::pages()) names.push_back(page.name);
  for (const app::Subcommand& row : app::subcommands())
    if (!row.hidden()) names.push_back(row.name);
  return std::string(nearest(topic, names));
}

using terminal::Key, terminal::KeyMap, terminal::KeyRow;

constexpr std::size_t name_columns = 17, key_columns = 24;

Json chords_json(const std::vector<terminal::Chord>& chords) {
  Json out = Json::array();
  for (const terminal::Chord& each : chords) out.push_back(terminal::written(each));
  return out;
}

void print_keys(const Invocation& invocation, const KeyMap& keys) {
  ListPrinter out(invocation);
  for (const KeyRow& row : terminal::key_rows()) {
    if (row.action == terminal::Action::none) continue;
    const auto &chords = keys.chords(row.action),
               &usual = terminal::usual_keys().chords(row.action);
    out.add(dump({{"action", row.name},
                  {"keys", chords_json(chords)},
                  {"default", chords_json(usual)},
                  {"during", row.place == terminal::KeyContext::turn ? "turn" : "prompt"},
                  {"does", row.words}}),
            layout::padded(std::string(row.name), name_columns) +
                layout::padded(keys.shown(row), key_columns) + "  " + std::string(row.words) +
                (chords != usual ? " (yours)" : ""));
  }
  out.end();
  if (invocation.has("--json")) return;
  print_line("");
  const std::string file = app::user_config_file();
  print_line("[keys] in " + (file.empty() ? "your configuration" : file) +
             " sets them: search-history = \"f3\"");
}

// As a shell's $'…' takes them.
std::string visible(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0x1B)
      out += "\\e";
    else if (byte > ' ' && byte < 0x7F && byte != '\\')
      out += c;
    else
      out += "\\x" + hex(byte, 2);
  }
  return out;
}

// Shows every key until q, ^C twice or the end of the terminal.
class KeyTest {
 public:
  explicit KeyTest(const KeyMap& keys) : keys_(keys) {}

  void run() {
    terminal_.set(terminal::Terminal::Mode::editing);
    say("Press keys to see their names; q or Ctrl+C twice ends.");
    if (!terminal_.ask_for_extended_keys()) say("This terminal cannot tell Ctrl+Enter from Enter.");
    while (!done_ && !app::leave_asked()) {
      const Wake wake = decoder_.waiting()
                            ? terminal_.wait(std::chrono::milliseconds(Decoder::pause_ms))
                            : terminal_.wait({}, [] { return app::leave_asked().load(); });
      if (wake == Wake::signal) terminal_.take_resize();
      if (wake == Wake::ready) take_in();
      if (wake == Wake::deadline)
        if (const auto key = decoder_.flush()) show(*key);
    }
    terminal_.set(terminal::Terminal::Mode::found);
  }

 private:
  using Decoder = terminal::KeyDecoder;

  void say(const std::string& line) { terminal_.write(layout::sanitized(line) + "\r\n"); }

  // One byte at a time, so that it is known which of them make a key.
  void take_in() {
    const std::string bytes = terminal_.read();
    done_ = done_ || bytes.empty();
    for (const char byte : bytes) {
      bytes_ += byte;
      decoder_.feed({&byte, 1});
      while (const auto key = decoder_.next()) show(*key);
    }
  }

  void show(const Key& key) {
    const std::string bytes = std::exchange(bytes_, {});
    const bool again = std::exchange(interrupted_, key == terminal::ctrl('c'));
    done_ = done_ || (again && interrupted_) || terminal::typed(key) == "q";
    if (key.code == Key::Code::report) return hear(key);
    if (key.code == Key::Code::paste)
      return say("pasted " + std::to_string(key.text.size()) + " bytes");
    const std::string name = terminal::written(key);
    if (name.empty()) return say("unknown key  " + visible(bytes));
    say(layout::padded(name, name_columns) + layout::padded(visible(bytes), name_columns) +
        meaning(key));
  }

  std::string meaning(const Key& key) const {
    std::string out;
    for (const terminal::KeyContext place :
         {terminal::KeyContext::prompt, terminal::KeyContext::turn}) {
      const terminal::Action action = keys_.find(place, {key});
      for (const KeyRow& row : terminal::key_rows())
        if (action != terminal::Action::none && row.action == action)
          out += (out.empty() ? "" : ", ") + std::string(row.name);
      if (keys_.begins(place, key)) out += (out.empty() ? "" : ", ") + std::string("first of two");
    }
    const std::string trouble = terminal::trouble_with({key});
    return !out.empty() ? out : trouble.empty() ? "free" : "cannot be assigned";
  }

  void hear(const Key& report) {
    if (report.point == 'c' && !tells_)
      say("This terminal does not report whether it can tell Ctrl+Enter from Enter; try it.");
    const bool tells = (report.point == 'u' && report.text.starts_with('?')) ||
                       (report.point == 'm' && report.text.starts_with(">4;"));
    if (tells && !std::exchange(tells_, true)) say("This terminal can tell Ctrl+Enter from Enter.");
  }

  const KeyMap& keys_;
  terminal::Terminal terminal_{STDIN_FILENO, STDOUT_FILENO};
  Decoder decoder_{};
  std::string bytes_{};
  bool done_ = false, interrupted_ = false, tells_ = false;
};

using completion::Candidate, completion::Candidates;

// What `skein completion SHELL` prints: a script that asks `skein __complete` at every Tab, so that
// what it knows is always what the installed skein knows.
struct ShellScript {
  std::string_view shell;
  std::string_view script;
};

// COMP_LINE is there whenever bash itself calls; the words alone are for those who call the
// function to try it. Nothing of bash-completion is needed.
constexpr std::string_view bash =
    R"script(# Completion of skein for bash:  source <(skein completion bash)
_skein() {
  local line=${COMP_LINE-} candidate word= before=
  if [[ -n $line ]]; then
    line=${line:0:${COMP_POINT:-${#line}}}
  else
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
      case $before$word in
        *[:=]) line+=$word ;;
        [:=]*) line+=$word ;;
        *) line+=${line:+ }$word ;;
      esac
      case $word in : | =) before=$word ;; *) before= ;; esac
    done
  fi
  COMPREPLY=()
  while IFS= read -r candidate; do
    case $candidate in
      $'\tfiles') compopt -o default 2> /dev/null ;;
      $'\tfolders') compopt -o dirnames 2> /dev/null ;;
      *) COMPREPLY+=("${candidate%%$'\t'*}") ;;
    esac
  done < <(command skein __complete --bash "${COMP_TYPE:-9}" "${COLUMNS:-80}" \
    "${2-${COMP_WORDS[COMP_CWORD]}}" "$line" 2> /dev/null < /dev/null)
}
complete -o nosort -F _skein skein 2> /dev/null || complete -F _skein skein
)script";

constexpr std::string_view zsh = R"script(#compdef skein
# Completion of skein for zsh: put it into a folder of $fpath as _skein, or
#   source <(skein completion zsh)     after compinit
_skein() {
  local line name
  local -a lines found
  lines=("${(@f)$(command skein __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" \
    2> /dev/null < /dev/null)}")
  for line in $lines; do
    name=${line%%$'\t'*}
    if [[ $line == $'\tfiles' ]]; then
      compset -P '--*='
      _files
    elif [[ $line == $'\tfolders' ]]; then
      compset -P '--*='
      _files -/
    else
      found+=("${name//:/\\:}${${line#*$'\t'}:+:${line#*$'\t'}}")
    fi
  done
  (( $#found )) && _describe -V skein found
}
if [[ $funcstack[1] == _skein ]]; then
  _skein "$@"
else
  compdef _skein skein
fi
)script";

constexpr std::string_view fish =
    R"script(# Completion of skein for fish:  skein completion fish | source
function __skein_complete
    set -l current (commandline -ct)
    set -l typed (string unescape -- $current)
    or set typed (string trim -l -c '"\'' -- $current)
    set -l words (commandline -opc)
    for line in (command skein __complete -- $words[2..-1] "$typed" 2>/dev/null </dev/null)
        switch $line
            case \tfiles
                __fish_complete_path $typed
            case \tfolders
                __fish_complete_directories $typed
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c skein -f -k -a '(__skein_complete)'
)script";

constexpr ShellScript scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

Candidates candidates_of(const std::vector<std::string>& words) {
  return words.empty() ? Candidates{}
                       : completion::candidates_for(completion::read_typed_line(words));
}

void put_what_shell_does(Candidates::Shell shell) {
  if (shell == Candidates::Shell::files) print_styled("\tfiles");
  if (shell == Candidates::Shell::folders) print_styled("\tfolders");
}

// A second Tab: the candidates are only shown. Each is wide enough for a separate row.
void list_for_bash(const std::vector<Candidate>& all, const std::string& columns) {
  const auto wide = static_cast<std::size_t>(std::clamp(std::atoi(columns.c_str()), 20, 1000)) - 2;
  std::size_t widest = 0;
  for (const Candidate& each : all)
    widest = std::max(widest, std::min(layout::display_width(each.text), wide / 2));
  for (const Candidate& each : all)
    print_styled(
        each.description.empty()
            ? each.text
            : layout::padded(
                  layout::fit(layout::padded(each.text, widest) + "  " + each.description, wide),
                  wide / 2 + 1));
}

// `type` and `columns` are bash's; `replaced` is what it will put a candidate in the place of.
void complete_for_bash(const std::string& type, const std::string& columns,
                       const std::string& replaced, const std::string& line) {
  constexpr std::string_view listing = "63";
  const completion::BashLine typed = completion::read_bash_line(line);
  const Candidates found = candidates_of({typed.words.begin() + 1, typed.words.end()});
  if (type == listing && found.all.size() > 1) return list_for_bash(found.all, columns);
  for (const Candidate& each : found.all)
    if (const auto quoted = completion::quoted_for_bash(each.text, typed.open_quote))
      if (const auto part = completion::part_bash_replaces(typed, replaced, *quoted))
        print_styled(*part);
  put_what_shell_does(found.shell);
}

}  // namespace

void show_help(const Invocation& invocation) {
  if (invocation.has("--man")) return print_page(invocation.arguments);
  const std::string topic = listed(invocation.arguments, " ");
  const bool usage_alone = invocation.has("--help");
  if (topic == "config" && !usage_alone) return print_text(config::describe_keys());
  const screen::Screen::Parts screen = screen_parts(invocation);
  const std::size_t width = screen.look.live ? screen.port.width() : 0;
  const manual::Page* const page = usage_alone ? nullptr : manual::find_page(topic);
  const auto row = std::ranges::find(app::subcommands(), topic, &app::Subcommand::name);
  const bool command = row != app::subcommands().end() && !row->hidden();
  if (!topic.empty() && page == nullptr && !command) {
    const std::string meant = nearest_topic(topic);
    throw UsageError(
        "there is no command or topic '" + topic + "'; " +
        (meant.empty() ? "`skein help` lists them" : "did you mean `skein help " + meant + "`?"));
  }
  std::string text = page != nullptr ? drawn(*page, screen) : "";
  if (command) text += (text.empty() ? "" : "\n") + manual::command_help(*row, width);
  show(topic.empty() ? manual::overview(usage_alone, width) : text, screen);
}

void show_keys(const Invocation& invocation) {
  const KeyMap keys(app::load_config(invocation, app::workspace_folder(invocation)).keys);
  if (!invocation.has("--test")) return print_keys(invocation, keys);
  if (!app::attended()) throw UsageError("keys --test needs a terminal");
  app::catch_signals();
  KeyTest(keys).run();
}

void print_completion(const Invocation& invocation) {
  const std::string& wanted = invocation.arguments.at(0);
  for (const ShellScript& each : scripts)
    if (each.shell == wanted) return print_text(each.script);
  throw UsageError("there is no completion for '" + wanted +
                   "'; there is one for bash, zsh and fish");
}

// `[--] WORDS…`: those behind skein, the last of them being typed; a line for each candidate, with
// a tab and what it is, "\tfiles" and "\tfolders" for what the shell itself completes. Or
// `--bash TYPE COLUMNS REPLACED LINE`: bare candidates, quoted.
void complete_words(const Invocation& invocation) {
  const std::vector<std::string>& given = invocation.arguments;
  if (given.size() == 5 && given.front() == "--bash")
    return complete_for_bash(given[1], given[2], given[3], given[4]);
  const bool dashes = !given.empty() && given.front() == "--";
  const Candidates found = candidates_of({given.begin() + (dashes ? 1 : 0), given.end()});
  for (const Candidate& each : found.all) print_styled(each.text + "\t" + each.description);
  put_what_shell_does(found.shell);
}

}  // namespace skein::verbs
