// The layout of this service's own emails, for clients without style sheets, narrow screens and dark schemes.
import { night, type Palette, paper, softNight, softPaper, paletteOr, usual_color } from "./Palette.ts"
import { escapeHtml, isWebUrl } from "./Escapes.ts"
import { publicNameOf, type Workspace } from "../workspaces/Workspace.ts"

export interface EmailLayout {
  /** Text: a browser shows it as the title. */
  readonly title: string
  readonly palette: Palette
  /** HTML in rows of the card, from the top; see `row`. */
  readonly rows: ReadonlyArray<string>
}

/** The brand that the head of an email shows. */
export interface Letterhead {
  readonly name: string
  readonly logoUrl: string | null
  readonly domain: string | null
}

export const layOut = ({ title, palette, rows }: EmailLayout): string => `<!doctype html>
<html lang="en" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(title)}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style>${styles(palette)}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:${softPaper}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${softPaper}" style="background-color:${softPaper}">
<tr>
<td align="center" class="around" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="${width_px}" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${paper}" style="width:100%;max-width:${width_px}px;background-color:${paper};border-top:4px solid ${palette.own};border-radius:8px">
${rows.join("\n")}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td>
</tr>
</table>
</body>
</html>
`

/** Of the footer that is added when an email is sent. */
export const footer_class = "sender-footer"

const width_px = 600

/** Colours of the light scheme. Each has a class with the colour of the dark scheme. */
const ink = "#15202b"
const faint = "#4a5764"
const line = "#d8dee4"

const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Breaks long words: a long address must not make the table wider than the screen. */
const breaking = "word-break:break-word;overflow-wrap:anywhere"

/** A row of the card. `padding` is CSS; its sides are narrower on small screens. */
export const row = (padding: string, content: string, size = "font-size:16px;line-height:26px"): string =>
  `<tr>
<td class="pad ink" style="padding:${padding};font-family:${font};${size};color:${ink};${breaking}">
${content}
</td>
</tr>`

/** A row with the brand's logo or name, linked to its domain. */
export const letterhead = ({ name, logoUrl, domain }: Letterhead): string => {
  const alt = escapeHtml(name)
  const shown =
    logoUrl !== null && isWebUrl(logoUrl)
      ? `<img src="${escapeHtml(logoUrl)}" alt="${alt}" height="40" style="display:block;height:40px;width:auto;max-width:100%;border:0">`
      : alt
  const address = addressOf(domain)
  const content =
    address === null
      ? `<span class="ink" style="color:${ink}">${shown}</span>`
      : `<a class="ink" href="${address}" style="color:${ink};text-decoration:none">${shown}</a>`
  return row("28px 40px 0", content, "font-size:18px;line-height:26px;font-weight:bold")
}

/** The address of the brand's website; null when the stored domain is malformed. */
export const addressOf = (domain: string | null): string | null =>
  domain !== null && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(domain) ? `https://${domain}` : null

export const heading = (html: string): string =>
  `<h1 class="ink" style="margin:0 0 16px;font-size:28px;line-height:36px;font-weight:bold;color:${ink}">${html}</h1>`

export const paragraph = (html: string): string => `<p class="ink" style="margin:0 0 16px;color:${ink}">${html}</p>`

/** A link that looks like a button. The cell has the colour too, for clients that ignore a link's background. */
export const button = (label: string, href: string, { own, onOwn }: Palette): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0">
<tr>
<td class="button" align="center" bgcolor="${own}" style="background-color:${own};border-radius:8px;mso-padding-alt:14px 28px">
<a class="button" href="${escapeHtml(href)}" style="display:inline-block;padding:14px 28px;border-radius:8px;background-color:${own};color:${onOwn};font-family:${font};font-size:16px;line-height:20px;font-weight:bold;text-decoration:none;mso-padding-alt:0">${escapeHtml(label)}</a>
</td>
</tr>
</table>`

/** A box with its own background, for a code or a date. */
export const box = (html: string): string =>
  `<table role="presentation" class="soft" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${softPaper}" style="background-color:${softPaper};border:1px solid ${line};border-radius:8px;border-collapse:separate">
