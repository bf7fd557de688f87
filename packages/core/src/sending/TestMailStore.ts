// The port to test messages that wait to be sent. One is here from the request until its end, and is handed over once at most:
// whoever may send it is told so in the statement that writes it down.
import { Context, type Effect } from "effect"
import type { ContactId, EmailId, TestMailId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"

/** One message of one email to one address, to see what it looks like. */
export interface TestMail {
  readonly id: TestMailId
  readonly emailId: EmailId
  /** What the HTML was when the test was asked for. */
  readonly version: number
  /** Whose values stand for tokens; null: a sample's. */
  readonly contactId: ContactId | null
  /** As it was written; kept as it goes into the envelope. */
  readonly address: string
  readonly addressNormalized: string
}

export class TestMailStore extends Context.Service<
  TestMailStore,
  {
    readonly add: (workspace: WorkspaceId, mails: ReadonlyArray<TestMail>) => Effect.Effect<void, never, Transaction>
    /** One that waits. Not found: handed over, ended, or gone with its email. */
    readonly waiting: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<TestMail, NotFound>
    /**
     * Whether the caller may send it: true once, and never again unless it is taken back. False also for an address that
     * bounces, has complained, or was suppressed by hand.
     */
    readonly handOver: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<boolean, never, Transaction>
    /** The caller knows that nothing was sent: it waits again. */
    readonly release: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<void, never, Transaction>
    /** It has ended, one way or the other. */
    readonly forget: (workspace: WorkspaceId, id: TestMailId) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/TestMailStore") {}
