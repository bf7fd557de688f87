// DNS records as a zone file (RFC 1035 §5), which hosts of DNS import. Pure.
interface Record {
  readonly type: "TXT" | "CNAME" | "MX"
  readonly name: string
  readonly value: string
}

/** Of a mail exchanger; there is one. */
export const mx_priority = 10

/** An hour. */
const ttl_s = 3_600

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** A string in a record has at most 255 bytes; values here are ASCII. */
const stringsOf = (text: string): string => (text.match(/[^]{1,255}/g) ?? [""]).map(quoted).join(" ")

const dataOf = ({ type, value }: Record): string => {
  switch (type) {
    case "TXT":
      return stringsOf(value)
    case "MX":
      return `${mx_priority} ${value}.`
    case "CNAME":
      return `${value}.`
  }
}

export const zoneFileOf = (records: ReadonlyArray<Record>): string =>
  records.map((record) => `${record.name}. ${ttl_s} IN ${record.type} ${dataOf(record)}\n`).join("")
