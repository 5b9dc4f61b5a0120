// Rules about web addresses.
#include <doctest/doctest.h>

#include "core/text/json.h"
#include "tests/support/rule_texts.h"

using namespace skein;
using namespace skein::permission;
using Verdict = Decision::Verdict;

namespace {

model::ToolUse fetch(std::string_view url) {
  return {"1", "web_fetch", dump({{"url", std::string(url)}})};
}

Rules with(std::string_view allow, std::string_view deny = "", Mode mode = Mode::normal) {
  return {mode, test::parse_rules(allow), test::parse_rules(deny), true};
}

Decision decision(const Rules& rules, std::string_view url) {
  return decide(rules, tools::tool_table(), fetch(url));
}
Verdict verdict(const Rules& rules, std::string_view url) { return decision(rules, url).verdict; }

bool allowed(std::string_view rule, std::string_view url) {
  return verdict(with(rule), url) == Verdict::allow;
}
bool denied(std::string_view rule, std::string_view url) {
  return verdict(with("web_fetch", rule), url) == Verdict::deny;
}

std::string kept(const char* text) { return to_string(test::parse_rules(text).at(0)); }

}  // namespace

TEST_CASE("a host is allowed on its usual ports, and nothing beside it") {
  const char* rule = "web_fetch(docs.python.org)";
  CHECK(allowed(rule, "https://docs.python.org/3/"));
  CHECK(allowed(rule, "http://DOCS.python.org."));
  for (const char* url :
       {"https://python.org/", "https://x.docs.python.org/", "https://docs.python.org.evil.org/",
        "https://evil.org/docs.python.org", "https://evildocs.python.org/"}) {
    CAPTURE(url);
    CHECK(verdict(with(rule), url) == Verdict::ask);
  }
  CHECK(verdict(with(rule), "https://docs.python.org:8080/") == Verdict::deny);
  CHECK(allowed("web_fetch(docs.python.org:8080)", "https://docs.python.org:8080/"));
  CHECK_FALSE(allowed("web_fetch(docs.python.org:8080)", "https://docs.python.org/"));
  CHECK(allowed("WebFetch(domain:docs.python.org)", "https://docs.python.org/"));
  CHECK(allowed("web_fetch", "https://any.org/"));
  CHECK(verdict(with("web_fetch"), "https://any.org:8080/") == Verdict::deny);
}

TEST_CASE("a star in front is every host below, and a path is that path") {
  CHECK(allowed("web_fetch(*.rust-lang.org)", "https://doc.rust-lang.org/std/"));
  CHECK(allowed("web_fetch(*.rust-lang.org)", "https://a.b.rust-lang.org/"));
  CHECK_FALSE(allowed("web_fetch(*.rust-lang.org)", "https://rust-lang.org/"));
  CHECK_FALSE(allowed("web_fetch(*.rust-lang.org)", "https://evilrust-lang.org/"));
  const char* rule = "web_fetch(https://h.org/docs/*)";
  CHECK(allowed(rule, "https://h.org/docs/a?b=c"));
  CHECK(allowed(rule, "http://h.org/docs/a"));
  for (const char* url : {"https://h.org/", "https://h.org/docs", "https://h.org/docs/../admin",
                          "https://h.org/docs/%2e%2e/admin", "https://h.org/docs/..%2fadmin",
                          "https://h.org/docs/..%5Cadmin", "https://h.org/docs/%252e%252e/x",
                          "https://o.org/docs/a"}) {
    CAPTURE(url);
    CHECK_FALSE(allowed(rule, url));
  }
}

TEST_CASE("private hosts are closed in every mode, until a rule names them") {
  for (const char* url :
       {"http://127.0.0.1/", "http://127.0.0.1:3000/", "http://[::1]/", "http://localhost/",
        "http://x.local/", "http://metadata.google.internal/", "http://10.0.0.1/",
        "http://169.254.169.254/", "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
        "http://2130706433/", "http://0x7f.1/", "http://0177.1/"}) {
    CAPTURE(url);
    for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::plan, Mode::bypass}) {
      Rules rules = with("web_fetch", "", mode);
      rules.typed = [](const std::string&) { return true; };
      CHECK(verdict(rules, url) == Verdict::deny);
    }
  }
  CHECK(decision({}, "http://127.0.0.1:3000/").reason.find("web_fetch(127.0.0.1:3000)") !=
        std::string::npos);
  CHECK_FALSE(allowed("web_fetch(*.local)", "http://x.local/"));
  CHECK(allowed("web_fetch(x.local)", "http://x.local/"));
  CHECK(allowed("web_fetch(127.0.0.1)", "http://127.0.0.1/"));
  CHECK(allowed("web_fetch(127.0.0.1)", "http://127.0.0.1:3000/x"));
  CHECK_FALSE(allowed("web_fetch(127.0.0.1:3000)", "http://127.0.0.1:3001/x"));
  CHECK_FALSE(allowed("web_fetch(127.0.0.1)", "http://127.0.0.2/"));
  CHECK_FALSE(allowed("web_fetch(127.0.0.1)", "http://localhost/"));
  CHECK(allowed("web_fetch(::1)", "http://[::1]:99/"));
  CHECK(allowed("web_fetch([::1]:99)", "http://[::1]:99/"));
  CHECK(allowed("web_fetch(localhost:3000)", "http://localhost:3000/"));
  CHECK_FALSE(allowed("web_fetch(localhost)", "http://localhost:3000/"));
  CHECK(allowed("web_fetch(http://127.0.0.1:8/docs/*)", "http://127.0.0.1:8/docs/x"));
  CHECK_FALSE(allowed("web_fetch(http://127.0.0.1:8/docs/*)", "http://127.0.0.1:8/x"));
}

