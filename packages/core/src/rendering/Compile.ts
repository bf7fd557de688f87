// Compilation of an approved email: everything encoded that does not depend on the recipient, with slots for the rest.
import { encodeText } from "../kernel/Bytes.ts"
import type { ApprovalId } from "../kernel/Ids.ts"
import { commonSettings } from "../kernel/Settings.ts"
import { type Parser, ParserLimitExceeded } from "../ports/Parsers.ts"
import type { ApprovedEmail, Addresses, LinkKind, Sender } from "./message/Message.ts"
import { footer_class } from "./EmailLayout.ts"
import { escapeHtml, isProgram, isWebUrl, trimUrl, urlPart } from "./Escapes.ts"
import { mailbox, wireAddress } from "./message/Headers.ts"
import { preferences_end } from "./message/Message.ts"
import { type AttributeRegion, decodeReferences, type Region, scan } from "./Markup.ts"
import { encodeQuotedPrintable, soft_break } from "./message/QuotedPrintable.ts"
import {
  applied,
  type Edit,
  joined,
  type MergeTemplate,
  type Place,
  type Slot,
  toMergeTemplate,
} from "./MergeTemplate.ts"
import { findTokens, type MergeToken, ownAddresses } from "./MergeTokens.ts"

export interface CompileOptions {
  /** Operational email: no unsubscribe footer, no unsubscribe headers. */
  readonly operational: boolean
  /** Whether links are redirected and an open pixel is added: both, neither, or one of them. */
  readonly tracked: boolean | { readonly opens: boolean; readonly clicks: boolean }
  /** Only the text is sent, without HTML. */
  readonly plain?: boolean
  /** The beginnings of its messages' addresses, from `Links`. */
  readonly addresses: Addresses
  /** The maximum size of a rendered message. */
  readonly message_bytes_max?: number
}

export interface CompiledEmail {
  readonly approvalId: ApprovalId
  readonly sender: Sender
  readonly operational: boolean
  readonly message_bytes_max: number
  readonly subject: MergeTemplate
  /** A template if it has a token, otherwise the finished header value. */
  readonly from: { readonly name: MergeTemplate; readonly address: string } | string
  /** Null: replies go to the sender. */
  readonly replyTo: string | null
  readonly html: MergeTemplate
  readonly text: MergeTemplate
  /** The targets of redirected links by index, as a browser reads them. `linkTarget` fills in the tokens. */
  readonly links: ReadonlyArray<MergeTemplate>
  /** The boundary of the MIME parts. It can't occur in quoted-printable text. Null: a plain message, of its text alone. */
  readonly boundary: string | null
  /** The MIME body: encoded bytes with slots between them. */
  readonly body: ReadonlyArray<Uint8Array | Slot>
}

/** Merge tokens and redirected links. The time to read a compiled email from another thread grows with them. */
export const compiled_slots_max = 20_000

/** The memory of a compiled email, roughly. */
export const compiledSize_bytes = ({ body, html, links, text }: CompiledEmail): number =>
  [...body, ...html, ...text, ...links.flat()].reduce(
    (size, piece) => size + (typeof piece === "string" || piece instanceof Uint8Array ? piece.length : slot_bytes),
    0,
  )

const slot_bytes = 500

/** For caches of compiled emails: the largest one needs about 20 MB. */
export const compiledCache_bytes_max = 32 * 2 ** 20

const slotsIn = (template: MergeTemplate): number =>
  template.reduce((count, piece) => count + (typeof piece === "string" ? 0 : 1), 0)

/**
 * The same email must give the same links in the same order in every version of this service, because a click on an old
 * message refers to a link by index. Links are numbered by their position in the source, conditional comments included.
 */
export const compile = (email: EmailContent, sender: Sender, options: CompileOptions): CompiledEmail => {
  const { html, links } = options.plain === true ? { html: [], links: [] } : compileHtml(email.html, sender, options)
  const text = compileText(email.text, sender, options)
  if (slotsIn(html) + slotsIn(text) > compiled_slots_max) {
    throw new ParserLimitExceeded(`has more than ${compiled_slots_max} merge tokens and links`)
  }
  const boundary = options.plain === true ? null : `=_${email.approvalId}`
  return {
    approvalId: email.approvalId,
    sender,
    operational: options.operational,
    message_bytes_max: options.message_bytes_max ?? commonSettings.message_bytes_max,
    subject: toMergeTemplate(email.subject, "plain"),
    from: fromOf(email),
    replyTo: wireAddress(email.replyToEmail),
    html,
    text,
    links,
    boundary,
    body:
      boundary === null
        ? [...encode(text), encodeText("\r\n")]
        : [
            encodeText(`--${boundary}\r\n${partHeaders("text/plain")}`),
            ...encode(text),
            encodeText(`\r\n--${boundary}\r\n${partHeaders("text/html")}`),
            ...encode(html),
            encodeText(`\r\n--${boundary}--\r\n`),
          ],
  }
}

/** An approved email without its time, which is no plain data. */
type EmailContent = Omit<ApprovedEmail, "approvedAt">

