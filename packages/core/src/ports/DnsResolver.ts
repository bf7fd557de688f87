// The port to DNS, for verifying sending domains.
import { Context, type Effect, Schema } from "effect"

/** The name server failed or timed out; retry later. A name that does not exist gives an empty answer instead. */
export class DnsUnavailable extends Schema.TaggedError<DnsUnavailable>()("DnsUnavailable", { name: Schema.String }) {}

export class DnsResolver extends Context.Service<
  DnsResolver,
  {
    /** The TXT records of a name, each with its strings joined. */
    readonly txt: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsUnavailable>
    /** The CNAME targets of a name, in lower case, without the final dot. */
    readonly cname: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsUnavailable>
    /** The MX exchanges of a name, in lower case, without the final dot. */
    readonly mx: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsUnavailable>
  }
>()("tentpole/DnsResolver") {}
