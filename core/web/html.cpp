#include "core/web/html.h"

#include "core/text/std.h"

#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::web {

namespace {

constexpr std::string_view blanks = " \t\r\n\f";
constexpr std::size_t most_attributes = 64;

bool holds_no_tags(std::string_view name) {
  return has_word("script style title textarea xmp iframe noembed noframes", name);
}

// Where "</name" is; the end of the text: nowhere.
std::size_t closing_tag(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find("</"); at != std::string_view::npos; at = text.find("</", at + 2))
    if (lower(text.substr(at + 2, name.size())) == name) return at;
  return text.size();
}

struct Entity {
  std::string_view name;
  std::uint16_t point;
};
// Those of HTML 4, and a few that pages use for punctuation. Sorted.
constexpr Entity entities[] = {
    {"AElig", 198},   {"Aacute", 193},   {"Acirc", 194},   {"Agrave", 192},  {"Alpha", 913},
    {"Aring", 197},   {"Atilde", 195},   {"Auml", 196},    {"Beta", 914},    {"Ccedil", 199},
    {"Chi", 935},     {"Dagger", 8225},  {"Delta", 916},   {"ETH", 208},     {"Eacute", 201},
    {"Ecirc", 202},   {"Egrave", 200},   {"Epsilon", 917}, {"Eta", 919},     {"Euml", 203},
    {"Gamma", 915},   {"Iacute", 205},   {"Icirc", 206},   {"Igrave", 204},  {"Iota", 921},
    {"Iuml", 207},    {"Kappa", 922},    {"Lambda", 923},  {"Mu", 924},      {"NewLine", 10},
    {"Ntilde", 209},  {"Nu", 925},       {"OElig", 338},   {"Oacute", 211},  {"Ocirc", 212},
    {"Ograve", 210},  {"Omega", 937},    {"Omicron", 927}, {"Oslash", 216},  {"Otilde", 213},
    {"Ouml", 214},    {"Phi", 934},      {"Pi", 928},      {"Prime", 8243},  {"Psi", 936},
    {"Rho", 929},     {"Scaron", 352},   {"Sigma", 931},   {"THORN", 222},   {"Tab", 9},
    {"Tau", 932},     {"Theta", 920},    {"Uacute", 218},  {"Ucirc", 219},   {"Ugrave", 217},
    {"Upsilon", 933}, {"Uuml", 220},     {"Xi", 926},      {"Yacute", 221},  {"Yuml", 376},
    {"Zeta", 918},    {"aacute", 225},   {"acirc", 226},   {"acute", 180},   {"aelig", 230},
    {"agrave", 224},  {"alefsym", 8501}, {"alpha", 945},   {"amp", 38},      {"and", 8743},
    {"ang", 8736},    {"apos", 39},      {"aring", 229},   {"ast", 42},      {"asymp", 8776},
    {"atilde", 227},  {"auml", 228},     {"bdquo", 8222},  {"beta", 946},    {"brvbar", 166},
    {"bsol", 92},     {"bull", 8226},    {"cap", 8745},    {"ccedil", 231},  {"cedil", 184},
    {"cent", 162},    {"check", 10003},  {"chi", 967},     {"circ", 710},    {"clubs", 9827},
    {"colon", 58},    {"comma", 44},     {"commat", 64},   {"cong", 8773},   {"copy", 169},
    {"crarr", 8629},  {"cross", 10007},  {"cup", 8746},    {"curren", 164},  {"dArr", 8659},
    {"dagger", 8224}, {"darr", 8595},    {"dash", 8208},   {"deg", 176},     {"delta", 948},
    {"diams", 9830},  {"divide", 247},   {"dollar", 36},   {"eacute", 233},  {"ecirc", 234},
    {"egrave", 232},  {"empty", 8709},   {"emsp", 8195},   {"ensp", 8194},   {"epsilon", 949},
    {"equals", 61},   {"equiv", 8801},   {"eta", 951},     {"eth", 240},     {"euml", 235},
    {"euro", 8364},   {"excl", 33},      {"exist", 8707},  {"fnof", 402},    {"forall", 8704},
    {"frac12", 189},  {"frac14", 188},   {"frac34", 190},  {"frasl", 8260},  {"gamma", 947},
    {"ge", 8805},     {"grave", 96},     {"gt", 62},       {"hArr", 8660},   {"harr", 8596},
    {"hearts", 9829}, {"hellip", 8230},  {"hyphen", 8208}, {"iacute", 237},  {"icirc", 238},
    {"iexcl", 161},   {"igrave", 236},   {"image", 8465},  {"infin", 8734},  {"int", 8747},
    {"iota", 953},    {"iquest", 191},   {"isin", 8712},   {"iuml", 239},    {"kappa", 954},
    {"lArr", 8656},   {"lambda", 955},   {"lang", 9001},   {"laquo", 171},   {"larr", 8592},
    {"lbrace", 123},  {"lbrack", 91},    {"lceil", 8968},  {"lcub", 123},    {"ldquo", 8220},
    {"le", 8804},     {"lfloor", 8970},  {"lowast", 8727}, {"lowbar", 95},   {"loz", 9674},
    {"lpar", 40},     {"lrm", 8206},     {"lsaquo", 8249}, {"lsqb", 91},     {"lsquo", 8216},
    {"lt", 60},       {"macr", 175},     {"mdash", 8212},  {"micro", 181},   {"middot", 183},
    {"minus", 8722},  {"mu", 956},       {"nabla", 8711},  {"nbsp", 160},    {"ndash", 8211},
    {"ne", 8800},     {"ni", 8715},      {"not", 172},     {"notin", 8713},  {"nsub", 8836},
    {"ntilde", 241},  {"nu", 957},       {"num", 35},      {"oacute", 243},  {"ocirc", 244},
    {"oelig", 339},   {"ograve", 242},   {"oline", 8254},  {"omega", 969},   {"omicron", 959},
    {"oplus", 8853},  {"or", 8744},      {"ordf", 170},    {"ordm", 186},    {"oslash", 248},
    {"otilde", 245},  {"otimes", 8855},  {"ouml", 246},    {"para", 182},    {"part", 8706},
    {"percnt", 37},   {"period", 46},    {"permil", 8240}, {"perp", 8869},   {"phi", 966},
    {"phone", 9742},  {"pi", 960},       {"piv", 982},     {"plus", 43},     {"plusmn", 177},
    {"pound", 163},   {"prime", 8242},   {"prod", 8719},   {"prop", 8733},   {"psi", 968},
    {"quest", 63},    {"quot", 34},      {"rArr", 8658},   {"radic", 8730},  {"rang", 9002},
    {"raquo", 187},   {"rarr", 8594},    {"rbrace", 125},  {"rbrack", 93},   {"rceil", 8969},
    {"rcub", 125},    {"rdquo", 8221},   {"real", 8476},   {"reg", 174},     {"rfloor", 8971},
    {"rho", 961},     {"rlm", 8207},     {"rpar", 41},     {"rsaquo", 8250}, {"rsqb", 93},
    {"rsquo", 8217},  {"sbquo", 8218},   {"scaron", 353},  {"sdot", 8901},   {"sect", 167},
    {"semi", 59},     {"shy", 173},      {"sigma", 963},   {"sigmaf", 962},  {"sim", 8764},
    {"sol", 47},      {"spades", 9824},  {"star", 9734},   {"starf", 9733},  {"sub", 8834},
    {"sube", 8838},   {"sum", 8721},     {"sup", 8835},    {"sup1", 185},    {"sup2", 178},
    {"sup3", 179},    {"supe", 8839},    {"szlig", 223},   {"tau", 964},     {"there4", 8756},
    {"theta", 952},   {"thetasym", 977}, {"thinsp", 8201}, {"thorn", 254},   {"tilde", 732},
    {"times", 215},   {"trade", 8482},   {"uArr", 8657},   {"uacute", 250},  {"uarr", 8593},
    {"ucirc", 251},   {"ugrave", 249},   {"uml", 168},     {"upsih", 978},   {"upsilon", 965},
    {"uuml", 252},    {"verbar", 124},   {"vert", 124},    {"weierp", 8472}, {"xi", 958},
    {"yacute", 253},  {"yen", 165},      {"yuml", 255},    {"zeta", 950},    {"zwj", 8205},
    {"zwnj", 8204},
};
static_assert(std::ranges::is_sorted(entities, {}, &Entity::name));

