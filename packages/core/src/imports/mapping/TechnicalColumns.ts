// The columns of a Mailchimp export that describe Mailchimp, not its contacts. Some look like fields of a contact: it guesses
// REGION from an IP address.
import { headerKey } from "./HeaderSynonyms.ts"

/** Only Mailchimp's files have both columns. */
const marks = ["LEID", "EUID"]

const technical = [
  ...marks,
  ..."MEMBER_RATING OPTIN_TIME OPTIN_IP CONFIRM_TIME CONFIRM_IP LATITUDE LONGITUDE GMTOFF DSTOFF TIMEZONE CC".split(
    " ",
  ),
  ..."REGION LAST_CHANGED UNSUB_TIME UNSUB_CAMPAIGN_TITLE UNSUB_CAMPAIGN_ID UNSUB_REASON UNSUB_REASON_OTHER".split(" "),
  ..."CLEAN_TIME CLEAN_CAMPAIGN_TITLE CLEAN_CAMPAIGN_ID".split(" "),
]

/** The keys (`headerKey`) of the file's technical columns; empty when the file is not Mailchimp's. */
export const technicalColumns = (headers: ReadonlyArray<string>): ReadonlySet<string> => {
  const keys = new Set(headers.map(headerKey))
  return new Set(marks.every((mark) => keys.has(headerKey(mark))) ? technical.map(headerKey) : [])
}
