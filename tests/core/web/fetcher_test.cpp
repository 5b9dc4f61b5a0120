// Against a web that is made up: hosts, what their names lead to, and what they answer.
#include "core/web/fetcher.h"

#include <doctest/doctest.h>

#include <deque>
#include <map>

using namespace skein::web;

namespace {

struct MadeUpWeb {
  std::map<std::string, WebAnswer> pages{};                   // by URL
  std::map<std::string, std::deque<std::string>> resolver{};  // the answers to come, by host
  std::vector<std::string> asked{}, connected{};

  Transport transport() {
    return [this](const Ask& ask) -> WebAnswer {
      asked.push_back(ask.url);
      const Url url = std::get<Url>(parse_url(ask.url));
      std::string address = url.is_address ? url.host : "93.184.216.34";
      if (auto& names = resolver[url.host]; !names.empty()) {
        address = names.front();
        if (names.size() > 1) names.pop_front();
      }
      if (std::string why = ask.refusal(address, url.port); !why.empty()) return {.trouble = why};
      connected.push_back(address);
      const auto found = pages.find(ask.url);
      return found == pages.end() ? WebAnswer{.status = 404, .type = "text/plain", .body = "no"}
                                  : found->second;
    };
  }
};

WebAnswer redirect(const std::string& to, int status = 302) {
  return {.status = status, .location = to};
}
WebAnswer text(const std::string& words) {
  return {.status = 200, .type = "text/plain", .body = words};
}
PageRequest wish(const std::string& url) { return {.url = std::get<Url>(parse_url(url))}; }

}  // namespace

TEST_CASE("redirects are followed on the same site, and no further than five times") {
  MadeUpWeb web;
  for (int i = 0; i < 20; ++i)
    web.pages["https://h.org/" + std::to_string(i)] = redirect(std::to_string(i + 1));
  web.pages["https://h.org/20"] = text("end");
  web.pages["https://h.org/www"] = redirect("http://www.h.org/15", 301);
  web.pages["https://www.h.org/15"] = text("upgraded");
  Fetcher fetcher(web.transport());
  const FetchedPage five = fetcher.fetch(wish("https://h.org/15"));
  REQUIRE(five.page);
  CHECK(five.page->text == "end");
  CHECK(five.page->url == "https://h.org/20");
  CHECK(fetcher.fetch(wish("https://h.org/0")).trouble.find("more than 5") != std::string::npos);
  CHECK(fetcher.fetch(wish("https://h.org/www")).page->text == "upgraded");
}

TEST_CASE("where else a redirect leads is said, not followed") {
  MadeUpWeb web;
  Fetcher fetcher(web.transport());
  for (const char* to : {"https://evil.org/x", "http://127.0.0.1/", "//localhost/", "http://[::1]/",
                         "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/",
                         "https://h.org:8080/", "https://bad.h.org/"}) {
    CAPTURE(to);
    web.pages["https://h.org/"] = redirect(to);
    const FetchedPage fetched = fetcher.fetch(wish("https://h.org/"));
    CHECK_FALSE(fetched.page);
    CHECK_FALSE(fetched.elsewhere.empty());
    CHECK_FALSE(fetched.trouble.empty());
  }
  for (const char* to : {"file:///etc/passwd", "ftp://h.org/", "http://2130706433/",
                         "gopher://h.org", "http://0x7f.1/"}) {
    CAPTURE(to);
    web.pages["https://h.org/"] = redirect(to);
    const FetchedPage fetched = fetcher.fetch(wish("https://h.org/"));
    CHECK_FALSE(fetched.page);
    CHECK(fetched.elsewhere.empty());
  }
  for (const std::string& address : web.connected) CHECK(address == "93.184.216.34");
}

TEST_CASE("a name that leads to a private host is not connected to, also the second time") {
  MadeUpWeb web;
  web.resolver["h.org"] = {"93.184.216.34", "127.0.0.1"};
  web.pages["https://h.org/"] = redirect("/again");
  web.pages["https://h.org/again"] = text("secret");
  Fetcher fetcher(web.transport());
  PageRequest named = wish("https://h.org/");
  named.reach.named = [](const Url& url) { return url.host == "h.org"; };  // "always", for the host
  const FetchedPage fetched = fetcher.fetch(named);
  CHECK_FALSE(fetched.page);
  CHECK(fetched.trouble.find("h.org leads to 127.0.0.1") != std::string::npos);
  CHECK(web.connected == std::vector<std::string>{"93.184.216.34"});
  for (const char* address : {"10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1",
                              "0.0.0.0", "169.254.169.254", "100.64.1.1"}) {
    web.resolver["o.org"] = {address};
    CHECK_FALSE(fetcher.fetch(wish("https://o.org/")).page);
  }
  CHECK(web.connected.size() == 1);
}

TEST_CASE("a private host that a rule names is reached, and only that one") {
  MadeUpWeb web;
  web.pages["http://127.0.0.1:3000/"] = text("mine");
  web.pages["http://localhost:3000/"] = text("mine too");
  web.resolver["localhost"] = {"127.0.0.1"};
  Fetcher fetcher(web.transport());
  PageRequest address = wish("http://127.0.0.1:3000/");
  address.reach.named = [](const Url& url) { return url.host == "127.0.0.1" && url.port == 3000; };
  CHECK(fetcher.fetch(address).page);
  PageRequest name = wish("http://localhost:3000/");
  name.reach.named = [](const Url& url) { return url.host == "localhost"; };
  CHECK(fetcher.fetch(name).page);
  web.pages["http://127.0.0.1:3000/next"] = redirect("http://127.0.0.1:22/");
  address.url.target = "/next";
  CHECK_FALSE(fetcher.fetch(address).page);
}

TEST_CASE("what a rule forbids is not reached by a detour") {
  MadeUpWeb web;
  web.pages["https://h.org/"] = redirect("/secret/x");
  web.pages["https://h.org/secret/x"] = text("secret");
  web.pages["https://o.org/"] = text("o");
  Fetcher fetcher(web.transport());
  CHECK(fetcher.fetch(wish("https://h.org/")).page);  // and it is in the cache now
  PageRequest forbidden = wish("https://h.org/");
  forbidden.reach.forbidden = [](const Url& url) {
    return url.target.starts_with("/secret") || url.host == "93.184.216.34";
  };
  CHECK_FALSE(fetcher.fetch(forbidden).page);
  forbidden.url = wish("https://o.org/").url;
  CHECK(fetcher.fetch(forbidden).trouble.find("a rule forbids") != std::string::npos);
}

TEST_CASE("reading on costs no request, and failures are not kept") {
  MadeUpWeb web;
  web.pages["https://h.org/"] = text("x");
  Fetcher fetcher(web.transport());
  fetcher.fetch(wish("https://h.org/"));
  fetcher.fetch(wish("https://h.org/"));
  CHECK(web.asked.size() == 1);
  PageRequest raw = wish("https://h.org/");
  raw.raw = true;
  fetcher.fetch(raw);
  CHECK(web.asked.size() == 2);
  CHECK(fetcher.fetch(wish("https://h.org/gone")).page->failed());
  fetcher.fetch(wish("https://h.org/gone"));
  CHECK(web.asked.size() == 4);
}