// What old pages mean by &#128; to &#159;: Windows-1252, as every browser reads it.
constexpr std::uint16_t windows[] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

// The character of "#233" or "#xE9"; 0: it is none.
char32_t numbered(std::string_view digits) {
  const bool hex = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
  digits.remove_prefix(hex ? 2 : 1);
  std::uint32_t point = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, failed] = std::from_chars(digits.data(), end, point, hex ? 16 : 10);
  if (digits.empty() || rest != end || failed == std::errc::invalid_argument) return 0;
  if (point >= 0x80 && point < 0x80 + std::size(windows)) return windows[point - 0x80];
  if (failed != std::errc{} || point == 0 || point > 0x10FFFF || is_surrogate(point)) return 0xFFFD;
  return point;
}

char32_t named(std::string_view name) {
  const auto* found = std::ranges::lower_bound(entities, name, {}, &Entity::name);
  return found != std::end(entities) && found->name == name ? found->point : 0;
}

struct ElementRow {
  std::string_view name;
  Element element;
};
// Sorted by name.
constexpr auto rows = [] {
  using enum Element;
  return std::to_array<ElementRow>({
      {"a", link},           {"address", block},  {"article", article}, {"aside", furniture},
      {"audio", dropped},    {"b", strong},       {"base", base},       {"blockquote", quote},
      {"br", line_break},    {"button", dropped}, {"canvas", dropped},  {"caption", block},
      {"center", block},     {"code", code},      {"dd", definition},   {"details", block},
      {"dialog", dropped},   {"div", block},      {"dl", block},        {"dt", term},
      {"em", emphasis},      {"embed", dropped},  {"fieldset", block},  {"figcaption", block},
      {"figure", block},     {"footer", frame},   {"form", furniture},  {"h1", heading},
      {"h2", heading},       {"h3", heading},     {"h4", heading},      {"h5", heading},
      {"h6", heading},       {"header", frame},   {"hgroup", block},    {"hr", rule},
      {"i", emphasis},       {"iframe", dropped}, {"img", image},       {"input", dropped},
      {"kbd", code},         {"li", item},        {"main", main},       {"menu", list},
      {"meta", meta},        {"nav", furniture},  {"noembed", dropped}, {"noframes", dropped},
      {"noscript", dropped}, {"object", dropped}, {"ol", ordered_list}, {"p", paragraph},
      {"pre", preformatted}, {"samp", code},      {"script", dropped},  {"section", block},
      {"select", dropped},   {"strong", strong},  {"style", dropped},   {"summary", block},
      {"svg", dropped},      {"table", table},    {"td", table_cell},   {"template", dropped},
      {"textarea", dropped}, {"th", table_cell},  {"time", time},       {"title", title},
      {"tr", table_row},     {"tt", code},        {"ul", list},         {"video", dropped},
      {"xmp", preformatted},
  });
}();
static_assert(std::ranges::is_sorted(rows, {}, &ElementRow::name));

}  // namespace

