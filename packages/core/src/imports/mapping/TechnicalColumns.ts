// Columns that describe the tool that wrote the file, not its contacts.
import { headerKey } from "./HeaderSynonyms.ts"

interface Tool {
  readonly name: string
  /** A file with all of these columns is the tool's. */
  readonly marks: ReadonlyArray<string>
  /** The columns that the tool writes for itself. */
  readonly technical: ReadonlyArray<string>
}

/** Tools whose own columns look like fields of a contact: Mailchimp guesses REGION from an IP address. */
const tools: ReadonlyArray<Tool> = [
  {
    name: "Mailchimp",
    marks: ["LEID", "EUID"],
    technical: [
      "MEMBER_RATING",
      "OPTIN_TIME",
      "OPTIN_IP",
      "CONFIRM_TIME",
      "CONFIRM_IP",
      "LATITUDE",
      "LONGITUDE",
      "GMTOFF",
      "DSTOFF",
      "TIMEZONE",
      "CC",
      "REGION",
      "LAST_CHANGED",
      "LEID",
      "EUID",
      "UNSUB_TIME",
      "UNSUB_CAMPAIGN_TITLE",
      "UNSUB_CAMPAIGN_ID",
      "UNSUB_REASON",
      "UNSUB_REASON_OTHER",
      "CLEAN_TIME",
      "CLEAN_CAMPAIGN_TITLE",
      "CLEAN_CAMPAIGN_ID",
    ],
  },
]

/** The name of the tool, by the keys (`headerKey`) of its own columns. */
export const technicalColumns = (headers: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const keys = new Set(headers.map(headerKey))
  const tool = tools.find(({ marks }) => marks.every((mark) => keys.has(headerKey(mark))))
  return new Map(tool?.technical.map((header) => [headerKey(header), tool.name]))
}
