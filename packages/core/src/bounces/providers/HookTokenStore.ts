// The port to used tokens of providers' calls. A token does not sign the body, so that it is accepted for one body only.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Provider } from "./ProviderCall.ts"

export class HookTokenStore extends Context.Service<
  HookTokenStore,
  {
    /**
     * Whether the token may be used with this body: it is used for the first time, or was used for the same body. Both are
     * hashes. Of two concurrent calls with different bodies one is refused. Tokens older than `keep_s` are deleted.
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
