// Escaping of values: one function for each place of a document.

/** For text and quoted attributes of either kind. */
export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => references[character] ?? character) : text

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/**
 * For style and script, which have no escapes: letters, digits and a few harmless signs. A hyphen stays only at the
 * beginning of a word, a name or a number, because two hyphens begin or end a comment.
 */
export const plainWords = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N} #%.,_+-]/gu, "").replace(/-(?![\p{L}\p{N}])/gu, "")

/** For a part of a URL that the author began. */
export const escapeUrlPart = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd")).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * A URL as browsers read it: without surrounding white space, line breaks and tabs. Empty for schemes other than web, mail
 * and telephone, because a value must not bring a script.
 */
export const safeUrl = (text: string): string => {
  const url = trimUrl(text)
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(url) ? url : ""
}

/** A URL that is itself a script or a document. Browsers decode it before they run it, so no escape is safe in it. */
export const isProgram = (url: string): boolean => /^(?:javascript|vbscript|data):/i.test(url)

export const trimUrl = (text: string): string => urlPart(text, { first: true, last: true })

/** A piece of such a URL. Only its outer ends lose their white space. */
export const urlPart = (text: string, { first, last }: { readonly first: boolean; readonly last: boolean }): string => {
  const part = text.replace(/[\t\n\r]/g, "")
  let start = 0
  let end = part.length
  // A loop, because a pattern for the end of a text backtracks in every run of blanks.
  while (first && start < end && part.charCodeAt(start) <= 32) start++
  while (last && end > start && part.charCodeAt(end - 1) <= 32) end--
  return part.slice(start, end)
}

export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url)

/** For headers: one line. CR, LF and other controls are removed; a tab becomes a space. */
export const oneLine = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : text.replaceAll("\t", " ").replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "")