interface CompileInput {
  readonly email: EmailContent
  readonly sender: Sender
  readonly options: CompileOptions
}

export const compileInput = (
  { approvedAt: _approvedAt, ...email }: ApprovedEmail,
  sender: Sender,
  options: CompileOptions,
): CompileInput => ({ email, sender, options })

export const compileParser: Parser<CompileInput, CompiledEmail> = {
  name: "compile",
  run: ({ email, sender, options }) => compile(email, sender, options),
  sizeOf: ({ email }) => email.html.length + email.text.length,
}

const fromOf = ({ fromAddress, fromName }: EmailContent): CompiledEmail["from"] =>
  findTokens(fromName).length === 0
    ? mailbox("From", fromName, fromAddress)
    : { name: toMergeTemplate(fromName, "plain"), address: fromAddress }

const partHeaders = (type: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`

/** Each slot begins on its own line, between soft line breaks, so that no value makes a line too long. */
const encode = (template: MergeTemplate): ReadonlyArray<Uint8Array | Slot> =>
  template.map((piece, at) =>
    typeof piece === "string" ? encodeQuotedPrintable(piece, template[at + 1] === undefined ? "" : soft_break) : piece,
  )

const compileHtml = (
  source: string,
  sender: Sender,
  options: CompileOptions,
): { readonly html: MergeTemplate; readonly links: ReadonlyArray<MergeTemplate> } => {
  const { regions, bodyEnd } = scan(source)
  const tracked =
    typeof options.tracked === "boolean" ? { opens: options.tracked, clicks: options.tracked } : options.tracked
  const links: Array<MergeTemplate> = []
  const edits = regions.flatMap((region): ReadonlyArray<Edit> => {
    const link = tracked.clicks && region.kind === "attribute" ? asLink(source, region) : null
    const edits =
      region.kind !== "attribute"
        ? textEdits(source, region)
        : link === null
          ? attributeEdits(source, region)
          : [redirect(region, link, links.push(link) - 1, options.addresses)]
    return region.conditional ? edits.map(commented) : edits
  })
  const offered = regions.some(({ kind, conditional, start, end }) => {
    return kind !== "raw" && kind !== "comment" && !conditional && offersUnsubscribe(source.slice(start, end))
  })
  const appended: MergeTemplate = [
    ...(offered || options.operational ? [] : htmlFooter(sender, options.addresses)),
    ...(tracked.opens ? pixel(options.addresses) : []),
  ]
  return { html: applied(source, [...edits, { start: bodyEnd, end: bodyEnd, pieces: appended }]), links }
}

const offersUnsubscribe = (text: string): boolean =>
  findTokens(text).some(({ token }) => token.name === "unsubscribe_url" && !token.malformed)

/** Addresses of redirects need no escaping in a comment, and Outlook reads them more reliably unescaped. */
const commented = (edit: Edit): Edit => ({
  ...edit,
  pieces: edit.pieces.map((piece) => {
    if (typeof piece === "string") return piece
    const ofValues = piece.kind === "token" ? piece.place !== "raw" : piece.kind === "click"
    return ofValues ? { kind: "commented", slot: piece } : piece
  }),
})

/** Leaves comments. Escapes a `<` before a token, which would begin a tag if the value begins with a letter. */
const textEdits = (source: string, { kind, start, end }: Region): ReadonlyArray<Edit> => {
  if (kind === "comment") return []
  return findTokens(source.slice(start, end)).map(({ token, ...found }): Edit => {
    const at = { start: start + found.start, end: start + found.end }
    if (kind === "raw") return { ...at, pieces: [{ kind: "token", place: "raw", token }] }
    const slot: Slot = { kind: "token", place: "html", token: decoded(token) }
    return found.start > 0 && source[at.start - 1] === "<"
      ? { start: at.start - 1, end: at.end, pieces: ["&lt;", slot] }
      : { ...at, pieces: [slot] }
  })
}

/** A fallback is HTML in the source. It is decoded before it is formatted, and escaped again like a value. */
const decoded = (token: MergeToken, quote?: AttributeRegion["quote"]): MergeToken =>
  token.fallback === null ? token : { ...token, fallback: decodeReferences(token.fallback, quote) }

const urlAttributes: ReadonlySet<string> = new Set([
  ..."href src action formaction background poster cite data longdesc srcset ping manifest icon usemap".split(" "),
  ..."lowsrc dynsrc xlink:href".split(" "),
])

/** Attributes whose value is a style sheet, a script or a document. */
const isRaw = (name: string): boolean => name === "style" || name === "srcdoc" || name.startsWith("on")

const attributeEdits = (source: string, region: AttributeRegion): ReadonlyArray<Edit> => {
  const raw = source.slice(region.start, region.end)
  const found = findTokens(raw)
  if (found.length === 0) return []
  let before = ""
  let at = 0
  const spots = found.map(({ start, end, token }): Edit => {
    before += raw.slice(at, start)
    at = end
    const place = placeIn(region, { before, isFirst: raw.slice(0, start).trim() === "" })
    return {
      start,
      end,
      pieces: place === null ? [] : [{ kind: "token", place, token: decoded(token, region.quote) }],
    }
  })
  return [quoted(region, applied(raw, spots))]
}

/** `before` is the author's text in front of the token, without other tokens. Null: no value is allowed there. */
const placeIn = (
  { name, quote }: AttributeRegion,
  { before, isFirst }: { readonly before: string; readonly isFirst: boolean },
): Place | null => {
  if (isRaw(name)) return "raw"
  if (!urlAttributes.has(name)) return "html"
  if (isFirst) return "address"
  return isProgram(trimUrl(decodeReferences(before, quote))) ? null : "url"
}

/** A value may be empty or have white space, so unquoted attributes get quotes. */
const quoted = ({ start, end, quote }: AttributeRegion, pieces: MergeTemplate): Edit => ({
  start,
  end,
  pieces:
    quote === ""
      ? ['"', ...pieces.map((piece) => (typeof piece === "string" ? piece.replaceAll('"', "&quot;") : piece)), '"']
      : pieces,
})

const isLinkTag = (tag: string): boolean => tag === "a" || tag === "area" || tag.startsWith("v:")

/** The target of a link to redirect: a web address, or a token that may become one. */
const asLink = (source: string, region: AttributeRegion): MergeTemplate | null => {
  if (region.noTrack || region.name !== "href" || !isLinkTag(region.tag)) return null
  const raw = source.slice(region.start, region.end)
  const [first] = findTokens(raw)
  if (first === undefined) {
    const url = trimUrl(decodeReferences(raw, region.quote))
    return isWebUrl(url) ? [url] : null
  }
  const before = trimUrl(decodeReferences(raw.slice(0, first.start), region.quote))
  // The service's own addresses are not redirected: they would be counted as clicks.
  if (before === "" ? ownAddresses.has(first.token.name) : !isWebUrl(before)) return null
  return targetOf(raw, region.quote, before === "")
}

/** A target with slots for its tokens. White space is trimmed at its ends only. */
const targetOf = (raw: string, quote: AttributeRegion["quote"], beginsWithToken: boolean): MergeTemplate => {
  const spots = findTokens(raw).map(({ start, end, token }, at): Edit => {
    const place = at === 0 && beginsWithToken ? "target" : "url"
    return { start, end, pieces: [{ kind: "token", place, token: decoded(token, quote) }] }
  })
  const pieces = applied(raw, spots)
  return joined(
    pieces.map((piece, at) =>
      typeof piece === "string"
        ? urlPart(decodeReferences(piece, quote), { first: at === 0, last: at === pieces.length - 1 })
        : piece,
    ),
  )
}

const redirect = (region: AttributeRegion, target: MergeTemplate, index: number, { click }: Addresses): Edit =>
  quoted(
    region,
    typeof target[0] === "string"
      ? [escapeHtml(click), { kind: "address", of: "click", index }]
      : [{ kind: "click", index, target }],
  )

const ownEnd = (of: LinkKind): Slot => ({ kind: "address", of, index: null })

const pixel = ({ open }: Addresses): MergeTemplate => [
  `<img src="${escapeHtml(open)}`,
  ownEnd("open"),
  '" width="1" height="1" alt="" style="display:block;border:0">',
]

