#include "core/export/secrets.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/json.h"

using namespace skein;
using namespace skein::exporters;

namespace {

// Made up, and put together only here: nothing in this file looks like a key to a scanner.
std::string of(std::string_view alphabet, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += alphabet[(i * 7 + i / 5 + 3) % alphabet.size()];
  return out;
}
std::string mixed(std::size_t count) { return of("aB3dE5gH7jK9mN2pQrS4tUvW6xYz", count); }
std::string hex(std::size_t count) { return of("0123456789abcdef", count); }
std::string upper(std::size_t count) { return of("ABCDEFGHJK23456789", count); }
std::string lower_case(std::size_t count) { return of("abcdefghjk23456789", count); }
std::string digits(std::size_t count) { return of("1234567890", count); }

struct Sample {
  std::string kind, before, secret, after{};
};

std::string armoured(const std::string& word) {
  const std::string dashes(5, '-');
  return dashes + "BEGIN " + word + " KEY" + dashes + "\n" + mixed(64) + "\n" + mixed(20) + "==\n" +
         dashes + "END " + word + " KEY" + dashes;
}

std::vector<Sample> samples() {
  const std::string sk = "sk", eyj = "ey" + std::string("J");
  return {
      {"private key", "", armoured(std::string("RSA PRIV") + "ATE")},
      {"JSON web token", "", eyj + mixed(20) + "." + eyj + mixed(30) + "." + mixed(43)},
      {"password in a URL", "postgres://app:", mixed(12), "@db.example.com/x"},
      {"authorization header", "Authorization: Basic ", mixed(24)},
      {"bearer token", "with Bearer ", mixed(40)},
      {"password of curl", "curl -s -u admin:", mixed(10), " https://example.com"},
      {"password of netrc", "machine example.com login me password ", mixed(9)},
      {"Anthropic key", "", sk + "-ant-" + "api03-" + mixed(60)},
      {"OpenRouter key", "", sk + "-or-v1-" + hex(64)},
      {"Langfuse key", "",
       sk + "-lf-" + hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12)},
      {"OpenAI key", "", sk + "-proj-" + mixed(50)},
      {"OpenAI-like key", "", sk + "-" + mixed(48)},
      {"Groq key", "", std::string("gs") + "k_" + mixed(52)},
      {"xAI key", "", std::string("xa") + "i-" + mixed(80)},
      {"Perplexity key", "", std::string("ppl") + "x-" + mixed(48)},
      {"Cerebras key", "", std::string("cs") + "k-" + lower_case(48)},
      {"Fireworks key", "", std::string("f") + "w_" + mixed(24)},
      {"NVIDIA key", "", std::string("nva") + "pi-" + mixed(64)},
      {"Hugging Face token", "", std::string("h") + "f_" + mixed(34)},
      {"Replicate token", "", std::string("r") + "8_" + mixed(37)},
      {"Tavily key", "", std::string("tv") + "ly-" + mixed(32)},
      {"LangSmith key", "", std::string("ls") + "v2_pt_" + hex(32) + "_" + hex(10)},
      {"Pinecone key", "", std::string("pc") + "sk_" + mixed(60)},
      {"Voyage key", "", std::string("p") + "a-" + mixed(43)},
      {"E2B key", "", std::string("e2") + "b_" + hex(40)},
      {"AWS access key", "", std::string("AK") + "IA" + upper(16)},
      {"AWS secret key", "aws_secret_access_key = ", mixed(40)},
      {"Google key", "", std::string("AI") + "za" + mixed(35)},
      {"Google client secret", "", std::string("GOC") + "SPX-" + mixed(28)},
      {"Google access token", "", std::string("ya") + "29." + mixed(60)},
      {"Google refresh token", "", std::string("1/") + "/0" + mixed(40)},
      {"Azure storage key", "AccountName=x;AccountKey=", mixed(86) + "=="},
      {"Azure client secret", "", mixed(3) + "8Q~" + mixed(34)},
      {"Azure signature", "https://x.example.com/c?sv=1&sig=", mixed(44)},
      {"Alibaba key", "", std::string("LT") + "AI" + mixed(20)},
      {"Tencent key", "", std::string("AK") + "ID" + mixed(32)},
      {"DigitalOcean token", "", std::string("do") + "p_v1_" + hex(64)},
      {"Heroku key", "", std::string("HR") + "KU-" + mixed(60)},
      {"Netlify token", "", std::string("nf") + "p_" + mixed(36)},
      {"Fly token", "FlyV1 ", std::string("fm") + "2_" + mixed(90)},
      {"Supabase token", "", std::string("sb") + "p_" + hex(40)},
      {"PlanetScale token", "", std::string("psc") + "ale_tkn_" + mixed(43)},
      {"Databricks token", "", std::string("da") + "pi" + hex(32)},
      {"Cloudflare origin key", "", "v1.0-" + hex(24) + "-" + hex(146)},
      {"Tailscale key", "", std::string("ts") + "key-auth-" + mixed(30)},
      {"Terraform token", "", mixed(14) + ".atlas" + "v1." + mixed(67)},
      {"Vault token", "", std::string("hv") + "s." + mixed(90)},
      {"Pulumi token", "", std::string("pu") + "l-" + hex(40)},
      {"Doppler token", "", std::string("d") + "p.pt." + mixed(43)},
      {"1Password token", "", std::string("op") + "s_" + eyj + mixed(200)},
      {"age key", "", std::string("AGE-SEC") + "RET-KEY-1" + upper(58)},
      {"GitHub token", "", std::string("gh") + "p_" + mixed(36)},
      {"GitHub token", "", std::string("gh") + "o_" + mixed(36)},
      {"GitHub token", "", std::string("gh") + "s_" + mixed(36)},
      {"GitHub fine-grained token", "", std::string("github") + "_pat_" + mixed(82)},
      {"GitLab token", "", std::string("gl") + "pat-" + mixed(20)},
      {"Atlassian token", "", std::string("ATA") + "TT3" + mixed(186)},
      {"Bitbucket password", "", std::string("AT") + "BB" + mixed(32)},
      {"npm token", "", std::string("np") + "m_" + mixed(36)},
      {"PyPI token", "", std::string("py") + "pi-" + mixed(100)},
      {"RubyGems key", "", std::string("ruby") + "gems_" + hex(48)},
      {"crates.io token", "", std::string("ci") + "o" + mixed(32)},
      {"NuGet key", "", std::string("oy") + "2" + lower_case(43)},
      {"Docker token", "", std::string("dckr") + "_pat_" + mixed(27)},
      {"Artifactory key", "", std::string("AK") + "Cp" + mixed(69)},
      {"CircleCI token", "", std::string("CCI") + "PAT_" + mixed(22) + "_" + hex(40)},
      {"Buildkite token", "", std::string("bk") + "ua_" + hex(40)},
      {"Postman key", "", std::string("PM") + "AK-" + hex(24) + "-" + hex(34)},
      {"Prefect key", "", std::string("pn") + "u_" + mixed(36)},
      {"Figma token", "", std::string("fi") + "gd_" + mixed(40)},
      {"Linear key", "", std::string("lin") + "_api_" + mixed(40)},
      {"Notion token", "", std::string("nt") + "n_" + mixed(46)},
      {"Airtable token", "", std::string("pa") + "t" + mixed(14) + "." + hex(64)},
      {"Asana token", "", "2/" + digits(16) + "/" + digits(16) + ":" + hex(32)},
      {"Slack token", "",
       std::string("xo") + "xb-" + digits(12) + "-" + digits(12) + "-" + mixed(24)},
      {"Slack app token", "",
       std::string("xa") + "pp-1-" + upper(11) + "-" + digits(13) + "-" + hex(64)},
      {"Slack webhook", "https://hooks.slack.com/services/",
       "T" + upper(10) + "/B" + upper(10) + "/" + mixed(24)},
      {"Discord webhook", "https://discord.com/api/webhooks/" + digits(18) + "/", mixed(68)},
      {"Discord token", "", "M" + mixed(23) + "." + mixed(6) + "." + mixed(38)},
      {"Telegram token", "", digits(10) + ":A" + "A" + mixed(33)},
      {"Twilio key", "", std::string("S") + "K" + hex(32)},
      {"SendGrid key", "", std::string("S") + "G." + mixed(22) + "." + mixed(43)},
      {"Mailgun key", "", std::string("ke") + "y-" + lower_case(32)},
      {"Mailchimp key", "", hex(32) + "-us" + "14"},
      {"Brevo key", "", std::string("xkey") + "sib-" + hex(64) + "-" + mixed(16)},
      {"Resend key", "", std::string("r") + "e_" + mixed(8) + "_" + mixed(24)},
      {"Stripe key", "", sk + "_li" + "ve_" + mixed(24)},
      {"Stripe webhook secret", "", std::string("wh") + "sec_" + mixed(32)},
      {"Square token", "", std::string("sq0") + "atp-" + mixed(22)},
      {"Shopify token", "", std::string("shp") + "at_" + hex(32)},
      {"New Relic key", "", std::string("NR") + "AK-" + upper(27)},
      {"Grafana token", "", std::string("gl") + "sa_" + mixed(32) + "_" + hex(8)},
      {"Grafana Cloud key", "", std::string("gl") + "c_" + mixed(60)},
      {"Sentry token", "", std::string("sn") + "trys_" + mixed(80)},
      {"Dynatrace token", "", std::string("dt") + "0c01." + upper(24) + "." + upper(64)},
      {"PostHog key", "", std::string("ph") + "c_" + mixed(43)},
      {"value of a secret's name", "DB_PASSWORD=", mixed(18)},
      {"value of a secret's name", "api-key: \"", mixed(32), "\""},
      {"value of a secret's name", "{\\\"client_secret\\\": \\\"", mixed(32), "\\\"}"},
      {"value of a secret's name", "export MY_KEY=", mixed(32)},
  };
}

}  // namespace

