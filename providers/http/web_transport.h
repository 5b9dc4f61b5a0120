// Pages of the web, over the network's module.
#pragma once

#include "core/web/fetcher.h"

namespace skein::http {

// Without cookies, without a referer, without anyone's password; by the proxies that models are
// asked by.
web::WebAnswer ask_web(const web::Ask& ask);

}  // namespace skein::http
