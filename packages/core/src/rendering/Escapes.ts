// How a value is written so that it stays a value: one function for each place where one can stand.

/** In text and in quoted attributes of either kind. */
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
 * Within style and script, which know no escapes: letters, digits and a few signs that can end nothing. Of hyphens only
 * those that begin a word, a name or a number: two of them begin and end comments.
 */
export const plainWords = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N} #%.,_+-]/gu, "").replace(/-(?![\p{L}\p{N}])/gu, "")

/** As a part of a URL that the author began. */
export const escapeUrlPart = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd")).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * A URL as browsers take it: without the white space around it and the line breaks and tabs in it. Those of other schemes
 * than web, mail and telephone are nothing: a value must not bring a script.
 */
export const safeUrl = (text: string): string => {
  const url = trimUrl(text)
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(url) ? url : ""
}

/** A URL that is itself a script or a document: browsers decode it before they run it, and no escape holds in it. */
export const isProgram = (url: string): boolean => /^(?:javascript|vbscript|data):/i.test(url)

export const trimUrl = (text: string): string => urlPart(text, { first: true, last: true })

/** A piece of such a URL: only its very ends lose their white space. */
export const urlPart = (text: string, { first, last }: { readonly first: boolean; readonly last: boolean }): string => {
  const part = text.replace(/[\t\n\r]/g, "")
  let start = 0
  let end = part.length
  // Counted, since a pattern for the end of a text tries every run of blanks in it.
  while (first && start < end && part.charCodeAt(start) <= 32) start++
  while (last && end > start && part.charCodeAt(end - 1) <= 32) end--
  return part.slice(start, end)
}

export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url)

/** In a header: one line. CR, LF and other controls are taken out, a tab reads as a space. */
export const oneLine = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : text.replaceAll("\t", " ").replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "")
