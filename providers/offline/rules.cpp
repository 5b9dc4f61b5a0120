
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/offline/offline.h"

namespace skein::offline {

namespace {

// A prompt that fits a rule: `rest` is what follows the words that matched, as it was written.
struct PromptMatch {
  const model::Context& context;
  std::string_view rest;
};
// nullopt: the words were there but what they need was not, so another rule may try.
using Answer = std::optional<RuleReply>;

std::size_t calls_in(const model::Context& context) {
  std::size_t calls = 0;
  for (const model::Message& message : context.messages) calls += model::tool_uses(message).size();
  return calls;
}

// The call of the tool `name`, or an honest word if the context has no such tool.
RuleReply call_tool(const model::Context& context, const std::string& name, const Json& input,
                    std::string announcement) {
  if (std::ranges::find(context.tools, name, &model::ToolSpec::name) == context.tools.end())
    return {"The rule needs the tool " + name + ", which is not available.",
            "For this I would call the tool `" + name + "`, but it is not enabled here.\n"};
  const std::string id = "demo_" + std::to_string(calls_in(context) + 1);
  return {"The rule for this calls the tool " + name + ".",
          std::move(announcement),
          {model::ToolUse{.id = id, .name = name, .input = dump(input)}}};
}

// `text` without those of the words that it begins with, one after the other.
std::string_view without(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    text = trimmed(text);
    if (text.starts_with(word)) text.remove_prefix(word.size());
  }
  return text;
}

bool looks_like_path(std::string_view text) {
  return text.find_first_of("./_") != std::string_view::npos &&
         text.find_first_of(" \n") == std::string_view::npos;
}

// Without the quotes and the final punctuation that people put around names.
std::string unquoted(std::string_view text) {
  text = trimmed(text);
  const bool full_stop = text.ends_with('.') && text.size() > 1;
  if (full_stop || text.ends_with('?') || text.ends_with('!')) text.remove_suffix(1);
  return std::string(trimmed(text, "`\"'"));
}

Answer list_files(const PromptMatch& match) {
  const std::initializer_list<std::string_view> words{"all ",      "the ",   "files", "file",
                                                      "directory", "folder", "in ",   "of "};
  std::string_view rest = trimmed(match.rest);
  rest.remove_prefix(rest.size() - without(lower(rest), words).size());
  std::string path = unquoted(rest);
  if (path.find(' ') != std::string::npos || path.starts_with("th") || path == "here") path.clear();
  return call_tool(match.context, "list", {{"path", path.empty() ? "." : path}}, "Let me look.\n");
}

Answer read_file(const PromptMatch& match) {
  const std::string path = unquoted(without(match.rest, {"me ", "the ", "file ", "@"}));
  if (!looks_like_path(path)) return std::nullopt;
  return call_tool(match.context, "read", {{"path", path}}, "I will read it.\n");
}

Answer run_command(const PromptMatch& match) {
  const std::string_view command = trimmed(trimmed(match.rest), "`");
  if (command.empty()) return std::nullopt;
  return call_tool(match.context, "bash", {{"command", command}}, "I will run that.\n");
}

Answer find_text(const PromptMatch& match) {
  std::string_view rest = without(match.rest, {"all ", "for "}), path = ".";
  if (const std::size_t in = rest.rfind(" in "); in != std::string_view::npos) {
    path = trimmed(rest.substr(in + 4), " `\"'?.");
    rest = rest.substr(0, in);
  }
  const std::string pattern = unquoted(rest);
  if (pattern.empty()) return std::nullopt;
  if (path.empty() || path.find(' ') != std::string_view::npos) path = ".";
  return call_tool(match.context, "grep", {{"pattern", pattern}, {"path", path}},
                   "I will search for it.\n");
}

Answer create_file(const PromptMatch& match) {
  const std::string_view rest = without(match.rest, {"a ", "new ", "file ", "called ", "named "});
  const std::size_t space = std::min(rest.find_first_of(" \n"), rest.size());
  std::string path = unquoted(rest.substr(0, space));
  std::string_view content = rest.substr(space);
  if (!looks_like_path(path)) {  // "write hello to notes.txt"
    const std::size_t to = rest.rfind(" to ");
    if (to == std::string_view::npos) return std::nullopt;
    path = unquoted(rest.substr(to + 4));
    content = rest.substr(0, to);
  }
  if (!looks_like_path(path)) return std::nullopt;
  content = without(content, {"with ", "containing ", "the ", "text ", "content "});
  std::string body(trimmed(content, "\"'`"));
  if (!body.empty() && !body.ends_with('\n')) body += '\n';
  return call_tool(match.context, "write", {{"path", path}, {"content", body}},
                   "I will write it.\n");
}

Answer replace_text(const PromptMatch& match) {
  const std::size_t with = match.rest.find(" with "), in = match.rest.rfind(" in ");
  if (with == std::string_view::npos || in == std::string_view::npos || in < with + 6)
    return std::nullopt;
  return call_tool(match.context, "edit",
                   {{"path", unquoted(match.rest.substr(in + 4))},
                    {"old_text", unquoted(match.rest.substr(0, with))},
                    {"new_text", unquoted(match.rest.substr(with + 6, in - with - 6))}},
                   "I will change it.\n");
}

std::string quote(std::string_view text) {
  std::string out = "> ";
  for (const char c : utf8_prefix(text, 400)) (out += c) += c == '\n' ? "> " : "";
  return out + "\n";
}

// What the user has said so far; the last one is the prompt.
std::vector<std::string> prompts(const model::Context& context) {
  std::vector<std::string> said;
  for (const model::Message& message : context.messages)
    if (std::string text = model::plain_text(message); model::is_prompt(message) && !text.empty())
      said.push_back(std::move(text));
  return said;
}

Answer say_help(const PromptMatch& match) {
  std::string text =
      "I am **offline/demo**, the model built into skein. I need no network and no key. I answer "
      "by fixed rules and do not understand text, but the tools and sessions are real.\n\n"
      "Things to try here:\n\n"
      "- `list files`, `read README.md`, `find main`, `run git status`\n"
      "- `create notes.txt with hello`, `replace hello with goodbye in notes.txt`\n"
      "- `explore`: two tools, one after the other\n"
      "- `what did I say first?`, `summarize`: also after you have quit and come back\n"
      "- `show markdown`: what answers can look like\n\n"
      "Things skein does with any model:\n\n"
      "- every word is saved before it is shown; `/sessions`, `/switch` and `/history` find it\n"
      "- `/tree` and `/branch` go back to any point and continue there; nothing is lost\n"
      "- `/model provider/model` hands this conversation to another model\n"
      "- `/help` lists the rest\n";
  if (match.context.tools.empty()) text += "\nNo tools are enabled at the moment.\n";
  return RuleReply{"The prompt asks for help, so the help rule applies.", text};
}

Answer say_hello(const PromptMatch&) {
  return RuleReply{"A greeting.",
                   "Hello! I am **offline/demo**: I answer by fixed rules, without a network. "
                   "Say `help` to see what can be tried.\n"};
}

template <bool first>
Answer quote_earlier(const PromptMatch& match) {
  const auto said = prompts(match.context);
  if (said.size() < 2)
    return RuleReply{"There is nothing before this prompt.",
                     std::string(first ? "This" : "There was none: this") +
                         " is the first thing you have said in this session.\n"};
  return RuleReply{"The history has it.",
                   first ? "The first thing you said was:\n\n" + quote(said.front())
                         : "Before this you said:\n\n" + quote(*(said.end() - 2))};
}

Answer say_summary(const PromptMatch& match) {
  const auto said = prompts(match.context);
  std::string text = "So far you have said " + counted(said.size(), "thing") + ", and " +
                     counted(calls_in(match.context), "tool was", "tools were") + " called.\n\n";
  const std::size_t from = said.size() > 12 ? said.size() - 12 : 0;
  if (from > 0) text += "The last twelve:\n\n";
  for (std::size_t i = from; i < said.size(); ++i) {
    const std::string line = said[i].substr(0, said[i].find('\n'));
    text += std::to_string(i + 1) + ". " + std::string(utf8_prefix(line, 80)) + "\n";
  }
  return RuleReply{"Counting prompts and calls of the history.", text};
}

Answer learn_name(const PromptMatch& match) {
  const std::string name = unquoted(match.rest);
  if (name.empty()) return std::nullopt;
  return RuleReply{"A name to find again later.",
                   "Nice to meet you, " + name + ". Ask me later; also after a restart.\n"};
}

Answer recall_name(const PromptMatch& match) {
  const auto said = prompts(match.context);
  for (auto prompt = said.rbegin(); prompt != said.rend(); ++prompt)
    for (const std::string_view words : {"my name is ", "call me "})
      if (const std::size_t at = lower(*prompt).find(words); at != std::string::npos) {
        const std::string rest = prompt->substr(at + words.size());
        return RuleReply{
            "An earlier prompt says it.",
            "You said it is " + unquoted(rest.substr(0, rest.find_first_of(",;\n"))) + ".\n"};
      }
  return RuleReply{"No earlier prompt says it.", "You have not said it yet.\n"};
}

Answer show_markdown(const PromptMatch&) {
  return RuleReply{"A sample of everything.",
                   "# A heading\n\nText with **bold**, *italic*, `code` and a "
                   "[link](https://example.com).\n\n- a list\n  - with a level below\n- and "
                   "another item\n\n1. numbered\n2. too\n\n> a quotation\n\n| left | right |\n| "
                   "--- | ---: |\n| a | 1 |\n| b | 22 |\n\n" +
                       fenced("int main() {\n  return 0;  // all is well\n}\n", "cpp")};
}

// Where the phrase must be.
enum class Where { start, anywhere, whole };

struct DemoRule {
  Where where;
  std::string_view phrases;  // separated by |
  Answer (*answer)(const PromptMatch&);
};

// The first rule that matches and has an answer wins.
constexpr DemoRule rules[] = {
    {Where::anywhere, "what can you do|who are you|what is skein", say_help},
    {Where::whole, "help", say_help},
    {Where::anywhere, "did i say first|my first", quote_earlier<true>},
    {Where::anywhere, "did i say last|did i just say|did i say before|my last|my previous",
     quote_earlier<false>},
    {Where::start, "summar|recap", say_summary},
    {Where::anywhere, "what did we|what have we", say_summary},
    {Where::anywhere, "what is my name|what's my name|who am i", recall_name},
    {Where::start, "my name is |call me ", learn_name},
    {Where::anywhere, "show markdown", show_markdown},
    {Where::start, "explore|look around", list_files},
    {Where::whole, "ls|list", list_files},
    {Where::start, "ls |list |show files", list_files},
    {Where::anywhere, "in this directory|in this folder", list_files},
    {Where::start, "read |show |cat |open ", read_file},
    {Where::start, "run |execute |$ ", run_command},
    {Where::start, "find |search |grep ", find_text},
    {Where::start, "create |write |make ", create_file},
    {Where::start, "replace ", replace_text},
    {Where::start, "hello", say_hello},
    {Where::whole, "hi|hey", say_hello},
};

std::optional<std::size_t> end_of_match(Where where, std::string_view phrase,
                                        std::string_view text) {
  const std::size_t at = text.find(phrase);
  if (at == std::string_view::npos || (where != Where::anywhere && at != 0)) return std::nullopt;
  if (where == Where::whole && trimmed(text, " \n?!.") != phrase) return std::nullopt;
  return at + phrase.size();
}

std::size_t lines_in(std::string_view text) { return split(text, '\n').size(); }

// The first lines in a fence, and how many were left out.
std::string excerpt(std::string_view text, std::string_view language = {}) {
  constexpr std::size_t shown_lines = 40;
  std::size_t end = 0;
  for (std::size_t line = 0; line < shown_lines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  const std::string_view head = utf8_prefix(text.substr(0, end), 8000);
  const std::size_t left = lines_in(text.substr(head.size()));
  return fenced(head, language) + (left > 0 ? "\n(" + counted(left, "more line") + ")\n" : "");
}

std::string extension(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const bool none = dot == std::string::npos || path.find('/', dot) != std::string::npos;
  return none ? "" : path.substr(dot + 1);
}

// One tool's result in words; `call` may be null.
std::string report(const model::ToolUse* call, const model::ToolResult& result) {
  const std::string output = model::plain_text(result), tool = call ? call->name : "";
  if (result.is_error) return "That did not work:\n\n" + excerpt(output);
  const Json input = parse_json(call ? call->input : "{}").value_or(Json::object());
  const std::string path = string_at(input, "path", tool == "list" ? "." : "");
  if (tool == "list")
    return "`" + path + "` has " + counted(lines_in(output), "entry line") + ":\n\n" +
           excerpt(output);
  if (tool == "read")
    return "`" + path + "`, " + counted(lines_in(output), "line") + ":\n\n" +
           excerpt(output, extension(path));
  if (tool == "bash")
    return "`" + string_at(input, "command") + "`" +
           (output.empty() ? " ran and printed nothing.\n" : " printed:\n\n" + excerpt(output));
  if (tool == "grep")
    return "Searching for `" + string_at(input, "pattern") + "` gave:\n\n" + excerpt(output);
  if (tool == "write" || tool == "edit") return "Done: `" + path + "` is changed.\n";
  return "The result:\n\n" + excerpt(output);
}

// Whether a listing has `file` as a whole word.
bool names(std::string_view listing, std::string_view file) {
  const std::size_t at = listing.find(file);
  return at != std::string_view::npos &&
         (at == 0 || listing[at - 1] == '\n' || listing[at - 1] == ' ');
}

// What it says about the results its calls brought. `request` is the prompt that led to them; the
// reply may call again.
RuleReply report_results(const model::Context& context, std::string_view request) {
  const bool exploring = request.starts_with("explore") || request.starts_with("look around");
  const auto asked = std::ranges::find(context.messages.rbegin(), context.messages.rend(),
                                       model::Role::assistant, &model::Message::role);
  std::string text;
  for (const model::Block& block : context.messages.back().content) {
    const auto* result = std::get_if<model::ToolResult>(&block);
    if (result == nullptr) continue;
    const model::ToolUse* call = nullptr;
    if (asked != context.messages.rend())
      for (const model::ToolUse* each : model::tool_uses(*asked))
        if (each->id == result->tool_use_id) call = each;
    text += (text.empty() ? "" : "\n") + report(call, *result);
    if (exploring && call && call->name == "list" && names(model::plain_text(*result), "README.md"))
      return call_tool(context, "read", {{"path", "README.md"}},
                       text + "\nThere is a README, so I will read that too.\n");
  }
  return {"The results are here; what is left is to report them.", text};
}

}  // namespace

RuleReply reply_by_rule(const model::Context& context) {
  const auto said = prompts(context);
  const std::string last = said.empty() ? "" : said.back();
  if (!context.messages.empty() && context.messages.back().role == model::Role::tool)
    return report_results(context, last);

  std::string_view prompt = trimmed(last);
  const std::string whole = lower(prompt);
  const std::string_view small =
      without(whole, {"please ", "can you ", "could you ", "now ", "then "});
  prompt.remove_prefix(prompt.size() - small.size());
  for (const DemoRule& rule : rules)
    for (const std::string_view phrase : split(rule.phrases, '|'))
      if (const auto end = end_of_match(rule.where, phrase, small))
        if (const auto reply = rule.answer({context, prompt.substr(*end)})) return *reply;
  return {"No rule matches.",
          "You said:\n\n" + quote(prompt) +
              "\nI am **offline/demo**, the model built into skein: I answer by fixed rules and "
              "have none "
              "for this. This was prompt " +
              std::to_string(said.size()) +
              " of this session, and it is saved. Say `help` for what I can do, or use `/model` to "
              "choose a real model.\n"};
}

}  // namespace skein::offline
