// Sitemap (sitemaps.org) and robots.txt (RFC 9309) of a host.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { PageAddress } from "@tentpole/core/tents/pages/PageAddress"
import type { ListedPage } from "@tentpole/core/tents/pages/PublishedPages"
import { DateTime } from "effect"

export const siteMap = (pages: ReadonlyArray<ListedPage>, urlOf: (address: PageAddress) => string): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...pages.map(
      ({ address, publishedAt }) =>
        `<url><loc>${escapeHtml(urlOf(address))}</loc><lastmod>${DateTime.formatIso(publishedAt)}</lastmod></url>`,
    ),
    "</urlset>",
    "",
  ].join("\n")

/** Allows everything except links that belong to one person. */
export const robotRules = (origin: string): string =>
  [
    "User-agent: *",
    ...["c", "f", "o", "u", "v"].map((word) => `Disallow: /${word}/`),
    "",
    `Sitemap: ${origin}/sitemap.xml`,
    "",
  ].join("\n")
