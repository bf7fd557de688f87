// Changes of a signed message that a verifier must notice (RFC 6376 §5.4, §8.2, §8.15).

/** Bytes as characters, not as UTF-8. */
const octets = "latin1"

const headEnd = (text: string): number => text.indexOf("\r\n\r\n") + 2

/** The header fields with their folds, without the last line break. */
export const fieldsOf = (raw: Buffer): ReadonlyArray<string> => {
  const text = raw.toString(octets)
  return text.slice(0, headEnd(text) - 2).split(/\r\n(?![ \t])/)
}

export const nameOf = (field: string): string => field.slice(0, field.indexOf(":"))

/** A tag of the signature, without its folds. */
export const signatureTag = (raw: Buffer, tag: string): string | undefined => {
  const field = fieldsOf(raw).find((each) => nameOf(each) === "DKIM-Signature") ?? ""
  return new RegExp(`(?:^|;)${tag}=([^;]*)`).exec(field.slice(field.indexOf(":") + 1).replace(/\s+/g, ""))?.[1]
}

/** Replaces the last letter or digit of a text. */
const altered = (text: string): string =>
  text.replace(/[A-Za-z0-9](?=[^A-Za-z0-9]*$)/, (last) => (last === "x" ? "y" : "x"))

const withField = (raw: Buffer, field: string, place: "first" | "last"): Buffer => {
  const text = raw.toString(octets)
  const at = place === "first" ? 0 : headEnd(text)
  return Buffer.from(`${text.slice(0, at)}${field}\r\n${text.slice(at)}`, octets)
}

/** Header fields that must not be added a second time. */
const unique = ["From", "To", "Subject", "Reply-To", "Content-Type"]

/** All changes of this message; each must invalidate the signature. */
export const tamperings = (raw: Buffer): ReadonlyArray<{ readonly what: string; readonly raw: Buffer }> => {
  const text = raw.toString(octets)
  const end = headEnd(text)
  const fields = fieldsOf(raw)
  const body = text.slice(end)
  const headed = (head: ReadonlyArray<string>) => Buffer.from(`${head.join("\r\n")}\r\n${body}`, octets)
  const signed = fields.filter((field) => nameOf(field) !== "DKIM-Signature")
  const middle = end + Math.floor(body.length / 2)
  const flipped = Buffer.from(raw)
  flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle)
  return [
    ...signed.map((field) => ({
      what: `${nameOf(field)} changed`,
      raw: headed(fields.map((each) => (each === field ? altered(each) : each))),
    })),
    ...signed.map((field) => ({
      what: `${nameOf(field)} removed`,
      raw: headed(fields.filter((each) => each !== field)),
    })),
    ...unique.flatMap((name) =>
      (["first", "last"] as const).map((place) => ({
        what: `another ${name} ${place}`,
        raw: withField(raw, `${name}: eve@example.test`, place),
      })),
    ),
    { what: "one bit of the body flipped", raw: flipped },
    { what: "a line added to the body", raw: Buffer.concat([raw, Buffer.from("and more\r\n")]) },
    { what: "the body's last line removed", raw: Buffer.from(text.replace(/[^\r\n]+\r\n$/, ""), octets) },
  ]
}