std::string_view HtmlToken::attribute(std::string_view wanted) const {
  for (const auto& [each, value] : attributes)
    if (each == wanted) return value;
  return {};
}

bool HtmlToken::has(std::string_view wanted) const {
  return std::ranges::any_of(attributes, [&](const auto& each) { return each.first == wanted; });
}

bool HtmlTokens::take_text(HtmlToken& token, std::size_t length) {
  token.kind = HtmlToken::Kind::text;
  token.text = without_entities(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return true;
}

void HtmlTokens::skip(std::string_view what) {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(what), rest_.size()));
}

// Comments, <!doctype …>, <?xml …?>, </3>: nothing of these is said to anyone.
bool HtmlTokens::skip_markup() {
  const auto skip_behind = [&](std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
    return true;
  };
  if (rest_.starts_with("<!-->") || rest_.starts_with("<!--->")) return skip_behind(">");
  if (rest_.starts_with("<!--")) return skip_behind("-->");
  if (rest_.starts_with("<![CDATA[")) return skip_behind("]]>");
  const bool other = rest_.starts_with("<!") || rest_.starts_with("<?") ||
                     (rest_.starts_with("</") && rest_.size() > 2 && !is_letter(rest_[2]));
  return other && skip_behind(">");
}

void HtmlTokens::take_attribute(HtmlToken& token) {
  const std::size_t name_end =
      std::min(rest_.find_first_of(" \t\r\n\f/>=", 1), rest_.size());  // a first `=` is a name
  std::string name = lower(rest_.substr(0, name_end));
  rest_.remove_prefix(name_end);
  skip(blanks);
  std::string_view value;
  if (rest_.starts_with('=')) {
    rest_.remove_prefix(1);
    skip(blanks);
    const bool quoted = rest_.starts_with('"') || rest_.starts_with('\'');
    const std::size_t from = quoted ? 1 : 0;
    const std::size_t end = std::min(
        quoted ? rest_.find(rest_[0], 1) : rest_.find_first_of(" \t\r\n\f>"), rest_.size());
    value = rest_.substr(from, end - from);
    rest_.remove_prefix(std::min(end + from, rest_.size()));
  }
  if (token.attributes.size() < most_attributes)
    token.attributes.emplace_back(std::move(name), without_entities(value));
}

