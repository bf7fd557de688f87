// Multipart bodies for tests, made by hand: what clients send, and what none should.

export interface PartSent {
  readonly name?: string
  /** Null: the part is a field. */
  readonly fileName?: string | null
  readonly type?: string
  readonly bytes: Uint8Array | string
}

export const png = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
)

const boundary = "----tentpole-test"

const headOf = ({ name = "file", fileName = "logo.png", type = "application/octet-stream" }: PartSent): string =>
  [
    `--${boundary}`,
    `content-disposition: form-data; name="${name}"${fileName === null ? "" : `; filename="${fileName}"`}`,
    ...(fileName === null ? [] : [`content-type: ${type}`]),
    "",
    "",
  ].join("\r\n")

/** Parts, one after the other; `end` is what follows them. */
export const multipart = (parts: ReadonlyArray<PartSent>, end = `--${boundary}--\r\n`) => ({
  headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  body: Uint8Array.from(
    Buffer.concat([
      ...parts.flatMap((part) => [Buffer.from(headOf(part)), Buffer.from(part.bytes), Buffer.from("\r\n")]),
      Buffer.from(end),
    ]),
  ),
})
