#include "core/export/secrets.h"

#include "core/text/json.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::exporters {

namespace {

constexpr SecretForm forms[] = {
    {"private key",
     R"re(-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s:,.\\()_-]*?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:(?:(?:\\[rn]|\s)*[A-Za-z0-9+/=]{16,})+(?:(?:\\[rn]|\s)[A-Za-z0-9+/=]+)?)?))re"},
    {"JSON web token", R"re(\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})re"},
    {"password in a URL",
     R"re(\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"'<>]{0,100}:([^\s/@"'<>]{3,200})@[A-Za-z0-9\[])re"},
    {"authorization header",
     R"re((?i:\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:basic|bearer|token|digest|apikey)\s+)([A-Za-z0-9._~+/=:-]{8,}))re"},
    {"bearer token", R"re((?i:\bbearer)\s+([A-Za-z0-9._~+/=-]*[0-9][A-Za-z0-9._~+/=-]{19,}))re"},
    {"password of curl",
     R"re(\bcurl\s[^\n]{0,200}?(?:-u|--user)[ =]["']?[^\s:"']{1,64}:([^\s"']{4,}))re"},
    {"password of netrc", R"re(\bmachine\s+\S{1,100}\s+login\s+\S{1,100}\s+password\s+(\S{4,}))re"},

    // Models and what is near them.
    {"Anthropic key", R"re(\bsk-ant-[A-Za-z0-9_-]{20,})re"},
    {"OpenRouter key", R"re(\bsk-or-(?:v1-)?[A-Za-z0-9]{32,})re"},
    {"Langfuse key", R"re(\b[sp]k-lf-[0-9a-f-]{36})re"},
    {"OpenAI key", R"re(\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,})re"},
    {"OpenAI-like key", R"re(\bsk-[A-Za-z0-9]{20,})re"},
    {"Groq key", R"re(\bgsk_[A-Za-z0-9]{40,})re"},
    {"xAI key", R"re(\bxai-[A-Za-z0-9]{40,})re"},
    {"Perplexity key", R"re(\bpplx-[A-Za-z0-9]{40,})re"},
    {"Cerebras key", R"re(\bcsk-[a-z0-9]{40,})re"},
    {"Fireworks key", R"re(\bfw_[A-Za-z0-9]{22,})re"},
    {"NVIDIA key", R"re(\bnvapi-[A-Za-z0-9_-]{40,})re"},
    {"Hugging Face token", R"re(\bhf_[A-Za-z0-9]{30,})re"},
    {"Replicate token", R"re(\br8_[A-Za-z0-9]{30,})re"},
    {"Tavily key", R"re(\btvly-[A-Za-z0-9-]{20,})re"},
    {"LangSmith key", R"re(\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10})re"},
    {"Pinecone key", R"re(\bpcsk_[A-Za-z0-9_]{40,})re"},
    {"Voyage key", R"re(\bpa-[A-Za-z0-9_-]{43}\b)re"},
    {"E2B key", R"re(\be2b_[0-9a-f]{40})re"},

    // Clouds.
    {"AWS access key", R"re(\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b)re"},
    {"AWS secret key",
     R"re((?i:\baws[a-z_ .-]{0,20}(?:secret|key)[a-z_ .-]{0,20}\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)([A-Za-z0-9/+=]{40})\b)re"},
    {"Google key", R"re(\bAIza[A-Za-z0-9_-]{35})re"},
    {"Google client secret", R"re(\bGOCSPX-[A-Za-z0-9_-]{28})re"},
    {"Google access token", R"re(\bya29\.[A-Za-z0-9_-]{20,})re"},
    {"Google refresh token", R"re(\b1//0[A-Za-z0-9_-]{30,})re"},
    {"Azure storage key", R"re(\bAccountKey=([A-Za-z0-9+/=]{80,}))re"},
    {"Azure client secret", R"re(\b[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{34})re"},
    {"Azure signature", R"re([?&]sig=([A-Za-z0-9%+/=_-]{40,}))re"},
    {"Alibaba key", R"re(\bLTAI[A-Za-z0-9]{16,24}\b)re"},
    {"Tencent key", R"re(\bAKID[A-Za-z0-9]{32}\b)re"},
    {"DigitalOcean token", R"re(\bdo[opr]_v1_[0-9a-f]{64})re"},
    {"Heroku key", R"re(\bHRKU-[A-Za-z0-9_-]{30,})re"},
    {"Netlify token", R"re(\bnfp_[A-Za-z0-9]{36,})re"},
    {"Fly token", R"re(\bfm[12][a-z]?_[A-Za-z0-9+/=,_-]{50,})re"},
    {"Supabase token", R"re(\bsb(?:p|_secret)_[A-Za-z0-9_]{30,})re"},
    {"PlanetScale token", R"re(\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9._-]{30,})re"},
    {"Databricks token", R"re(\bdapi[0-9a-f]{32})re"},
    {"Cloudflare origin key", R"re(\bv1\.0-[0-9a-f]{24}-[0-9a-f]{140,})re"},
    {"Tailscale key", R"re(\btskey-[a-z]{2,12}-[A-Za-z0-9-]{20,})re"},
    {"Terraform token", R"re(\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,})re"},
    {"Vault token", R"re(\bhv[sbr]\.[A-Za-z0-9_-]{24,})re"},
    {"Pulumi token", R"re(\bpul-[0-9a-f]{40})re"},
    {"Doppler token", R"re(\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,})re"},
    {"1Password token", R"re(\bops_eyJ[A-Za-z0-9+/=_-]{60,})re"},
    {"age key", R"re(\bAGE-SECRET-KEY-1[0-9A-Z]{58})re"},

    // Code and packages.
    {"GitHub token", R"re(\bgh[pousr]_[A-Za-z0-9]{36,})re"},
    {"GitHub fine-grained token", R"re(\bgithub_pat_[A-Za-z0-9_]{22,})re"},
    {"GitLab token", R"re(\bgl(?:pat|dt|rt|ptt|oas|cbt|soat|ft|imt|agent)-[A-Za-z0-9_.-]{20,})re"},
    {"Atlassian token", R"re(\bATATT3[A-Za-z0-9_=-]{50,})re"},
    {"Bitbucket password", R"re(\bATBB[A-Za-z0-9]{28,})re"},
    {"npm token", R"re(\bnpm_[A-Za-z0-9]{36})re"},
    {"PyPI token", R"re(\bpypi-[A-Za-z0-9_-]{32,})re"},
    {"RubyGems key", R"re(\brubygems_[0-9a-f]{48})re"},
    {"crates.io token", R"re(\bcio[A-Za-z0-9]{32}\b)re"},
    {"NuGet key", R"re(\boy2[a-z0-9]{43}\b)re"},
    {"Docker token", R"re(\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,})re"},
    {"Artifactory key", R"re(\bAKCp[A-Za-z0-9]{60,})re"},
    {"CircleCI token", R"re(\bCCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40})re"},
    {"Buildkite token", R"re(\bbkua_[0-9a-f]{40})re"},
    {"Postman key", R"re(\bPMAK-[0-9a-f]{24}-[0-9a-f]{34})re"},
    {"Prefect key", R"re(\bpn[ub]_[A-Za-z0-9]{36})re"},
    {"Figma token", R"re(\bfig[dorup]_[A-Za-z0-9_-]{36,})re"},
    {"Linear key", R"re(\blin_(?:api|oauth)_[A-Za-z0-9]{32,})re"},
    {"Notion token", R"re(\b(?:ntn|secret)_[A-Za-z0-9]{40,})re"},
    {"Airtable token", R"re(\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64})re"},
    {"Asana token", R"re(\b[0-9]/[0-9]{13,20}(?:/[0-9]{13,20})?:[0-9a-f]{32}\b)re"},

    // Messages, money, measurements.
    {"Slack token", R"re(\bxox[abeoprs]-[A-Za-z0-9-]{10,})re"},
    {"Slack app token", R"re(\bxapp-[0-9]-[A-Za-z0-9-]{20,})re"},
    {"Slack webhook",
     R"re(\bhooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9/]{16,}))re"},
    {"Discord webhook", R"re(\bdiscord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{60,}))re"},
    {"Discord token", R"re(\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})re"},
    {"Telegram token", R"re(\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33})re"},
    {"Twilio key", R"re(\bSK[0-9a-f]{32}\b)re"},
    {"SendGrid key", R"re(\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})re"},
    {"Mailgun key", R"re(\bkey-[0-9a-z]{32}\b)re"},
    {"Mailchimp key", R"re(\b[0-9a-f]{32}-us[0-9]{1,2}\b)re"},
    {"Brevo key", R"re(\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16})re"},
    {"Resend key", R"re(\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})re"},
    {"Stripe key", R"re(\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,})re"},
    {"Stripe webhook secret", R"re(\bwhsec_[A-Za-z0-9+/=]{24,})re"},
    {"Square token", R"re(\b(?:EAAA|sq0atp-|sq0csp-)[A-Za-z0-9_-]{22,})re"},
    {"Shopify token", R"re(\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})re"},
    {"New Relic key", R"re(\bNRAK-[A-Z0-9]{27})re"},
    {"Grafana token", R"re(\bglsa_[A-Za-z0-9]{32}_[0-9a-f]{8})re"},
    {"Grafana Cloud key", R"re(\bglc_[A-Za-z0-9+/=]{32,})re"},
    {"Sentry token", R"re(\bsntr[yu]s?_[A-Za-z0-9+/=_-]{40,})re"},
    {"Dynatrace token", R"re(\bdt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64})re"},
    {"PostHog key", R"re(\bph[cxs]_[A-Za-z0-9]{30,})re"},
};

// `name = value` of any program: the group is the value, which must look random besides.
constexpr std::string_view assignment_pattern =
    R"re((?i:[a-z0-9_.-]{0,40}(?:key|secret|token|passw(?:or)?d|passwd|pwd|credentials?)[a-z0-9_-]{0,20}\\{0,3}["'`]?\s{0,4}(?::=|=>|[:=])\s{0,4}\\{0,3}["'`]?)([^\s"'`,;<>(){}\[\]\\]{16,512}))re";

