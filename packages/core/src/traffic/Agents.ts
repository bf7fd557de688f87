// The port to whoever knows browsers, machines, sites and where addresses are.
import { Context } from "effect"

export const devices = ["desktop", "mobile", "tablet", "unknown"] as const
export type Device = (typeof devices)[number]

/** `unknown` where nothing can be told; a visit without a referrer is `direct`. */
export interface Described {
  readonly country: string
  readonly device: Device
  readonly browser: string
  readonly os: string
  readonly referrer: string
}

export const described_length_max = 100

export class Agents extends Context.Service<
  Agents,
  {
    /** Null for a machine that reads by itself: its visits don't count. */
    readonly describe: (visit: {
      readonly userAgent: string
      readonly referrer: string | null
      /** The page's own host: coming from there is no referral. */
      readonly host: string
      readonly address: string
    }) => Described | null
  }
>()("tentpole/Agents") {}
