// What skein asks of the network module. See core/text/module.h for what may cross, and http.h for
// what the parts mean.
#pragma once

#include "core/text/module.h"
#include "providers/http/http.h"

namespace skein::http {

struct HeaderView {
  Bytes name, value;
};

inline std::vector<HeaderView> view_of(const HttpHeaders& headers) {
  std::vector<HeaderView> out;
  for (const auto& [name, value] : headers) out.push_back({name, value});
  return out;
}
inline HttpHeaders headers_in(View<HeaderView> view) {
  HttpHeaders out;
  for (const HeaderView& each : view) out.emplace_back(each.name, each.value);
  return out;
}

struct RequestView {
  Bytes method, url, body;
  View<HeaderView> headers;
  std::int64_t connect_ms, answer_ms, idle_ms, whole_ms;
  HttpRequest::Redirects redirects;
  bool checks_addresses;  // whether `may_connect` is to be asked
  int input;              // a descriptor to watch; -1: none
};

struct ResponseView {
  HttpResponse::End end;
  int status;
  View<HeaderView> headers;
  Bytes trouble;
  bool again;
  HttpTimings timings;
  bool proxied;
};

struct ExchangeHandlers {
  Callback<void(const ResponseView&)> on_head, on_end;
  Callback<bool(Bytes)> on_body;
  Callback<bool()> goes_on, whole;  // asked every few milliseconds
  Callback<void()> on_input;
  Callback<bool(Bytes address, int port, TextSink why_not)> may_connect;
};

struct HttpModule {
  static constexpr const char *file = "skein_http", *purpose = "network";
  const char* version;
  // Ends with on_end.
  void (*exchange)(const RequestView& request, const ExchangeHandlers& handlers) noexcept;
  void (*look_for_trouble)(TextSink trouble) noexcept;
};

}  // namespace skein::http
