// Classification of requests for pixels and links: known bots by isbot, except programs that fetch while a person reads.
import type { ClientRequest } from "@tentpole/core/tracking/BotFilter"
import { isbot } from "isbot"

/** Method and headers of a request; header names are in lower case. */
export interface Shown {
  readonly method: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export const visitorOf = ({ headers, method }: Shown): ClientRequest => {
  const userAgent = headers["user-agent"]?.toString().slice(0, header_length_max) ?? null
  const purpose = headers["sec-purpose"] ?? headers["purpose"] ?? headers["x-purpose"] ?? headers["x-moz"]
  return {
    method,
    userAgent,
    purpose: purpose?.toString() ?? null,
    knownMachine: userAgent !== null && isbot(userAgent) && !fetchesForPerson.test(userAgent),
  }
}

const header_length_max = 1000

/** Image proxies of webmail and mail programs that isbot classifies as bots. */
const fetchesForPerson =
  /GoogleImageProxy|YahooMailProxy|^(?:Outlook-Android|eM Client|Airmail|Spark|Superhuman|AquaMail|K-9 Mail|Evolution|KMail)\b/
