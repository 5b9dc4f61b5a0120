#include "core/web/url.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::web;

namespace {

// As it is sent; or the complaint, in brackets.
std::string read(const std::string& text) {
  const auto parsed = parse_url(text);
  if (const auto* url = std::get_if<Url>(&parsed)) return to_string(*url);
  return "[" + std::get<std::string>(parsed) + "]";
}

Url url_of(const std::string& text) { return std::get<Url>(parse_url(text)); }

}  // namespace

TEST_CASE("a URL has one spelling") {
  CHECK(read("HTTPS://Docs.Python.ORG") == "https://docs.python.org/");
  CHECK(read("https://h.org:443/a#part") == "https://h.org/a");
  CHECK(read("http://h.org:8080?q=1") == "http://h.org:8080/?q=1");
  CHECK(read("https://h.org./a") == "https://h.org/a");
  CHECK(read("https://h.org/a/../b/./c") == "https://h.org/b/c");
  CHECK(read("https://h.org/a/%2e%2E/b/..") == "https://h.org/");
  CHECK(read("https://h.org/../../x") == "https://h.org/x");
  CHECK(read("https://h.org/é\"<") == "https://h.org/%C3%A9%22%3C");
  CHECK(read("https://[0:0::1]/") == "https://[::1]/");
}

TEST_CASE("what could be read in two ways is no URL") {
  for (const char* text : {"",
                           "h.org",
                           "ftp://h.org",
                           "file:///etc/passwd",
                           "javascript:x",
                           "http:/h.org",
                           "https://",
                           "https:///x",
                           "https://user@h.org",
                           "https://h.org@evil.org",
                           "https://h.org\\@evil.org",
                           "https://h.org:0/",
                           "https://h.org:99999/",
                           "https://h.org:x/",
                           "https://h..org/",
                           "https://-h.org",
                           "https://h_%41.org",
                           "https://h.org\n.evil",
                           "https://a b",
                           "https://müller.de/",
                           "https://[::1",
                           "https://[::1%25lo]/",
                           "https://[127.0.0.1]/",
                           "http://2130706433/",
                           "http://0x7f.1/",
                           "http://0x7f000001/",
                           "http://0177.0.0.1/",
                           "http://127.1/",
                           "http://127.0.0.1.1/",
                           "http://1.2.3.256/",
                           "http://017700000001/",
                           "http://example.0x10/"}) {
    CAPTURE(text);
    CHECK(read(text).starts_with("["));
  }
}

TEST_CASE("no private address passes for a public one, however it is wrapped") {
  for (const char* address : {"127.0.0.1",
                              "127.255.255.254",
                              "0.0.0.0",
                              "0.1.2.3",
                              "10.0.0.1",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.168.1.1",
                              "100.64.0.1",
                              "100.127.255.255",
                              "169.254.169.254",
                              "224.0.0.1",
                              "239.1.1.1",
                              "255.255.255.255",
                              "240.0.0.1",
                              "192.0.0.8",
                              "198.18.0.1",
                              "::",
                              "::1",
                              "fe80::1",
                              "febf::1",
                              "fc00::1",
                              "fdff::1",
                              "ff02::1",
                              "fec0::1",
                              "::ffff:127.0.0.1",
                              "::ffff:7f00:1",
                              "::ffff:10.0.0.1",
                              "::127.0.0.1",
                              "::ffff:0:127.0.0.1",
                              "64:ff9b::127.0.0.1",
                              "64:ff9b::a00:1",
                              "64:ff9b:1::1",
                              "2002:7f00:1::",
                              "2002:a00:1::1",
                              "2001::1",
                              "2001:db8::1",
                              "100::1",
                              "",
                              "x"}) {
    CAPTURE(address);
    CHECK_FALSE(special_kind(address).empty());
  }
  for (const char* address :
       {"8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "11.0.0.1",
        "192.167.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2a00:1450::1"}) {
    CAPTURE(address);
    CHECK(special_kind(address).empty());
  }
}

TEST_CASE("names that mean this machine or its network are known") {
  for (const char* url :
       {"http://localhost/", "http://LOCALHOST./", "http://x.localhost/", "http://printer.local/",
        "http://metadata.google.internal/", "http://127.0.0.1/", "http://[::ffff:127.0.0.1]/",
        "http://[::1]/", "http://[64:ff9b::7f00:1]/", "http://169.254.169.254/latest/"}) {
    CAPTURE(url);
    CHECK_FALSE(private_host(url_of(url)).empty());
  }
  for (const char* url : {"http://local.example.org/", "http://notlocalhost/", "http://8.8.8.8/",
                          "http://internal.org/"}) {
    CAPTURE(url);
    CHECK(private_host(url_of(url)).empty());
  }
}

TEST_CASE("http becomes https, but not near by and not for a port of one's choice") {
  CHECK(to_string(upgraded(url_of("http://h.org/a"))) == "https://h.org/a");
  CHECK(to_string(upgraded(url_of("http://h.org:8080/a"))) == "http://h.org:8080/a");
  CHECK(to_string(upgraded(url_of("http://127.0.0.1/a"))) == "http://127.0.0.1/a");
  CHECK(to_string(upgraded(url_of("http://localhost/a"))) == "http://localhost/a");
}

TEST_CASE("links lead where a browser would go") {
  const Url base = url_of("https://h.org/a/b?q=1");
  CHECK(resolved(base, "c") == "https://h.org/a/c");
  CHECK(resolved(base, "../c#d") == "https://h.org/c#d");
  CHECK(resolved(base, "/c d") == "https://h.org/c%20d");
  CHECK(resolved(base, "?x") == "https://h.org/a/b?x");
  CHECK(resolved(base, "//o.org/x") == "https://o.org/x");
  CHECK(resolved(base, "http://o.org") == "http://o.org/");
  for (const char* nowhere : {"#top", "", "javascript:alert(1)", "mailto:a@b.c", "data:text/html,x",
                              "file:///etc/passwd", "ftp://h.org/"})
    CHECK(resolved(base, nowhere).empty());
}

TEST_CASE("a URL that could carry data out is warned of") {
  CHECK(leak_warning(url_of("https://h.org/a/some-long-title-of-an-article?page=2")).empty());
  CHECK_FALSE(leak_warning(url_of("https://h.org/?d=" + std::string(65, 'A'))).empty());
  CHECK(leak_warning(url_of("https://h.org/?d=" + std::string(60, 'A'))).empty());
  CHECK_FALSE(leak_warning(url_of("https://h.org/" + std::string(70, 'f'))).empty());
  std::string words = "https://h.org/";
  while (words.size() <= 300) words += "word/";
  CHECK(leak_warning(url_of(words)).find("characters long") != std::string::npos);
}

TEST_CASE("what the user typed is found in what they wrote, as it would be asked for") {
  TypedUrls typed;
  typed.note("see http://h.org/a, (https://o.org/x). and HTTPS://P.org/y?z=1! not h.org/b");
  CHECK(typed.has("https://h.org/a"));
  CHECK(typed.has("https://o.org/x"));
  CHECK(typed.has("https://p.org/y?z=1"));
  CHECK_FALSE(typed.has("https://h.org/b"));
  CHECK_FALSE(typed.has("https://h.org/"));
}
