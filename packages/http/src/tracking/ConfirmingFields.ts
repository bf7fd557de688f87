// The fields of a form's body that confirm an unsubscription: URL-encoded, or multipart as mail programs send it (RFC 8058 §3.2).

/** The text fields by name. Reads each line once. */
export const confirmingFields = (
  contentType: string,
  body: string,
): { readonly get: (name: string) => string | null | undefined } =>
  /^multipart\/form-data\b/i.test(contentType) ? multipartFields(body) : new URLSearchParams(body)

/** Fields with a value of one line. */
const multipartFields = (body: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  const lines = body.split(/\r?\n/)
  /** The field whose headers are being read. */
  let name: string | null = null
  for (const [at, line] of lines.entries()) {
    if (line === "" && name !== null) fields.set(name, lines[at + 1] ?? "")
    const isHeader = line.includes(":")
    name = (isHeader ? fieldName(line) : null) ?? (isHeader ? name : null)
  }
  return fields
}

/** The name in a header `Content-Disposition: form-data; name="…"`; null in other lines. */
const fieldName = (line: string): string | null => {
  const [header = "", ...parameters] = line.split(";").map((part) => part.trim())
  if (!/^content-disposition: *form-data$/i.test(header)) return null
  const parameter = parameters.find((each) => each.toLowerCase().startsWith("name="))
  return parameter?.slice("name=".length).replaceAll('"', "") ?? null
}
