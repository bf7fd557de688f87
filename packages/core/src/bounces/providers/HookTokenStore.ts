// The port that remembers tokens of providers' calls. A token signs no body, so that it is good for one body only.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Provider } from "./ProviderCall.ts"

export class HookTokenStore extends Context.Service<
  HookTokenStore,
  {
    /**
     * Whether the token may go with this body: it is used for the first time, or was used for the same body. Both are
     * hashes. Of two at once with other bodies one is refused. Tokens older than `keep_s` are forgotten.
     */
    readonly use: (
      workspace: WorkspaceId,
      use: {
        readonly provider: Provider
        readonly token: Uint8Array
        readonly body: Uint8Array
        readonly keep_s: number
      },
    ) => Effect.Effect<boolean, never, Transaction>
  }
>()("tentpole/HookTokenStore") {}
