// Published pages in memory, with their compressed forms. An entry stands as long as its mark does, so that a warm page
// costs no query and a changed one is never served.
import type { WorkspaceId, TentId } from "@tentpole/core/Ids"
import { addressPath, type PageAddress, slugOfHost } from "@tentpole/core/tents/PageAddress"
import { type PageSite, type PublishedPage, PublishedPages } from "@tentpole/core/tents/PublishedPages"
import { Effect } from "effect"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

export interface CachedPage {
  readonly tentId: TentId
  readonly etag: string
  readonly plain: Uint8Array
  /** Null: too small to be worth it. */
  readonly gzip: Uint8Array | null
  readonly br: Uint8Array | null
}

export interface CacheOptions {
  readonly pages_bytes_max: number
  readonly sites_max: number
}

export const cacheDefaults: CacheOptions = { pages_bytes_max: 64 * 2 ** 20, sites_max: 10_000 }

/** Compressing less than this is not worth the header. */
export const compressed_bytes_min = 1_024

/** Above what Node uses for each request anyway, and far below what a visitor would wait. */
const brotli_quality = 5

export const pageCache = Effect.fnUntraced(function* (pagesHost: string, options: CacheOptions = cacheDefaults) {
  const source = yield* PublishedPages
  const sites = new Bounded<PageSite | null>(options.sites_max)
  const pages = new Bounded<CachedPage | null>(options.pages_bytes_max)

  return {
    /** Whose pages a host shows; null for nobody's. */
    site: Effect.fnUntraced(function* (host: string) {
      const mark = yield* source.mark(null)
      const known = sites.get(host, mark)
      if (known !== undefined) return known
      const found = yield* source.site({ host, slug: slugOfHost(host, pagesHost) })
      sites.set(host, mark, found, 1)
      return found
    }),

    /** The page at an address; null where nothing is published. */
    page: Effect.fnUntraced(function* (workspace: WorkspaceId, address: PageAddress) {
      const key = `${workspace}${addressPath(address)}`
      const mark = yield* source.mark(workspace)
      const known = pages.get(key, mark)
      if (known !== undefined) return known
      const found = yield* source.page(workspace, address)
      const page = found === null ? null : yield* compressed(found)
      pages.set(key, mark, page, sizeOf(page))
      return page
    }),
  }
})

export type PageCache = Effect.Success<ReturnType<typeof pageCache>>

/** What a missing page costs to remember. */
const nothing_bytes = 256

const sizeOf = (page: CachedPage | null): number =>
  nothing_bytes + (page === null ? 0 : page.plain.length + (page.gzip?.length ?? 0) + (page.br?.length ?? 0))

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

const compressed = (page: PublishedPage): Effect.Effect<CachedPage> =>
  Effect.promise(async () => {
    const plain = Buffer.from(page.html, "utf8")
    const { tentId, etag } = page
    if (plain.length < compressed_bytes_min) return { tentId, etag, plain, gzip: null, br: null }
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: brotli_quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    }
    const [gz, br] = await Promise.all([gzipped(plain), brotlied(plain, { params })])
    return { tentId, etag, plain, gzip: gz, br }
  })

interface Entry<Value> {
  readonly mark: string
  readonly value: Value
  readonly weight: number
}

/** The entries used last, up to a total weight. */
class Bounded<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #weight_max: number
  #weight = 0

  constructor(weight_max: number) {
    this.#weight_max = weight_max
  }

  get(key: string, mark: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.mark !== mark) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, mark: string, value: Value, weight: number): void {
    this.#drop(key)
    this.#entries.set(key, { mark, value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weight_max) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
