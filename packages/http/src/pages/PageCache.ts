// Cache of published pages with their prepared responses and forms. An entry is valid as long as its version is current, so a
// cached page needs no query and an outdated one is never served.
import { formParser, type Form } from "@tentpole/core/forms/Form"
import { type Refused, refusedFormParser } from "@tentpole/core/forms/RefusedForm"
import type { TentId } from "@tentpole/core/kernel/Ids"
import { Parsers } from "@tentpole/core/ports/Parsers"
import { Settings } from "@tentpole/core/kernel/Settings"
import { type PageAddress, pageUrl, readPath, slugOfHost } from "@tentpole/core/tents/pages/PageAddress"
import { headParser } from "@tentpole/core/tents/pages/PageHead"
import { type PageSite, type PublishedPage, PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import { Deferred, Effect, Scope } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { type PageAnswers, pageAnswers, siteHeaders } from "./PageAnswers.ts"
import { siteMap } from "./SiteMap.ts"

export interface CachedPage {
  readonly tentId: TentId
  /** Its canonical address. */
  readonly address: PageAddress
  readonly answers: PageAnswers
  readonly forms: Effect.Effect<ReadonlyMap<string, Form>>
  /** The page with a refused form. Null: the form can't be shown again. */
  readonly refused: (refused: Omit<Refused, "html">) => Effect.Effect<string | null>
}

const pages_bytes_max = 64 * 2 ** 20
const sites_max = 10_000
/** Hosts without a site, and addresses without a page. They have their own caches, so that scans can't evict sites and pages. */
const missing_max = 10_000

/** Smaller pages are not compressed. */
export const compressed_bytes_min = 1_024

/** A compromise between size and time. */
const brotli_quality = 5

export const pageCache = Effect.fnUntraced(function* () {
  const source = yield* PublishedPages
  const settings = yield* Settings
  const parsers = yield* Parsers
  const sites = new WeightedLru<KnownSite>(sites_max)
  const missingSites = new WeightedLru<null>(missing_max)
  const pages = new WeightedLru<CachedPage>(pages_bytes_max)
  const missing = new WeightedLru<null>(missing_max)
  const maps = new WeightedLru<PageAnswers>(pages_bytes_max)
  const sharing = yield* shared<CachedPage | null>()

  const readSite = (host: string, mark: string) =>
    Effect.map(source.site({ host, slug: slugOfHost(host, settings.pagesHost) }), (site) => {
      if (site === null) {
        missingSites.set(host, null, { version: mark })
        return null
      }
      const known = { site, look: digest(JSON.stringify(site)) }
      sites.set(host, known, { version: mark })
      return known
    })

  const siteOf = (host: string) =>
    Effect.flatMap(source.version(null), (mark) => {
      const known = sites.get(host, mark) ?? missingSites.get(host, mark)
      return known === undefined ? readSite(host, mark) : Effect.succeed(known)
    })

  const readPage = Effect.fnUntraced(function* (key: string, mark: string, of: PageSite, address: PageAddress) {
    const found = yield* source.getPage(of.workspaceId, address)
    if (found === null) {
      missing.set(key, null, { version: mark })
      return null
    }
    const page = yield* prepared(parsers, found, of, pageUrl(settings, of, found.address))
    pages.set(key, page, { version: mark, weight: page.answers.bytes + entry_bytes })
    return page
  })

  /** The page at a path. The site's appearance is part of the page and of its version. */
  const pageOf = ({ site, look }: KnownSite, path: string) =>
    Effect.flatMap(source.version(site.workspaceId), (pagesMark) => {
      const [key, mark] = [`${site.workspaceId}${path}`, `${pagesMark} ${look}`]
      const known = pages.get(key, mark) ?? missing.get(key, mark)
      if (known !== undefined) return Effect.succeed(known)
      const address = readPath(path)
      // Invalid addresses are not cached.
      if (address === null) return Effect.succeed(null)
      return sharing(`${key} ${mark}`, readPage(key, mark, site, address))
    })

  return {
    site: (host: string) => Effect.map(siteOf(host), (known) => known?.site ?? null),

    /** The page at a path of a host with its site, or null. */
    find: (host: string, path: string): Effect.Effect<FoundPage | null> =>
      Effect.flatMap(siteOf(host), (known) =>
        known === null
          ? Effect.succeed(null)
          : Effect.map(pageOf(known, path), (page) => (page === null ? null : { site: known.site, page })),
      ),

    map: Effect.fnUntraced(function* (host: string, of: PageSite) {
      const mark = yield* source.version(of.workspaceId)
      const known = maps.get(host, mark)
      if (known !== undefined) return known
      const xml = siteMap(yield* source.list(of.workspaceId), (address) => pageUrl(settings, of, address))
      const answers = pageAnswers(siteHeaders(of), "application/xml; charset=utf-8", yield* representationsOf(xml))
      maps.set(host, answers, { version: mark, weight: answers.bytes })
      return answers
    }),
  }
})

interface KnownSite {
  readonly site: PageSite
  /** Digest of the site's appearance on its pages. */
  readonly look: string
}

export interface FoundPage {
  readonly site: PageSite
  readonly page: CachedPage
}

const digest = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32)