const htmlFooter = (sender: Sender, addresses: Addresses): MergeTemplate => [
  `<div class="${footer_class}" style="padding:24px 16px;text-align:center;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;color:#6b7280">`,
  footerLines(sender)
    .map((line) => `${escapeHtml(line)}<br>`)
    .join(""),
  `<a href="${escapeHtml(addresses.unsubscribe)}`,
  ownEnd("unsubscribe"),
  '" style="color:#6b7280;text-decoration:underline">Unsubscribe</a> · ',
  `<a href="${escapeHtml(addresses.unsubscribe)}`,
  ownEnd("unsubscribe"),
  `${preferences_end}" style="color:#6b7280;text-decoration:underline">Preferences</a></div>`,
]

/** The name, unless the address begins with it, and the postal address, as far as the workspace has them. */
const footerLines = ({ postalAddress, publicName }: Sender): ReadonlyArray<string> => {
  const address = (postalAddress ?? "").split(/[\r\n]+/).filter((line) => line.trim() !== "")
  return publicName === null || address[0]?.includes(publicName) === true ? address : [publicName, ...address]
}

const compileText = (text: string, sender: Sender, { addresses, operational }: CompileOptions): MergeTemplate => {
  const template = toMergeTemplate(text, "plain")
  if (operational || offersUnsubscribe(text)) return template
  return joined([
    ...template,
    ["\n\n---", ...footerLines(sender), `Unsubscribe: ${addresses.unsubscribe}`].join("\n"),
    ownEnd("unsubscribe"),
    `\nPreferences: ${addresses.unsubscribe}`,
    ownEnd("unsubscribe"),
    `${preferences_end}\n`,
  ])
}