// Names of members of an object whose text is a secret if it looks random.
constexpr std::string_view telling_name_pattern =
    R"re((?i)(?:api|access|secret|private|auth|signing|encryption|account|master)[ _.-]?key|secret|token|passw(?:or)?d|passwd|pwd|credential)re";

// Shorter ones would be found in ordinary words.
constexpr std::size_t least_known = 10;
// No form has fewer, whatever is around it.
constexpr std::size_t least_secret = 12;
constexpr double least_entropy = 3.5;

// All forms at once find a place quickly; one by one they then say what is there.
struct Patterns {
  Regex all;
  std::vector<Regex> each;
  Regex assignment, telling_name;
};

const Patterns& patterns() {
  static const Patterns compiled = [] {
    std::vector<Regex> each;
    for (const SecretForm& form : forms) each.push_back(Regex::of_bytes(form.pattern));
    return Patterns{Regex::of_bytes(listed(forms, "|", &SecretForm::pattern)), std::move(each),
                    Regex::of_bytes(assignment_pattern), Regex::of_bytes(telling_name_pattern)};
  }();
  return compiled;
}

double entropy(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const std::size_t count : counts)
    if (count > 0) {
      const double part = static_cast<double>(count) / static_cast<double>(text.size());
      bits -= part * std::log2(part);
    }
  return bits;
}

