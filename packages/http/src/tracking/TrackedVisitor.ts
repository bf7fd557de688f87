// What a request for a pixel or a link shows of who makes it: known machines by isbot, except for those programs that fetch for a
// person at the moment when that person looks.
import type { ClientRequest } from "@tentpole/core/tracking/BotFilter"
import { isbot } from "isbot"

/** A request's method and headers, their names in small letters. */
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
    knownMachine: userAgent !== null && isbot(userAgent) && !inAPersonsName.test(userAgent),
  }
}

const header_length_max = 1000

/** Webmail's picture proxies, and mail programs that name nothing but themselves: a list of machines takes them for such. */
const inAPersonsName =
  /GoogleImageProxy|YahooMailProxy|^(?:Outlook-Android|eM Client|Airmail|Spark|Superhuman|AquaMail|K-9 Mail|Evolution|KMail)\b/