TEST_CASE("every form of secret is masked, and called what it is") {
  std::set<std::string> seen;
  for (const Sample& sample : samples()) {
    CAPTURE(sample.kind);
    SecretMask mask;
    const std::string text = "see " + sample.before + sample.secret + sample.after + " there";
    CHECK(mask.text(text) == "see " + sample.before + "‹secret 1›" + sample.after + " there");
    REQUIRE(mask.found().size() == 1);
    CHECK(mask.found()[0].kind == sample.kind);
    CHECK(mask.found()[0].times == 1);
    CHECK(mask.found()[0].shown.find(sample.secret.substr(0, 6)) == std::string::npos);
    seen.insert(sample.kind);
  }
  CHECK(samples().size() >= 60);
  CHECK(secret_forms().size() >= 60);
  for (const SecretForm& form : secret_forms()) {
    CAPTURE(form.name);
    CHECK(seen.contains(std::string(form.name)));
  }
}

TEST_CASE("inside JSON a secret is masked as it reads, and the rest stays byte by byte") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.kind);
    SecretMask mask;
    const std::string inner = sample.before + sample.secret + sample.after;
    const JsonText json = "{\"a\" : 1.50,\"text\":" + json_string("\"\n" + inner + "\té") + "}";
    const auto masked = parse_json(mask.json(json));
    REQUIRE(masked);
    CHECK(string_at(*masked, "text") ==
          "\"\n" + sample.before + "‹secret 1›" + sample.after + "\té");
  }
  SecretMask mask;
  const JsonText untouched = R"({"a" : 1.50,"b":"\u0041\n","c":[true,null,"x\\"]})";
  CHECK(mask.json(untouched) == untouched);
  CHECK(mask.json(R"({"apiKey":")" + mixed(24) + R"(","n":1})") ==
        R"({"apiKey":"‹secret 1›","n":1})");
  // A value that is escaped although it need not be is the same value.
  REQUIRE(mixed(24)[0] == 'd');
  CHECK(mask.json(R"({"password":"\u0064)" + mixed(24).substr(1) + R"("})") ==
        R"({"password":"‹secret 1›"})");
}

