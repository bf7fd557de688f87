// Text layout for images without font metrics. It uses the maximum width of letters, so that text fits its box.

const letter_width = 7.2
const wide_letter_width = 13.5

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Full-width scripts and emoji. */
const isWide = (letter: string): boolean => (letter.codePointAt(0) ?? 0) >= 0x1100

const graphemesOf = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Width in units of the image. */
export const widthOf = (text: string): number =>
  graphemesOf(text).reduce((width, letter) => width + (isWide(letter) ? wide_letter_width : letter_width), 0)

/** Breaks text into lines of a maximum width, between words and inside of words that are too wide. */
export const wrapped = (text: string, width: number, lines_max: number): ReadonlyArray<string> => {
  const parts = text
    .trim()
    .split(/\s+/u)
    .flatMap((word) => packed(graphemesOf(word), "", width))
  const lines = packed(parts, " ", width)
  if (lines.length <= lines_max) return lines
  return [...lines.slice(0, lines_max - 1), cutShort(lines[lines_max - 1] ?? "", width)]
}

/** Joins parts to lines of a maximum width. */
const packed = (parts: ReadonlyArray<string>, separator: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of parts) {
    const last = lines.at(-1)
    const longer = `${last}${separator}${part}`
    if (last !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}

/** Shortens a line and appends an ellipsis. */
const cutShort = (line: string, width: number): string => {
  const letters = [...graphemesOf(line)]
  while (letters.length > 0 && widthOf(`${letters.join("")}…`) > width) letters.pop()
  return `${letters.join("")}…`
}
