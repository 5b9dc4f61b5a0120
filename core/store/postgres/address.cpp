#include "core/store/postgres/address.h"

#include "core/text/module.h"

namespace skein::store::postgres {

namespace {

template <class Function>
Function in_module(const char* symbol) {
  return reinterpret_cast<Function>(module_symbol("skein_postgres", "database", symbol));
}

std::string all_hosts(const Target& target) {
  std::string out;
  for (const std::string& host : target.hosts) out += (out.empty() ? "" : ",") + host;
  return out;
}

}  // namespace

bool is_address(std::string_view home) {
  return home.starts_with("postgresql://") || home.starts_with("postgres://");
}

Target described_address(const std::string& address) {
  static const auto describe = in_module<DescribeFunction>(describe_symbol);
  Target target;
  describe(address, target);
  if (!target.problem.empty())
    throw Error("the address of the home cannot be used: " + target.problem, ExitStatus::usage);
  return target;
}

std::string shown_address(const std::string& address) {
  const Target target = described_address(address);
  return "postgresql://" + (target.user.empty() ? "" : target.user + "@") + all_hosts(target) +
         "/" + target.database;
}

Result<std::unique_ptr<Link>> open_link(const std::string& address, const Waiting& waiting) {
  static const auto open = in_module<ConnectFunction>(connect_symbol);
  Opened opened;
  open(address, waiting, opened);
  if (opened.link == nullptr)
    return Failure{Failure::Kind::unreachable, "no connection to the database: " + opened.problem};
  return std::unique_ptr<Link>(opened.link);
}

}  // namespace skein::store::postgres
