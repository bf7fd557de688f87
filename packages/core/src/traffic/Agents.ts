// The port to the detection of browsers, bots, referring sites and countries.
import { Context } from "effect"

export const devices = ["desktop", "mobile", "tablet", "unknown"] as const
export type Device = (typeof devices)[number]

/** The client of a page view. Fields are `unknown` when they can't be detected. */
export interface Agent {
  readonly country: string
  readonly device: Device
  readonly browser: string
  readonly os: string
}

/** The client and the referring site; `direct` without a referrer. */
export interface DescribedAgent extends Agent {
  readonly referrer: string
}

export const described_length_max = 100

/** Headers are read up to this length. */
export const header_length_max = 1_000

export class Agents extends Context.Service<
  Agents,
  {
    /** Null for a bot: its visits are not counted. */
    readonly agentOf: (visitor: { readonly userAgent: string; readonly address: string }) => Agent | null
    readonly siteOf: (visit: {
      readonly referrer: string | null
      /** The page's own host, which is no referrer. */
      readonly host: string
    }) => string
  }
>()("tentpole/Agents") {}
