// The checks beneath a preview, from what is known of the rendered message. Pure.
import type { Tone } from "../parts/StatusBadge.tsx"

/** Gmail hides what follows. */
export const shown_bytes_max = 102 * 1_024

/** Above this share of the maximum the size is worth a warning. */
const near = 0.9

export interface Facts {
  readonly bytes: number
  readonly links: ReadonlyArray<{ readonly url: string; readonly text: string }>
  readonly pictures: { readonly all: number; readonly withoutAlt: number }
  readonly unresolved: ReadonlyArray<string>
  /** The author's own unsubscribe link. Null for pages, which need none. */
  readonly offersUnsubscribe: boolean | null
  /** Null: the kind has no sender. */
  readonly fromAddress: string | null
}

export type Check = { readonly tone: Tone } & (
  | { readonly name: "size"; readonly bytes: number }
  | { readonly name: "links"; readonly count: number; readonly empty: number }
  | { readonly name: "pictures"; readonly count: number; readonly withoutAlt: number }
  | { readonly name: "tokens"; readonly unresolved: ReadonlyArray<string> }
  | { readonly name: "unsubscribe"; readonly isOffered: boolean }
  | { readonly name: "sender"; readonly domain: string | null }
)

/** A link that leads nowhere: authors leave such ones while they write. */
const isEmpty = ({ url }: { readonly url: string }): boolean => /^(?:#|https?:\/\/)?$/i.test(url.trim())

export const checksOf = ({
  bytes,
  fromAddress,
  links,
  offersUnsubscribe,
  pictures,
  unresolved,
}: Facts): ReadonlyArray<Check> => {
  const empty = links.filter(isEmpty).length
  return [
    {
      name: "size",
      bytes,
      tone: bytes > shown_bytes_max ? "bad" : bytes > near * shown_bytes_max ? "warning" : "good",
    },
    { name: "links", count: links.length, empty, tone: empty > 0 ? "warning" : "good" },
    {
      name: "pictures",
      count: pictures.all,
      withoutAlt: pictures.withoutAlt,
      tone: pictures.withoutAlt > 0 ? "warning" : "good",
    },
    { name: "tokens", unresolved, tone: unresolved.length > 0 ? "warning" : "good" },
    ...(offersUnsubscribe === null
      ? []
      : [{ name: "unsubscribe", isOffered: offersUnsubscribe, tone: "good" } as const]),
    ...(fromAddress === null ? [] : [senderOf(fromAddress)]),
  ]
}

const senderOf = (address: string): Check => {
  const [, domain = ""] = address.trim().split("@")
  return { name: "sender", domain: domain === "" ? null : domain, tone: domain === "" ? "warning" : "quiet" }
}

/** Whether the author's HTML has an unsubscribe link. Otherwise one is added beneath the email. */
export const offersUnsubscribe = (html: string): boolean => /\{\{\s*unsubscribe_url\s*[|}]/.test(html)

/** Pictures in the source, and those without an alternative text. An empty one is right for decoration. */
export const picturesIn = (html: string): Facts["pictures"] => {
  const pictures = html.match(/<img\b[^<>]*>/gi) ?? []
  return { all: pictures.length, withoutAlt: pictures.filter((tag) => !/\salt(?=[\s=/>])/i.test(tag)).length }
}

/** Links in the source of a page or template. A browser's parser would apply its styles, which the page's policy forbids. */
export const linksIn = (html: string): Facts["links"] =>
  (html.match(/<a\s[^<>]*>/gi) ?? []).flatMap((tag) => {
    const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag)
    return found === null ? [] : [{ url: found[1] ?? found[2] ?? found[3] ?? "", text: "" }]
  })
