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
import type { CouponBrief, EmailBrief } from "./FakeEmailBrief.ts"
import { cards, type Parts } from "./FakePage.ts"

export const composeEmail = ({ brief, name, brand, palette }: Parts<EmailBrief>): WrittenEmail => {
  const owner = brand?.name ?? name
  const { topic, headline, coupon, date } = brief
  const pitch = `We have something for you: ${topic}. Take a look at what is in it for you.`
  const html = layOut({
    title: headline,
    palette,
    rows: [
      letterhead({ name: owner, logoUrl: brand?.logoUrl ?? null, domain: brand?.domain ?? null }),
      row(
        "24px 40px 8px",
        [
          heading(escapeHtml(headline)),
          paragraph("Hello {{contact.first_name|there}},"),
          paragraph(escapeHtml(pitch)),
          ...(brand?.description ? [paragraph(escapeHtml(brand.description))] : []),
        ].join("\n"),
      ),
      ...(date === null ? [] : [row("8px 40px", box(small("When") + strong(date)))]),
      ...(coupon === null ? [] : [row("8px 40px", box(couponOf(coupon)))]),
      ...callOf(brief, brand, palette),
      ...sectionsOf(brief, palette),
      rule(),
      row("20px 40px", paragraph(`Yours,<br>${escapeHtml(owner)}`)),
    ],
  })
  return { html, subject: subjectOf(brief), previewText: previewOf(brief, pitch) }
}

const strong = (text: string): string =>
  `<strong class="ink" style="font-size:20px;line-height:28px">${escapeHtml(text)}</strong>`

const couponOf = ({ code, discount }: CouponBrief): string => {
  const what = discount === null ? "Your code" : `${discount} off with this code`
  return code === null
    ? small(discount === null ? "Your discount" : `${discount} off`) + strong("Show this email when you pay")
    : small(what) +
        `<strong class="ink" style="font-family:Consolas,Menlo,monospace;font-size:26px;line-height:34px;letter-spacing:2px">${escapeHtml(code)}</strong>`
}

/** The button. Without an address in the prompt it links to the brand's site, or to the email in a browser. */
const callOf = ({ button: wanted }: EmailBrief, brand: Brand | null, palette: Palette): ReadonlyArray<string> => {
  if (wanted === null) return []
  const href = wanted.url ?? addressOf(brand?.domain ?? null) ?? "{{view_in_browser_url}}"
  return [row("16px 40px 32px", button(wanted.label ?? "See the details", href, palette))]
}

const sectionsOf = ({ topic, cards_count }: EmailBrief, palette: Palette): ReadonlyArray<string> =>
  cards_count === 0
    ? []
    : [
        rule(),
        row(
          "20px 40px 8px",
          `<h2 class="ink" style="margin:0 0 16px;font-size:20px;line-height:28px">What to expect</h2>` +
            cards
              .slice(0, cards_count)
              .map(([title, text]) => section(title, escapeHtml(text.replaceAll("{}", topic)), palette))
              .join("\n"),
        ),
      ]

const subject_length_max = 78

const subjectOf = ({ headline, coupon }: EmailBrief): string => {
  const subject =
    coupon?.discount && !headline.includes(coupon.discount) ? `${coupon.discount} off: ${headline}` : headline
  return shortened(subject, subject_length_max)
}

const preview_length_max = 120

/** The parts that the subject does not contain. */
const previewOf = ({ date, coupon }: EmailBrief, pitch: string): string =>
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
        .replace(/\s*\{\{[^}]*$/, "")} …`
}