// Neither a name, a path, an address nor a place for a value. `bare`: only "key" says that it is a
// secret, which is said of much else.
bool looks_random(std::string_view value, bool bare) {
  const auto any = [&](char from, char to) {
    return std::ranges::any_of(value, [&](char c) { return c >= from && c <= to; });
  };
  if (value.size() < 16 || is_uuid(value)) return false;
  if (std::string_view("$%/.~@*&|!").find(value.front()) != std::string_view::npos) return false;
  if (value.find("://") != std::string_view::npos || value.starts_with("\xE2\x80\xB9"))
    return false;
  for (const std::string_view hash : {"sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "md5:"})
    if (value.starts_with(hash)) return false;
  const bool word = std::ranges::all_of(value, [](char c) {
    return is_letter(c) || std::string_view("_.-:/").find(c) != std::string_view::npos;
  });
  if (word) return false;
  if (bare && !(any('0', '9') && any('A', 'Z') && any('a', 'z') && value.size() >= 20 &&
                value.find_first_of(":.") == std::string_view::npos))
    return false;
  return entropy(value) > least_entropy;
}

std::string shortened(std::string_view secret) {
  const std::size_t shown = std::min<std::size_t>(4, secret.size() / 5);
  return std::string(utf8_prefix(secret, shown)) + "… (" + counted(secret.size(), "character") +
         ")";
}

std::string unescaped(std::string_view quoted) {
  if (quoted.size() < 2) return {};
  if (quoted.find('\\') == std::string_view::npos)
    return std::string(quoted.substr(1, quoted.size() - 2));
  const std::optional<Json> value = parse_json("[" + std::string(quoted) + "]");
  return value && value->is_array() && value->size() == 1 && (*value)[0].is_string()
             ? (*value)[0].get<std::string>()
             : std::string(quoted.substr(1, quoted.size() - 2));
}

}  // namespace

std::span<const SecretForm> secret_forms() { return forms; }

std::string SecretMask::mark(std::string_view kind, std::string_view secret) {
  const auto [place, is_new] = numbers_.try_emplace(std::string(secret), found_.size() + 1);
  if (is_new) found_.push_back({place->second, std::string(kind), shortened(secret), place_, 0});
  ++found_[place->second - 1].times;
  return "‹secret " + std::to_string(place->second) + "›";
}

std::string SecretMask::formed(std::string_view text) {
  const Patterns& with = patterns();
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; const auto place = with.all.find(text, at);) {
    at = place->whole.begin + 1;
    for (std::size_t i = 0; i < with.each.size(); ++i) {
      const auto match = with.each[i].find(text, place->whole.begin, Regex::Place::exactly);
      if (!match) continue;
      const auto [begin, end] = match->group;
      out.append(text.substr(copied, begin - copied));
      out += mark(secret_forms()[i].name, text.substr(begin, end - begin));
      copied = end;
      at = std::max(end, at);
      break;
    }
  }
  return copied == 0 ? std::string(text) : out.append(text.substr(copied));
}

