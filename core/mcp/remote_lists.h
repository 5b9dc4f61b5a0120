// What a server lists (its tools, prompts and resources), and what it replies.
#pragma once

#include "core/text/base.h"

namespace skein::mcp {

// What a server has, as it lists it page by page: tools, prompts, resources. Nothing in it is to be
// believed. Pure.
struct RemoteTool {
  std::string name, description;
  JsonText schema, annotations{};
  bool needs_task = false;  // the server runs it only as a task, which skein does not start
};

struct RemotePrompt {
  struct Argument {
    std::string name, description;
    bool required = false;
  };
  std::string name, description;
  std::vector<Argument> arguments{};
};

struct RemoteResource {
  std::string uri, name;
};

enum class List { tools, prompts, resources };
inline constexpr List all_lists[] = {List::tools, List::prompts, List::resources};
std::string_view name_of(List list);  // as capabilities and notifications have it
std::string method_of(List list);     // that asks for a page

struct RemoteLists {
  static constexpr std::size_t most_of_each = 1'000;

  std::vector<RemoteTool> tools{};
  std::vector<RemotePrompt> prompts{};
  std::vector<RemoteResource> resources{};

  // Adds a page, the result of that method. Returns the cursor of the next; empty: it was the last.
  std::string add_page(List list, const JsonText& result);
  // Takes one list over from `from`, in the order of names.
  void take(List list, RemoteLists& from);
};

namespace rpc {
struct Message;
}

// What came of a request.
struct ServerReply {
  // The answer with its result, handed over by the channel's thread; null: it failed.
  std::shared_ptr<const rpc::Message> answer{};
  std::string failure{};  // for the model and the user to read
  bool again = false;     // it was not done, and may be if it is asked again
  bool later = false;     // it may go better next time, but may have been done as well
};

}  // namespace skein::mcp
