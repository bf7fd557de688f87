// The email of the fake AI: the layout of the service's emails with the values of a brief.
import type { Brand, WrittenEmail } from "@tentpole/core/ports/Ai"
import {
  addressOf,
  box,
  button,
  heading,
  layOut,
  letterhead,
  paragraph,
  row,
  rule,
  section,
  small,
} from "@tentpole/core/rendering/EmailLayout"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { Palette } from "@tentpole/core/rendering/Palette"
import type { Brief, Point } from "./Brief.ts"
import {
  callOf,
  cardsOf,
  headlineOf,
  listsOf,
  moreFacts,
  ownerOf,
  type Parts,
  pitchOf,
  type ShownList,
  valuesOf,
} from "./Copy.ts"
import { percentage } from "./Figures.ts"
import { unshown } from "./FakePage.ts"

/** The headline of a prompt without a topic. The name of an email is internal. */
export const otherwise = "News for you"

export const composeEmail = ({ brief, brand, palette }: Parts): WrittenEmail => {
  const headline = headlineOf(brief, otherwise)
  const owner = ownerOf(brief, brand)
  const head = owner ?? (brief.subject.isBusiness ? brief.subject.label : null)
  const pitch = pitchOf(brief, headline)
  const lists = listsOf(brief).filter(({ isSample }) => !isSample)
  const offers = offerRows(brief, headline)
  const values = valuesOf(brief).map(([label, text]) => row("8px 40px", box(small(escapeHtml(label)) + strong(text))))
  const said = [pitch, ...moreFacts(brief)]
  const listRows = lists.flatMap((list) => listHtml(list, palette))
  const rest = unshown(brief, [headline, ...said, ...offers, ...values, ...listRows].join(" "))
  const html = layOut({
    title: headline,
    palette,
    rows: [
      ...(head === null
        ? []
        : [letterhead({ name: head, logoUrl: brand?.logoUrl ?? null, domain: brand?.domain ?? null })]),
      row(
        "24px 40px 8px",
        [
          heading(escapeHtml(headline)),
          paragraph(
            `${brief.isFormal ? "Dear" : "Hello"} {{contact.first_name|${brief.isFormal ? "reader" : "there"}}},`,
          ),
          ...[...said, ...rest].map((text) => paragraph(escapeHtml(text))),
          ...(brand?.description ? [paragraph(escapeHtml(brand.description))] : []),
        ].join("\n"),
      ),
      ...offers,
      ...values,
      ...listRows,
      ...buttonRows(brief, brand, palette),
      ...cardRows(brief, lists, palette),
      rule(),
      row("20px 40px", paragraph(signature(brief, owner))),
    ],
  })
  return { html, subject: subjectOf(brief, headline), previewText: previewOf(brief, pitch) }
}

const signature = ({ isFormal, subject }: Brief, owner: string | null): string => {
  const by =
    owner ?? (subject.label !== null && subject.isBusiness ? `Your ${subject.label.toLowerCase()} team` : "The team")
  return `${isFormal ? "Yours sincerely" : "Yours"},<br>${escapeHtml(by)}`
}

const strong = (text: string): string =>
  `<strong class="ink" style="font-size:20px;line-height:28px">${escapeHtml(text)}</strong>`

const offerRows = ({ coupon, offers }: Brief, headline: string): ReadonlyArray<string> => {
  const boxes = offers.filter((offer) => offer !== headline).map((offer) => box(small("Offer") + strong(offer)))
  if (coupon !== null) {
    boxes.push(
      coupon.code === null
        ? box(small("Your discount") + strong("Show this email when you pay"))
        : box(
            small("Your code") +
              `<strong class="ink" style="font-family:Consolas,Menlo,monospace;font-size:26px;line-height:34px;letter-spacing:2px">${escapeHtml(coupon.code)}</strong>`,
          ),
    )
  }
  return boxes.map((each) => row("8px 40px", each))
}

const titled = (title: string): string =>
  `<h2 class="ink" style="margin:0 0 16px;font-size:20px;line-height:28px">${escapeHtml(title)}</h2>`

const listHtml = ({ title, points }: ShownList, palette: Palette): ReadonlyArray<string> => [
  rule(),
  row("20px 40px 8px", titled(title) + points.map((point) => pointHtml(point, palette)).join("\n")),
]

const pointHtml = ({ title, note, price, time }: Point, palette: Palette): string =>
  section(escapeHtml(title), escapeHtml([time, price, note].filter((part) => part !== null).join(" · ")), palette)

/** The button. Without an address in the prompt it links to the brand's site, or to the email in a browser. */
const buttonRows = (brief: Brief, brand: Brand | null, palette: Palette): ReadonlyArray<string> => {
  const { button: wanted, form, kind } = brief
  if (wanted === null && (form === null || kind !== "webinar")) return []
  const href = wanted?.url ?? addressOf(brand?.domain ?? null) ?? "{{view_in_browser_url}}"
  return [row("16px 40px 32px", button(callOf({ ...brief, form: kind === "webinar" ? form : null }), href, palette))]
}

const cardRows = (brief: Brief, lists: ReadonlyArray<ShownList>, palette: Palette): ReadonlyArray<string> => {
  const cards = brief.wantsCards ? cardsOf(brief, lists) : []
  if (cards.length === 0) return []
  const sections = cards.map(([title, text]) => section(escapeHtml(title), escapeHtml(text), palette))
  return [rule(), row("20px 40px 8px", titled("What to expect") + sections.join("\n"))]
}

const subject_length_max = 78

/** The discount comes first, unless the headline has it. */
const subjectOf = ({ offers }: Brief, headline: string): string => {
  const share = percentage.exec(offers.join(" "))?.[0]
  return shortened(
    share === undefined || headline.includes(share) ? headline : `${share} off: ${headline}`,
    subject_length_max,
  )
}

const preview_length_max = 120

/** The parts that the subject does not contain. */
const previewOf = ({ coupon, date }: Brief, pitch: string): string =>
  shortened(
    [date, coupon?.code ? `Code ${coupon.code}` : null, pitch].filter((text) => text !== null).join(" · "),
    preview_length_max,
  )

/** One line, cut between words. */
const shortened = (text: string, length_max: number): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  return line.length <= length_max
    ? line
    : `${line
        .slice(0, length_max - 2)
        .replace(/\s+\S*$/, "")
        // A cut merge token is removed.
        .replace(/\s*\uE000[^\uE001]*$/, "")} …`
}