std::string SecretMask::assigned(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  const Regex& pattern = patterns().assignment;
  for (std::size_t at = 0; const auto place = pattern.find(text, at);) {
    const auto match = pattern.find(text, place->whole.begin, Regex::Place::exactly);
    if (!match) break;
    const auto [begin, end] = match->group;
    // From here on again, if it is none: its value may be another name.
    at = begin;
    const std::string_view name = text.substr(match->whole.begin, begin - match->whole.begin);
    const bool bare = !patterns().telling_name.find(name, 0).has_value();
    if (!looks_random(text.substr(begin, end - begin), bare)) continue;
    out.append(text.substr(copied, begin - copied));
    out += mark("value of a secret's name", text.substr(begin, end - begin));
    copied = at = end;
  }
  return copied == 0 ? std::string(text) : out.append(text.substr(copied));
}

std::string SecretMask::known(std::string text) const {
  for (const auto& [secret, number] : numbers_) {
    if (secret.size() < least_known) continue;
    const std::string instead = "‹secret " + std::to_string(number) + "›";
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;
         at += instead.size())
      text.replace(at, secret.size(), instead);
  }
  return text;
}

std::string SecretMask::text(std::string_view text) {
  if (text.size() < least_secret) return std::string(text);
  return known(assigned(formed(text)));
}

std::string SecretMask::masked_member(std::string_view name, std::string_view value) {
  std::string out = text(value);
  if (out == value && value.size() <= 512 && value.find(' ') == std::string_view::npos &&
      patterns().telling_name.find(name, 0) && looks_random(value, false))
    return mark("value of a secret's name", value);
  return out;
}

JsonText SecretMask::json(std::string_view json) {
  JsonText out;
  out.reserve(json.size());
  std::string name;  // of the member whose value comes
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '"') {
      const std::size_t next = std::min(json.find('"', at), json.size());
      const std::string_view between = json.substr(at, next - at);
      // A list's elements are called what the list is called.
      if (between.find_first_of("{},") != std::string_view::npos &&
          between.find('[') == std::string_view::npos && between != ",")
        name.clear();
      out += between;
      at = next;
      continue;
    }
    const std::size_t end = std::min(closing_quote(json, at), json.size() - 1) + 1;
    const std::string_view quoted = json.substr(at, end - at);
    const std::string value = unescaped(quoted);
    const std::size_t after = json.find_first_not_of(" \t\r\n", end);
    const bool is_name = after != std::string_view::npos && json[after] == ':';
    const std::string masked = is_name ? text(value) : masked_member(name, value);
    if (is_name) name = value;
    if (masked == value)
      out += quoted;
    else
      append_quoted(out, masked);
    at = end;
  }
  return out;
}

std::string counts_by_kind(const std::vector<FoundSecret>& found) {
  std::map<std::string, std::size_t> counts;
  for (const FoundSecret& each : found) ++counts[each.kind];
  return listed(counts, ", ",
                [](const auto& each) { return std::to_string(each.second) + " × " + each.first; });
}

std::string masked_report(const std::vector<FoundSecret>& found) {
  if (found.empty()) return "no secret was found";
  return "masked " + counted(found.size(), "secret") + ": " + counts_by_kind(found);
}

}  // namespace skein::exporters
