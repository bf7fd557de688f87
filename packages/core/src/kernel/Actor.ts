// Who does what is done: whoever lets somebody in says so, and the audit log asks.
import { Context } from "effect"

/** `admin` over HTTP, `cli` by command, `key:<prefix>` through the API, `worker` where nobody asks any more. */
export type ActorName = "admin" | "cli" | "worker" | `key:${string}`

export const Actor = Context.Reference<ActorName>("tentpole/Actor", { defaultValue: () => "worker" })
