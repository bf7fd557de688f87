// Columns of a file that tell of the tool that wrote it rather than of the people in it.
import { headerKey } from "./HeaderSynonyms.ts"

interface Tool {
  readonly name: string
  /** Where all of these stand, the file is the tool's. */
  readonly marks: ReadonlyArray<string>
  /** What it notes for itself. */
  readonly technical: ReadonlyArray<string>
}

/** Tools whose own columns would pass for fields of a contact: Mailchimp's REGION is guessed from an IP address. */
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

/** By a column's key (`headerKey`): the name of the tool that wrote it for itself. */
export const technicalColumns = (headers: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const keys = new Set(headers.map(headerKey))
  const tool = tools.find(({ marks }) => marks.every((mark) => keys.has(headerKey(mark))))
  return new Map(tool?.technical.map((header) => [headerKey(header), tool.name]))
}
