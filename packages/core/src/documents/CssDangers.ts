// Active content in CSS: imports, and constructs with which old browsers run code. The check reads CSS as text and shares no
// code with the sanitiser, which reads its tokens.

/** A construct in a style sheet or a `style` attribute that loads other style sheets or can run code; empty if there is none. */
export const cssDangersOf = (css: string): ReadonlyArray<string> => {
  const text = unescaped(css)
  const readings = [text, withoutComments(text), withoutTokens(text)]
  return patterns.filter(({ pattern }) => readings.some((reading) => pattern.test(reading))).map(({ name }) => name)
}

/** Properties, and attributes of drawings, that name a drawing of this document as `url(#name)`. Others load a document. */
const drawing = "fill|stroke|filter|backdrop-filter|clip-path|marker(?:-start|-mid|-end)?"

/** The dangers of an attribute with a value in CSS. */
export const cssAttributeDangersOf = (name: string, value: string): ReadonlyArray<string> =>
  name === "style" ? cssDangersOf(value) : isDrawing.test(name) ? cssDangersOf(`${name}:${value}`) : []

const isDrawing = new RegExp(`^(?:${drawing})$`, "i")

const patterns = [
  { name: "@import", pattern: /@import/i },
  { name: "expression()", pattern: /expression\(/i },
  { name: "-moz-binding", pattern: /-moz-binding/i },
  // Outlook's drawings need `behavior: url(#default#VML)`. `scroll-behavior` is another property.
  { name: "behavior", pattern: /(?<![\w-])behavior\s*:(?!\s*url\(\s*["']?#)/i },
  {
    name: "a drawing of another document",
    pattern: new RegExp(`(?<![\\w-])(?:${drawing})\\s*:[^;{}]{0,200}url\\((?!\\s*["']?#)`, "i"),
  },
  { name: "a script", pattern: /(?:javascript|vbscript|livescript|mocha):|data:text\/html/i },
]

const unescaped = (css: string): string =>
  css.replace(/\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi, (_, code: string | undefined, character: string | undefined) => {
    const point = code === undefined ? 0 : Number.parseInt(code, 16)
    return code === undefined ? (character ?? "") : point > 0x10_ff_ff ? "\ufffd" : String.fromCodePoint(point)
  })

/** Comments separate words in CSS, but not in old browsers. */
const withoutComments = (css: string): string => {
  let text = ""
  let at = 0
  for (let begin = css.indexOf("/*"); begin >= 0; begin = css.indexOf("/*", at)) {
    const end = css.indexOf("*/", begin + 2)
    text += css.slice(at, begin)
    if (end < 0) return text
    at = end + 2
  }
  return text + css.slice(at)
}

/** Merge tokens can be empty when they are filled in. */
const withoutTokens = (css: string): string => css.replace(/\{\{[^{}]{0,300}\}\}/g, "")
