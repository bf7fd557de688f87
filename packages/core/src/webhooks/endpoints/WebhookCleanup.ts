// The use case of jobs that write the rows of an endpoint slice by slice: of a deleted one, and of one that does without what it missed.
import { Context, Effect, Layer } from "effect"
import type { WebhookEndpointId, WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { EndpointStore } from "./EndpointStore.ts"

/** Rows of one transaction, so that it takes less than a second. */
export const cleanup_rows_max = 5_000

export class WebhookCleanup extends Context.Service<
  WebhookCleanup,
  {
    /** For workers. After a kill it goes on behind the last slice. */
    readonly run: (workspace: WorkspaceId, id: WebhookEndpointId) => Effect.Effect<void>
  }
>()("tentpole/WebhookCleanup") {
  static readonly layerOf = (rows_max: number) =>
    Layer.effect(
      WebhookCleanup,
      Effect.gen(function* () {
        const store = yield* EndpointStore
        const { transact } = yield* Transactor

        /** Whether there may be more. */
        const slice = (workspace: WorkspaceId, id: WebhookEndpointId) =>
          transact(
            store.lock(workspace, id).pipe(
              Effect.flatMap(() => store.skipMissed(workspace, id, rows_max)),
              Effect.catchTag("NotFound", () => store.deleteRows(workspace, id, rows_max)),
            ),
          )

        return WebhookCleanup.of({
          run: Effect.fn("WebhookCleanup.run")(function* (workspace, id) {
            while (yield* slice(workspace, id));
          }),
        })
      }),
    )

  static readonly layer = WebhookCleanup.layerOf(cleanup_rows_max)
}