void HtmlTokens::take_tag(HtmlToken& token) {
  const bool end = rest_[1] == '/';
  rest_.remove_prefix(end ? 2 : 1);
  const std::size_t name_end = std::min(rest_.find_first_of(" \t\r\n\f/>"), rest_.size());
  token.kind = end ? HtmlToken::Kind::end : HtmlToken::Kind::start;
  token.name = lower(rest_.substr(0, name_end));
  rest_.remove_prefix(name_end);
  for (;;) {
    skip(" \t\r\n\f/");
    if (rest_.empty() || rest_.starts_with('>')) break;
    take_attribute(token);
  }
  if (!rest_.empty()) rest_.remove_prefix(1);
  if (!end && holds_no_tags(token.name)) raw_ = token.name;
}

bool HtmlTokens::next(HtmlToken& token) {
  token.attributes.clear();
  token.name.clear();
  token.text.clear();
  if (!raw_.empty()) {
    const std::size_t length = closing_tag(rest_, std::exchange(raw_, {}));
    if (length > 0) return take_text(token, length);
  }
  while (!rest_.empty()) {
    const std::size_t open = rest_.find('<');
    if (open != 0) return take_text(token, std::min(open, rest_.size()));
    if (skip_markup()) continue;
    const bool tag =
        rest_.size() > 1 && (is_letter(rest_[1]) || (rest_[1] == '/' && rest_.size() > 2));
    if (!tag) return take_text(token, 1);
    take_tag(token);
    return true;
  }
  return false;
}

std::string without_entities(std::string_view text) {
  constexpr std::size_t longest = 12;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, longest).find(';');
    const std::string_view name =
        end == std::string_view::npos ? std::string_view{} : text.substr(1, end - 1);
    const char32_t point = name.empty() ? 0 : name[0] == '#' ? numbered(name) : named(name);
    if (point != 0) append_utf8(out, point);
    if (point == 0) out += '&';
    text.remove_prefix(point != 0 ? end + 1 : 1);
  }
  return out;
}

Element element_named(std::string_view name) {
  const auto found = std::ranges::lower_bound(rows, name, {}, &ElementRow::name);
  return found != std::end(rows) && found->name == name ? found->element : Element::other;
}

bool is_void(std::string_view name) {
  return has_word("area base br col embed hr img input link meta param source track wbr", name);
}

bool is_block(Element element) {
  using enum Element;
  constexpr Element inlines[] = {other, code, strong, emphasis, link,    image,
                                 title, meta, base,   time,     dropped, line_break};
  return std::ranges::find(inlines, element) == std::end(inlines);
}

bool hides_itself(const HtmlToken& tag) {
  if (tag.has("hidden") || lower(tag.attribute("aria-hidden")) == "true") return true;
  std::string style;
  for (const char c : lower(tag.attribute("style")))
    if (!is_blank(c)) style += c;
  return style.find("display:none") != std::string::npos ||
         style.find("visibility:hidden") != std::string::npos;
}

std::string code_language(const HtmlToken& tag) {
  for (const std::string_view word : split(tag.attribute("class"), ' '))
    for (const std::string_view start : {"language-", "lang-", "highlight-source-"})
      if (word.starts_with(start) && word.size() < 40) {
        const std::string_view name = word.substr(start.size());
        if (name.find_first_of("`\n") == std::string_view::npos) return std::string(name);
      }
  return {};
}

}  // namespace skein::web
