// The addresses of published pages: the host of a workspace, and the path on it.
import { TentId } from "../../kernel/Ids.ts"
import { Option, Schema } from "effect"
import { type Alias, isAlias, root } from "../Alias.ts"

export interface Site {
  readonly slug: string
  /** The workspace's custom host; null: `<slug>.<pagesHost>`. */
  readonly ownHost: string | null
}

/** The page that a path names on the pages' origin. */
export type PageAddress = { readonly by: "alias"; readonly alias: Alias } | { readonly by: "id"; readonly id: TentId }

export const addressPath = (address: PageAddress): string => {
  if (address.by === "id") return `/t/${address.id}`
  return address.alias === root ? "/" : `/${address.alias}`
}

const tentId = Schema.decodeUnknownOption(TentId)

/** Null when no page can be published at the path. */
export const readPath = (path: string): PageAddress | null => {
  if (path === "/") return { by: "alias", alias: root }
  const [, first, second, ...more] = path.split("/")
  if (first === undefined || more.length > 0) return null
  if (second !== undefined) {
    const id = first === "t" ? Option.getOrNull(tentId(second)) : null
    return id === null || id !== second ? null : { by: "id", id }
  }
  return isAlias(first) ? { by: "alias", alias: first } : null
}

/** The host in lower case, without port and final dot; null for a malformed host. */
export const readHost = (header: string): string | null => {
  const host = header
    .toLowerCase()
    .replace(/:\d{1,5}$/, "")
    .replace(/\.$/, "")
  return /^[a-z0-9.-]{1,253}$/.test(host) ? host : null
}

/** The slug in `<slug>.<pagesHost>`; null for every other host. */
export const slugOfHost = (host: string, pagesHost: string): string | null => {
  const end = `.${pagesHost.toLowerCase()}`
  if (!host.endsWith(end)) return null
  const slug = host.slice(0, -end.length)
  return slug === "" || slug.includes(".") ? null : slug
}

/** The public address. Scheme and port are those of the pages' origin. */
export const pageUrl = (
  settings: { readonly publicPagesUrl: string; readonly pagesHost: string },
  site: Site,
  address: PageAddress,
): string => `${originOf(settings, site.ownHost ?? `${site.slug}.${settings.pagesHost}`)}${addressPath(address)}`

/** What the address of a tent's page is made of. */
export interface Addressed {
  readonly id: TentId
  readonly alias: Alias | null
}

/** The public address of a tent's page. */
export const tentUrl =
  (settings: Parameters<typeof pageUrl>[0], site: Site) =>
  ({ alias, id }: Addressed): string =>
    pageUrl(settings, site, alias === null ? { by: "id", id } : { by: "alias", alias })

/** The origin of a host of pages. Scheme and port are those of the pages' origin. */
export const originOf = ({ publicPagesUrl }: { readonly publicPagesUrl: string }, host: string): string => {
  const [, scheme = "https", port = ""] = /^(https?):\/\/(?:\[[^\]]*\]|[^/:]*)(:\d+)?/.exec(publicPagesUrl) ?? []
  return `${scheme}://${host}${port}`
}
