// Where published pages are: the host of a workspace, and the path on it.
import { TentId } from "../../kernel/Ids.ts"
import { Option, Schema } from "effect"
import { type Alias, isAlias, root } from "../Alias.ts"

/** Where a workspace's pages live. */
export interface Site {
  readonly slug: string
  /** A host of the workspace's own; null: `<slug>.<pagesHost>`. */
  readonly ownHost: string | null
}

/** What a path names on the pages' origin. */
export type PageAddress = { readonly by: "alias"; readonly alias: Alias } | { readonly by: "id"; readonly id: TentId }

export const addressPath = (address: PageAddress): string => {
  if (address.by === "id") return `/t/${address.id}`
  return address.alias === root ? "/" : `/${address.alias}`
}

const tentId = Schema.decodeUnknownOption(TentId)

/** Null when nothing can be published at the path. */
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

/** The host without port, lower case, without the final dot of a fully qualified name; null for what is no host. */
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

/** The public address: scheme and port are those of the pages' origin. */
export const pageUrl = (
  settings: { readonly publicPagesUrl: string; readonly pagesHost: string },
  site: Site,
  address: PageAddress,
): string => {
  return `${originOf(settings, site.ownHost ?? `${site.slug}.${settings.pagesHost}`)}${addressPath(address)}`
}

/** The origin of a host of pages: scheme and port are those of the pages' origin. */
export const originOf = ({ publicPagesUrl }: { readonly publicPagesUrl: string }, host: string): string => {
  const [, scheme = "https", port = ""] = /^(https?):\/\/(?:\[[^\]]*\]|[^/:]*)(:\d+)?/.exec(publicPagesUrl) ?? []
  return `${scheme}://${host}${port}`
}
