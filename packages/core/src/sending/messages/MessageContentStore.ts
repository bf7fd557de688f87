// The port to the content of single messages, as long as it is stored.
import { Context, type Effect } from "effect"
import type { ApprovalId, DeliveryId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { MessageContent } from "./MessageContent.ts"

export class MessageContentStore extends Context.Service<
  MessageContentStore,
  {
    /** `NotFound`: there is no such message, or its row was deleted by age. */
    readonly get: (workspace: WorkspaceId, id: DeliveryId) => Effect.Effect<MessageContent, NotFound>
    /** The approval of its delivery. */
    readonly approvalOf: (workspace: WorkspaceId, id: DeliveryId) => Effect.Effect<ApprovalId, NotFound>
    /** The bytes of its attachments, in their order. */
    readonly files: (workspace: WorkspaceId, id: DeliveryId) => Effect.Effect<ReadonlyArray<Uint8Array<ArrayBuffer>>>
  }
>()("tentpole/MessageContentStore") {}
