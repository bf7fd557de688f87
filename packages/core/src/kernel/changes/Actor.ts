// The current actor. Entry points set it; the audit log records it.
import { Context } from "effect"

/** `admin` over HTTP, `cli` for commands, `key:<prefix>` for API calls, `user:<user_id>` for signed-in users, `worker` for background
 * work. */
export type ActorName = "admin" | "cli" | "worker" | `key:${string}` | `user:${string}`

export const Actor = Context.Reference<ActorName>("tentpole/Actor", { defaultValue: () => "worker" })