TEST_CASE("what only looks long is no secret") {
  const std::string sha = sha256_hex("x");
  const std::string image = base64("\x89PNG\r\n" + std::string(3000, '\x5a') + sha + sha);
  const std::string innocent[] = {
      "commit " + sha.substr(0, 40),
      "123e4567-e89b-42d3-a456-426614174000",
      "token 123e4567-e89b-42d3-a456-426614174000",
      "session_token: 123e4567-e89b-42d3-a456-426614174000",
      "checksum = \"" + sha + "\"",
      "\"integrity\": \"sha512-" + base64(sha + sha) + "\"",
      "sha256:" + sha,
      "data:image/png;base64," + image,
      "api_key = os.environ.get_the_key_of_this",
      "password: ${DATABASE_PASSWORD_OF_APP}",
      "token = request.headers.authorization",
      "the key: understanding-what-others-wrote",
      "primary_key=customer_identifier_column",
      "key=main:cli:20261116-081500",
      "max_tokens = 4096",
      "https://example.com/a/b?c=d",
      "git@github.com:owner/repository.git",
      "http://localhost:8080/user:name",
      "sk-learn and ghp_short and AKIA",
      "/home/user/.ssh/id_ed25519.pub",
  };
  for (const std::string& text : innocent) {
    CAPTURE(text.substr(0, 80));
    SecretMask mask;
    CHECK(mask.text(text) == text);
    CHECK(mask.json(json_string(text)) == json_string(text));
    CHECK(mask.found().empty());
  }
}

