// The HTML of the brand's preview: the beginning of a message. Texts of the brand stay texts.
interface Brand {
  readonly name: string
  readonly logo: string
  readonly color: string
}

interface Texts {
  readonly title: string
  readonly text: string
  readonly button: string
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const color_default = "#1f1f27"

/** The colour of a hexadecimal text; a dark one while the text is none. */
export const colorOf = (text: string): string => (/^#[0-9a-f]{6}$/i.test(text) ? text : color_default)

/** White or black, whichever is readable on the colour. */
export const textOn = (color: string): "#ffffff" | "#000000" => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000"
}

export const brandPreview = ({ color, logo, name }: Brand, { button, text, title }: Texts): string => {
  const main = colorOf(color)
  const image = logo === "" ? "" : `<img src="${escaped(logo)}" alt="" height="36">`
  return `<!doctype html><html><head><style>
    body { margin: 0; padding: 24px; font-family: system-ui, sans-serif; background: #f4f4f5; color: #1f1f27 }
    main { background: #fff; border-radius: 8px; padding: 24px; border-top: 4px solid ${main} }
    header { display: flex; align-items: center; gap: 10px; font-weight: 600; margin-bottom: 20px }
    h1 { font-size: 20px; margin: 0 0 8px }
    p { margin: 0 0 18px; line-height: 1.5 }
    b { display: inline-block; padding: 10px 18px; border-radius: 6px; background: ${main}; color: ${textOn(main)}; font-weight: 600 }
  </style></head><body><main><header>${image}<span>${escaped(name)}</span></header>
  <h1>${escaped(title)}</h1><p>${escaped(text)}</p><b>${escaped(button)}</b></main></body></html>`
}
