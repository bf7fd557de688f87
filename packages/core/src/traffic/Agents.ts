// The port to whoever knows browsers, machines, sites and where addresses are.
import { Context } from "effect"

export const devices = ["desktop", "mobile", "tablet", "unknown"] as const
export type Device = (typeof devices)[number]

/** What somebody visits with, and from where. `unknown` where nothing can be told. */
export interface Agent {
  readonly country: string
  readonly device: Device
  readonly browser: string
  readonly os: string
}

/** A visit, described; without a referrer it is `direct`. */
export interface DescribedAgent extends Agent {
  readonly referrer: string
}

export const described_length_max = 100

/** No more of a header is read. */
export const header_length_max = 1_000

export class Agents extends Context.Service<
  Agents,
  {
    /** Null for a machine that reads by itself: its visits don't count. */
    readonly agentOf: (visitor: { readonly userAgent: string; readonly address: string }) => Agent | null
    /** The site that led here. */
    readonly siteOf: (visit: {
      readonly referrer: string | null
      /** The page's own host: coming from there is no referral. */
      readonly host: string
    }) => string
  }
>()("tentpole/Agents") {}
