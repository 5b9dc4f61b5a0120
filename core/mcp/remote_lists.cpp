#include "core/mcp/remote_lists.h"

#include "core/mcp/rpc.h"
#include "core/text/json.h"

namespace skein::mcp {

namespace {

constexpr std::size_t longest_description = 2u << 10, longest_label = 200, most_arguments = 50;

RemotePrompt prompt_in(const Json& value) {
  RemotePrompt out{rpc::shortened(string_at(value, "name"), longest_label),
                   rpc::shortened(string_at(value, "description"), longest_description)};
  for (const Json& each : list_at(value, "arguments"))
    if (!string_at(each, "name").empty() && out.arguments.size() < most_arguments)
      out.arguments.push_back({rpc::shortened(string_at(each, "name"), longest_label),
                               rpc::shortened(string_at(each, "description"), longest_label),
                               bool_at(each, "required")});
  return out;
}

// False: there is no room for more.
template <class Item>
bool add(std::vector<Item>& to, bool good, Item item) {
  if (to.size() == RemoteLists::most_of_each) return false;
  if (good) to.push_back(std::move(item));
  return true;
}

}  // namespace

std::string_view name_of(List list) {
  constexpr std::string_view names[] = {"tools", "prompts", "resources"};
  return names[static_cast<std::size_t>(list)];
}

std::string method_of(List list) { return std::string(name_of(list)) + "/list"; }

std::string RemoteLists::add_page(List list, const JsonText& result) {
  const Json page = parse_json(result).value_or(Json::object());
  const Json& items = at(page, name_of(list));
  bool room = true;
  if (items.is_array())
    for (const Json& each : items) {
      const std::string name = rpc::shortened(string_at(each, "name"), longest_label);
      switch (list) {
        case List::tools:
          room = add(tools, !name.empty(),
                     {name, rpc::shortened(string_at(each, "description"), longest_description),
                      text_at(each, "inputSchema"), text_at(each, "annotations"),
                      string_at(at(each, "execution"), "taskSupport") == "required"});
          break;
        case List::prompts: room = add(prompts, !name.empty(), prompt_in(each)); break;
        case List::resources: {
          const std::string uri = string_at(each, "uri");
          room = add(resources, !uri.empty() && uri.size() <= longest_description, {uri, name});
          break;
        }
      }
      if (!room) break;
    }
  return room ? string_at(page, "nextCursor") : "";
}

void RemoteLists::take(List list, RemoteLists& from) {
  const auto take_sorted = [](auto& to, auto& items, auto by) {
    to = std::exchange(items, {});
    std::ranges::sort(to, {}, by);
  };
  switch (list) {
    case List::tools: return take_sorted(tools, from.tools, &RemoteTool::name);
    case List::prompts: return take_sorted(prompts, from.prompts, &RemotePrompt::name);
    case List::resources: return take_sorted(resources, from.resources, &RemoteResource::uri);
  }
}

}  // namespace skein::mcp
