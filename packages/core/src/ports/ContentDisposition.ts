// The Content-Disposition header, which makes a browser save a response under a name (RFC 6266).

const quotable = /^[\x20-\x7e]+$/

/** `attachment` with the name; names beyond ASCII get an ASCII fallback beside the encoded one (RFC 8187). */
export const attachment = (fileName: string): string => {
  // A lone surrogate cannot be encoded, and a direction mark shows `fdp.csv` as `vsc.pdf`.
  const name = fileName.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}/\\]+/gu, "_")
  const quoted = name.replace(/[^\x20-\x7e]|["%]/g, "_") || "file"
  const plain = `attachment; filename="${quoted}"`
  if (quotable.test(name) && quoted === name) return plain
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${plain}; filename*=UTF-8''${encoded}`
}
