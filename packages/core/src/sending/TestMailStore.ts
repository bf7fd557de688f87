// The port to test messages that wait to be sent. A row exists from the request until the end. A message is handed over at most
// once: the statement that records the hand-over grants it to one caller.
import { Context, type Effect } from "effect"
import type { ContactId, EmailId, TestMailId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"

/** One test message of one email to one address. */
export interface TestMail {
  readonly id: TestMailId
  readonly emailId: EmailId
  /** The version of the HTML when the test was requested. */
  readonly version: number
  /** The contact whose values fill tokens; null: a sample contact. */
  readonly contactId: ContactId | null
  /** As the user wrote it. Used in the envelope. */
  readonly address: string
  readonly addressNormalized: string
}

export class TestMailStore extends Context.Service<
  TestMailStore,
  {
    readonly add: (workspace: WorkspaceId, mails: ReadonlyArray<TestMail>) => Effect.Effect<void, never, Transaction>
    /** A waiting message. `NotFound`: handed over, ended, or deleted with its email. */
    readonly waiting: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<TestMail, NotFound>
    /**
     * Whether the caller may send it: true once, and again only after `release`. Also false for an address that bounced,
     * complained, or was suppressed manually.
     */
    readonly handOver: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<boolean, never, Transaction>
    /** The caller knows that nothing was sent: the message waits again. */
    readonly release: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<void, never, Transaction>
    /** Deletes a message that has ended. */
    readonly delete: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/TestMailStore") {}