TEST_CASE("a secret keeps its number, also where nothing says what it is") {
  SecretMask mask;
  const std::string one = std::string("gh") + "p_" + mixed(36), two = mixed(20) + "Q!";
  mask.enter("first");
  CHECK(mask.text("a " + one) == "a ‹secret 1›");
  mask.enter("second");
  CHECK(mask.text("password=" + two + " " + one) == "password=‹secret 2› ‹secret 1›");
  CHECK(mask.text("it printed " + two + "!") == "it printed ‹secret 2›!");
  REQUIRE(mask.found().size() == 2);
  CHECK(mask.found()[0].place == "first");
  CHECK(mask.found()[0].times == 2);
  CHECK(mask.found()[1].place == "second");
  CHECK(counts_by_kind(mask.found()) == "1 × GitHub token, 1 × value of a secret's name");
  CHECK(counts_by_kind({}).empty());
}

TEST_CASE("a private key that was cut is masked as far as it goes") {
  SecretMask mask;
  const std::string key = armoured(std::string("PRIV") + "ATE");
  CHECK(mask.text(key.substr(0, key.size() - 40) + "… cut") == "‹secret 1›… cut");
  // As a value in JSON, where its line ends are two characters.
  CHECK(mask.text("\"k\": \"" + key.substr(0, 27) + "\\n" + mixed(64) + "\"") ==
        "\"k\": \"‹secret 2›\"");
}

TEST_CASE("a megabyte of near misses takes no longer than a megabyte") {
  std::string text;
  while (text.size() < 1'000'000) text += "token=token=key=secret_";
  SecretMask mask;
  mask.text(text);
  std::string begins;
  while (begins.size() < 300'000) begins += "-----BEGIN PRIV" + std::string("ATE KEY-----\n");
  mask.text(begins);
  CHECK(mask.found().size() < 100'000);
}
