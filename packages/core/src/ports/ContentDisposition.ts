// The header that makes a browser save an answer under a name (RFC 6266).

const quotable = /^[\x20-\x7e]+$/

/** `attachment` with the name as given, and for names beyond ASCII an ASCII stand-in beside the encoded one (RFC 8187). */
export const attachment = (fileName: string): string => {
  // A lone surrogate can't be encoded, and a mark of direction shows `fdp.csv` as `vsc.pdf`.
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
