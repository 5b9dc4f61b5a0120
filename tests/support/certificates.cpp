#include "tests/support/certificates.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "core/text/base.h"

namespace skein::test {

namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Certificate = std::shared_ptr<X509>;

Key make_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

void extend(X509* certificate, int kind, const std::string& value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), X509_EXTENSION_free);
  X509_add_ext(certificate, extension.get(), -1);
}

Certificate make_certificate(const CertificateWish& wish, bool authority, EVP_PKEY* key,
                             X509* issuer, EVP_PKEY* issuer_key) {
  static long serial = 0;
  Certificate certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), wish.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), wish.valid_to);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(wish.host.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), issuer ? X509_get_subject_name(issuer) : subject);
  if (authority)
    extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  else
    extend(certificate.get(), NID_subject_alt_name, "DNS:" + wish.host);
  if (X509_sign(certificate.get(), issuer_key, EVP_sha256()) == 0)
    throw Error("the test certificate cannot be signed");
  return certificate;
}

}  // namespace

Authority::Authority() : key_(make_key()) {
  auto* key = static_cast<EVP_PKEY*>(key_.get());
  certificate_ =
      make_certificate({.host = "authority " + to_string(random_id())}, true, key, nullptr, key);
}

void Authority::write_certificate(const std::filesystem::path& file) const {
  const std::unique_ptr<FILE, decltype(&fclose)> out(fopen(file.c_str(), "we"), fclose);
  if (!out || PEM_write_X509(out.get(), static_cast<X509*>(certificate_.get())) == 0)
    throw Error("the test certificate cannot be written");
}

TlsContext Authority::server(const CertificateWish& wish) const {
  const Key key = make_key();
  const Certificate certificate =
      wish.self_signed
          ? make_certificate(wish, false, key.get(), nullptr, key.get())
          : make_certificate(wish, false, key.get(), static_cast<X509*>(certificate_.get()),
                             static_cast<EVP_PKEY*>(key_.get()));
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_use_certificate(context.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  if (wish.old_protocol) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
    SSL_CTX_set_security_level(context.get(), 0);
  }
  return context;
}

}  // namespace skein::test
