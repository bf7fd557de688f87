// Email addresses in a pasted text: one a line, with commas, or as `Ann Lee <ann@example.org>`.

/** The addresses, each once, in the order of the text. Words without an @ are names. */
export const addressesIn = (text: string): ReadonlyArray<string> => {
  const words = text.split(/[\s,;<>"']+/).filter((word) => word.includes("@"))
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]
}