TEST_CASE("what denies is read widely, and beats all") {
  for (const char* url : {"https://h.org/", "http://h.org:80/x", "https://www.h.org/"})
    CHECK(denied("web_fetch(h.org)", url));
  CHECK(denied("web_fetch(*.h.org)", "https://h.org/"));
  CHECK(denied("web_fetch(https://h.org/secret/*)", "http://h.org/secret/a"));
  CHECK(denied("web_fetch(https://h.org/secret/*)", "https://h.org/SECRET/a"));
  CHECK(denied("web_fetch(https://h.org/secret/*)", "https://h.org/%73ecret/a"));
  CHECK(denied("web_fetch(https://h.org/secret/*)", "https://h.org/secret"));
  CHECK(denied("web_fetch(https://h.org/secret/*)", "https://h.org/open/..%2fsecret/a"));
  CHECK(denied("web_fetch(https://h.org/secret/*)", "https://h.org//secret//a?b"));
  CHECK_FALSE(denied("web_fetch(https://h.org/secret/*)", "https://h.org/open"));
  CHECK_FALSE(denied("web_fetch(h.org)", "https://other.org/"));
  CHECK(verdict(with("web_fetch(h.org)", "web_fetch", Mode::bypass), "https://h.org/") ==
        Verdict::deny);
  Rules typed = with("", "web_fetch(h.org)");
  typed.typed = [](const std::string&) { return true; };
  CHECK(verdict(typed, "https://h.org/") == Verdict::deny);
  CHECK(verdict(typed, "https://o.org/") == Verdict::allow);
}

TEST_CASE("plan mode fetches by rule only, acceptEdits asks, bypass does not") {
  Rules plan = with("web_fetch(h.org)", "", Mode::plan);
  plan.typed = [](const std::string&) { return true; };
  CHECK(verdict(plan, "https://h.org/") == Verdict::allow);
  CHECK(verdict(plan, "https://o.org/") == Verdict::deny);
  CHECK(verdict(with("", "", Mode::accept_edits), "https://h.org/") == Verdict::ask);
  CHECK(verdict(with("", "", Mode::bypass), "https://h.org/") == Verdict::allow);
  CHECK(verdict({}, "https://h.org/") == Verdict::ask);
}

TEST_CASE("what the user typed is fetched unasked, on the port they named") {
  Rules rules = with("");
  rules.typed = [](const std::string& url) { return url == "https://h.org:8080/x"; };
  CHECK(verdict(rules, "https://h.org:8080/x") == Verdict::allow);
  CHECK(verdict(rules, "https://h.org:8080/y") == Verdict::deny);
  CHECK(verdict(rules, "https://h.org/x") == Verdict::ask);
}

TEST_CASE("always means the host") {
  const auto offered = remember({}, tools::tool_table(), fetch("https://h.org/a?b"));
  REQUIRE(offered.size() == 1);
  CHECK(to_string(offered[0]) == "web_fetch(h.org)");
  CHECK(
      remember(with("", "web_fetch(h.org)"), tools::tool_table(), fetch("https://h.org/")).empty());
}

TEST_CASE("a rule that cannot be understood is an error") {
  for (const char* text :
       {"web_fetch(*)", "web_fetch(h.*)", "web_fetch(h*.org)", "web_fetch(h.org/path)",
        "web_fetch(ftp://h.org)", "web_fetch(https://)", "web_fetch(2130706433)",
        "web_fetch(0x7f.1)", "web_fetch(*.127.0.0.1)", "web_fetch(h.org:x)", "web_fetch(a b)",
        "web_fetch(user@h.org)", "web_fetch(https://h.org/#x)", "web_fetch()"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(test::parse_rules(text), Error);
  }
  CHECK(kept("web_fetch(Docs.Python.org)") == "web_fetch(docs.python.org)");
  CHECK(kept("web_fetch(https://h.org/*)") == "web_fetch(https://h.org)");
  CHECK(kept("web_fetch(https://h.org:8443/a/../b/*)") == "web_fetch(https://h.org:8443/b/*)");
  CHECK(kept("web_fetch(::1)") == "web_fetch([::1])");
  CHECK(kept("web_fetch(*.h.org:8080)") == "web_fetch(*.h.org:8080)");
  for (const char* text : {"web_fetch(https://h.org)", "web_fetch(http://127.0.0.1:80/x/*)",
                           "web_fetch(127.0.0.1:443)", "web_fetch([::1]:99)"}) {
    CAPTURE(text);
    CHECK(kept(kept(text).c_str()) == kept(text));
  }
}

TEST_CASE("what a call leads to is judged by the same rules") {
  const Rules rules = with("web_fetch(10.0.0.5:80),web_fetch", "web_fetch(bad.org)");
  const auto standing = url_standing(rules, tools::tool_table(), fetch("https://h.org/"));
  REQUIRE(standing);
  CHECK(standing("https://bad.org/x").forbidden);
  CHECK(standing("http://10.0.0.5/").named);
  CHECK_FALSE(standing("http://10.0.0.5:81/").named);
  CHECK_FALSE(standing("https://h.org/").named);
  CHECK(standing("no url").forbidden);
  CHECK_FALSE(url_standing(rules, tools::tool_table(), {"1", "read", "{}"}));
}
