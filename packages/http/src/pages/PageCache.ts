// Published pages in memory, as they are answered: with their heads, their compressed forms and their forms to be sent. An
// entry stands as long as its mark does, so that a warm page costs no query and a changed one is never served.
import { readForms, type Form } from "@tentpole/core/forms/Form"
import type { TentId } from "@tentpole/core/kernel/Ids"
import { Settings } from "@tentpole/core/kernel/Settings"
import { type PageAddress, pageUrl, readPath, slugOfHost } from "@tentpole/core/tents/pages/PageAddress"
import { withHead } from "@tentpole/core/tents/pages/PageHead"
import { type PageSite, type PublishedPage, PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import { Deferred, Effect, Scope } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { type PageAnswers, pageAnswers } from "./PageAnswers.ts"
import { siteMap } from "./SiteMap.ts"

export interface CachedPage {
  readonly tentId: TentId
  /** Where it is known by. */
  readonly address: PageAddress
  readonly answers: PageAnswers
  readonly forms: ReadonlyMap<string, Form>
}

export interface CacheOptions {
  readonly pages_bytes_max: number
  readonly sites_max: number
  /** Addresses that are known to have no page: whoever tries many must not drive out those that have. */
  readonly missing_max: number
}

export const cacheDefaults: CacheOptions = { pages_bytes_max: 64 * 2 ** 20, sites_max: 10_000, missing_max: 10_000 }

/** Compressing less than this is not worth the header. */
export const compressed_bytes_min = 1_024

/** Above what Node uses for each request anyway, and far below what a visitor would wait. */
const brotli_quality = 5

export const pageCache = Effect.fnUntraced(function* (options: CacheOptions = cacheDefaults) {
  const source = yield* PublishedPages
  const settings = yield* Settings
  const sites = new WeightedLru<KnownSite | null>(options.sites_max)
  const pages = new WeightedLru<CachedPage>(options.pages_bytes_max)
  const missing = new WeightedLru<null>(options.missing_max)
  const maps = new WeightedLru<PageAnswers>(options.pages_bytes_max)
  const sharing = yield* shared<CachedPage | null>()

  const readSite = (host: string, mark: string) =>
    Effect.map(source.site({ host, slug: slugOfHost(host, settings.pagesHost) }), (site) => {
      const known = site === null ? null : { site, look: digest(JSON.stringify(site)) }
      sites.set(host, known, { version: mark })
      return known
    })

  /** Whose pages a host shows; null for nobody's. */
  const siteOf = (host: string) =>
    Effect.flatMap(source.mark(null), (mark) => {
      const known = sites.get(host, mark)
      return known === undefined ? readSite(host, mark) : Effect.succeed(known)
    })

  const readPage = Effect.fnUntraced(function* (key: string, mark: string, of: PageSite, address: PageAddress) {
    const found = yield* source.page(of.workspaceId, address)
    if (found === null) {
      missing.set(key, null, { version: mark })
      return null
    }
    const page = yield* prepared(found, of, pageUrl(settings, of, found.address))
    pages.set(key, page, { version: mark, weight: page.answers.bytes + entry_bytes })
    return page
  })

  /** What a page says of its owner goes with it: another look, another page. */
  const pageOf = ({ site, look }: KnownSite, path: string) =>
    Effect.flatMap(source.mark(site.workspaceId), (pagesMark) => {
      const [key, mark] = [`${site.workspaceId}${path}`, `${pagesMark} ${look}`]
      const known = pages.get(key, mark) ?? missing.get(key, mark)
      if (known !== undefined) return Effect.succeed(known)
      const address = readPath(path)
      // What can be no page's address is not worth remembering.
      if (address === null) return Effect.succeed(null)
      return sharing(`${key} ${mark}`, readPage(key, mark, site, address))
    })

  return {
    site: (host: string) => Effect.map(siteOf(host), (known) => known?.site ?? null),

    /** The page at a path of a host, and whose it is; null where nothing is published. */
    find: (host: string, path: string): Effect.Effect<FoundPage | null> =>
      Effect.flatMap(siteOf(host), (known) =>
        known === null
          ? Effect.succeed(null)
          : Effect.map(pageOf(known, path), (page) => (page === null ? null : { site: known.site, page })),
      ),

    /** The map of a host that shows somebody's pages. */
    map: Effect.fnUntraced(function* (host: string, of: PageSite) {
      const mark = yield* source.mark(of.workspaceId)
      const known = maps.get(host, mark)
      if (known !== undefined) return known
      const xml = siteMap(yield* source.list(of.workspaceId), (address) => pageUrl(settings, of, address))
      const answers = pageAnswers(of, "application/xml; charset=utf-8", yield* formsOf(xml))
      maps.set(host, answers, { version: mark, weight: answers.bytes })
      return answers
    }),
  }
})

interface KnownSite {
  readonly site: PageSite
  /** Names what its pages say of it. */
  readonly look: string
}

export interface FoundPage {
  readonly site: PageSite
  readonly page: CachedPage
}

const digest = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32)

export type PageCache = Effect.Success<ReturnType<typeof pageCache>>

/** What an entry costs beside its bytes. */
const entry_bytes = 2_048

const prepared = (found: PublishedPage, site: PageSite, url: string): Effect.Effect<CachedPage> =>
  Effect.map(formsOf(withHead(found.html, url, site)), (forms) => {
    let declared: ReadonlyMap<string, Form> | null = null
    return {
      tentId: found.tentId,
      address: found.address,
      answers: pageAnswers(site, "text/html; charset=utf-8", forms),
      // Read when the first visitor sends one: most pages are only looked at.
      get forms() {
        return (declared ??= readForms(found.tentId, found.html))
      },
    }
  })

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

/** The bytes of a text and their compressed forms, null where they aren't worth it, under the name of the bytes. */
const formsOf = (text: string) =>
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

/** Work that is under way is waited for by whoever wants the same: a thousand visitors of a cold page read it once. */
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
      // In the listener's scope: the first who asked may go away.
      return Effect.andThen(Effect.forkIn(done, scope), Deferred.await(deferred))
    })
})