export type PageCache = Effect.Success<ReturnType<typeof pageCache>>

/** Memory of an entry in addition to its responses. */
const entry_bytes = 2_048

const prepared = Effect.fnUntraced(function* (parsers: Parsers, found: PublishedPage, site: PageSite, url: string) {
  const { tentId, address, html } = found
  const headed = parsers.run(headParser, { html, url, owner: site }, site.workspaceId)
  // A page without the additional tags is better than no page.
  const served = yield* Effect.catchTag(headed, "TooComplex", () => Effect.succeed(html))
  let declared: ReadonlyMap<string, Form> | null = null
  return {
    tentId,
    address,
    answers: pageAnswers(siteHeaders(site), "text/html; charset=utf-8", yield* representationsOf(served)),
    refused: (refused) =>
      parsers
        .run(refusedFormParser, { html, ...refused }, site.workspaceId)
        .pipe(Effect.catchTag("TooComplex", () => Effect.succeed(null))),
    // Parsed on the first submission.
    forms: Effect.suspend(() =>
      declared !== null
        ? Effect.succeed(declared)
        : Effect.orDie(parsers.run(formParser, { tentId, html }, site.workspaceId)).pipe(
            Effect.tap((read) => Effect.sync(() => (declared = read))),
          ),
    ),
  } satisfies CachedPage
})

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

/** The encodings of a text and its etag. */
export const representationsOf = (text: string) =>
  Effect.promise(async () => {
    const plain = Buffer.from(text, "utf8")
    const etag = digest(plain)
    if (plain.length < compressed_bytes_min) return { etag, plain, gzip: null, br: null }
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: brotli_quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    }
    const [gz, br] = await Promise.all([gzipped(plain), brotlied(plain, { params })])
    return { etag, plain, gzip: gz, br }
  })

/** Deduplicates concurrent work with the same key: many visitors of an uncached page read it once. */
const shared = Effect.fnUntraced(function* <A>() {
  const scope = yield* Scope.Scope
  const underWay = new Map<string, Deferred.Deferred<A>>()
  return (key: string, work: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      const begun = underWay.get(key)
      if (begun !== undefined) return Deferred.await(begun)
      const deferred = Deferred.makeUnsafe<A>()
      underWay.set(key, deferred)
      const done = work.pipe(
        Effect.onExit((exit) => {
          underWay.delete(key)
          return Deferred.done(deferred, exit)
        }),
        Effect.exit,
      )
      // In the listener's scope, because the first caller may disconnect.
      return Effect.andThen(Effect.forkIn(done, scope), Deferred.await(deferred))
    })
})
