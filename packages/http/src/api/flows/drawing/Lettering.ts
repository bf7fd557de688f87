// Text layout for images without font metrics. It uses the maximum width of letters, so that text fits its box.

const letter_width = 7.2
const wide_letter_width = 13.5

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Full-width scripts and emoji. */
const isWide = (letter: string): boolean => (letter.codePointAt(0) ?? 0) >= 0x1100

const graphemesOf = (text: string): ReadonlyArray<string> => Array.from(letters.segment(text), ({ segment }) => segment)

/** Width in units of the image. */
export const widthOf = (text: string): number =>
  graphemesOf(text).reduce((width, letter) => width + (isWide(letter) ? wide_letter_width : letter_width), 0)

/** Breaks text into lines of a maximum width, between words and inside of words that are too wide. */
export const wrapped = (text: string, width: number, lines_max: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  const add = (word: string) => {
    const longer = line === "" ? word : `${line} ${word}`
    if (widthOf(longer) <= width) line = longer
    else {
      if (line !== "") lines.push(line)
      line = word
    }
  }
  for (const word of text.split(/\s+/u).flatMap((each) => pieces(each, width))) add(word)
  lines.push(line)
  if (lines.length <= lines_max) return lines
  return [...lines.slice(0, lines_max - 1), cutShort(lines[lines_max - 1] ?? "", width)]
}

/** Shortens a line and appends an ellipsis. */
const cutShort = (line: string, width: number): string => {
  const kept = [...graphemesOf(line)]
  while (kept.length > 0 && widthOf(`${kept.join("")}…`) > width) kept.pop()
  return `${kept.join("")}…`
}

/** Splits a word that is too wide. */
const pieces = (word: string, width: number): ReadonlyArray<string> => {
  if (widthOf(word) <= width) return [word]
  const cut: Array<string> = [""]
  for (const letter of graphemesOf(word)) {
    const last = cut.at(-1) ?? ""
    if (widthOf(last + letter) <= width) cut[cut.length - 1] = last + letter
    else cut.push(letter)
  }
  return cut
}
