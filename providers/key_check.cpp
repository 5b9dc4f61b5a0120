#include "providers/key_check.h"

#include "providers/request.h"

namespace skein::providers {

std::string check_key(const catalog::ProviderRow& row, Keyring& keys, const model::Ports& ports) {
  const std::string name(row.name), base = catalog::base_url(row);
  http::HttpHeaders headers;
  if (row.wire == handover::WireFormat::anthropic)
    headers.emplace_back("anthropic-version", "2023-06-01");
  if (row.auth != catalog::Auth::none) {
    const auto key = keys.find(variables_of(row), std::string(row.key_command));
    if (!key && row.key_needed)
      return "there is no key for " + name + " yet: " + how_to_give_key(row) +
             " and start skein again";
    if (const std::string refusal = key ? key_refusal(row, base) : ""; !refusal.empty())
      return refusal;
    if (key) headers.push_back(key_header(row, *key));
  }
  const http::HttpAnswer answer = http::http_get(base + std::string(row.version) + "/models",
                                                 headers, std::chrono::seconds(10), ports);
  const int status = answer.response.status;
  if (answer.response.end != http::HttpResponse::End::complete)
    return name + " cannot be reached: " + mask_secrets(answer.response.trouble, keys.secrets());
  if (status >= 200 && status < 300) return name + " takes the key";
  const wire::Explanation why =
      codec_of(row.wire).explain(status, answer.body, answer.response.headers);
  return name + " says no: " + mask_secrets(why.text, keys.secrets());
}

}  // namespace skein::providers