<tr>
<td class="ink" style="padding:20px 24px;font-family:${font};font-size:16px;line-height:26px;color:${ink};${breaking}">
${html}
</td>
</tr>
</table>`

/** A small line above a code or a date that names it. */
export const small = (html: string): string =>
  `<div class="faint" style="font-size:14px;line-height:22px;color:${faint}">${html}</div>`

/** One of several topics of an email. */
export const section = (title: string, html: string, { own }: Palette): string =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr>
<td class="edge" style="padding:2px 0 2px 16px;border-left:4px solid ${own};font-family:${font};${breaking}">
<h3 class="ink" style="margin:0 0 4px;font-size:17px;line-height:24px;font-weight:bold;color:${ink}">${title}</h3>
<p class="faint" style="margin:0;font-size:16px;line-height:24px;color:${faint}">${html}</p>
</td>
</tr>
<tr><td height="20" style="height:20px;font-size:1px;line-height:1px">&nbsp;</td></tr>
</table>`

/** A thin line across the card. */
export const rule = (): string =>
  `<tr><td class="pad" style="padding:16px 40px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="line" height="1" style="height:1px;font-size:1px;line-height:1px;border-top:1px solid ${line}">&nbsp;</td></tr></table></td></tr>`

const darkInk = "#eef2f6"
const darkFaint = "#b3bfca"
const darkLine = "#364452"

/** What inline styles can't express: narrow screens, dark schemes, and Outlook's dark scheme, which marks elements. */
const styles = ({ accent, accentDark, onAccentDark }: Palette): string => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { width: 100%; -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%; }
table { border-spacing: 0; mso-table-lspace: 0; mso-table-rspace: 0; }
img { border: 0; max-width: 100%; height: auto; text-decoration: none; }
a { color: ${accent}; }
.${footer_class}, .${footer_class} a { color: ${faint} !important; }
@media (max-width: 620px) {
  .around { padding: 16px 8px !important; }
  .pad { padding-left: 20px !important; padding-right: 20px !important; }
  .pad h1 { font-size: 24px !important; line-height: 32px !important; }
}
@media (prefers-color-scheme: dark) {
${dark({ accentDark, onAccentDark }).join("\n").replace(/^/gm, "  ")}
}
${dark({ accentDark, onAccentDark })
  .map((each) => each.replaceAll(/^|(?<=, )/g, "[data-ogsc] "))
  .join("\n")}
`

const dark = ({ accentDark, onAccentDark }: Pick<Palette, "accentDark" | "onAccentDark">): ReadonlyArray<string> => [
  `.page, .soft { background-color: ${night} !important; }`,
  `.card { background-color: ${softNight} !important; border-top-color: ${accentDark} !important; }`,
  `.ink { color: ${darkInk} !important; }`,
  `.faint, .${footer_class}, .${footer_class} a { color: ${darkFaint} !important; }`,
  `.edge { border-left-color: ${accentDark} !important; }`,
  `.soft, .line { border-color: ${darkLine} !important; }`,
  `.button { background-color: ${accentDark} !important; color: ${onAccentDark} !important; }`,
]

/** A branded email with sample text. The footer with the unsubscribe link is added when it is sent. */
export const scaffold = ({ brand }: Pick<Workspace, "brand">): string => {
  const name = publicNameOf(brand)
  return layOut({
    title: name ?? "Your headline",
    palette: paletteOr(brand.primaryColor, usual_color),
    rows: [
      ...(name === null ? [] : [letterhead({ name, logoUrl: brand.logoUrl, domain: brand.domain })]),
      row(
        "24px 40px",
        [heading("Your headline"), paragraph("Hello {{contact.first_name|there}},"), paragraph(scaffold_text)].join(
          "\n",
        ),
      ),
    ],
  })
}

/** The placeholder for the message. */
export const scaffold_text = "Write your message here."
