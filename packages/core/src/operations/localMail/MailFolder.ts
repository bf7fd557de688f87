// The port to messages that the service writes to files, because no mail server is set.
import { Context, type DateTime, Effect } from "effect"

/** The newest files that are listed. Older ones stay in the folder. */
export const local_mails_max = 5_000

export const mailKinds = ["blast", "flow", "message", "test"] as const
/** `message`: a single message, such as a receipt or a confirmation mail. */
export type MailKind = (typeof mailKinds)[number]

/** What the recipient of a message or its mail server can do. */
export const mailEvents = ["open", "click", "unsubscribe", "bounce", "complaint"] as const
export type MailEvent = (typeof mailEvents)[number]

/** The beginning of a message in a file. */
export interface MailFile {
  /** Time and random digits of the file's name. */
  readonly id: string
  readonly createdAt: DateTime.Utc
  /** The return path of the envelope. */
  readonly returnPath: string
  readonly to: string
  readonly from: string
  readonly subject: string
  /**
   * The value of `Feedback-ID`. It begins with `<blast>:<approval>` for blasts and flows, `<blast>:messages` for single messages,
   * `test:<email>` for test messages.
   */
  readonly feedbackId: string
  readonly size_bytes: number
}

export interface MailFolder {
  /** Whether mail is written to files, outside of production. */
  readonly isUsed: boolean
  /** Newest first, at most `local_mails_max`. */
  readonly list: Effect.Effect<ReadonlyArray<MailFile>>
  /** The message with its envelope in the first two headers. Null if the file does not exist. */
  readonly read: (id: string) => Effect.Effect<Uint8Array | null>
  readonly delete: (ids: ReadonlyArray<string>) => Effect.Effect<void>
}

/** Programs that set none have no local mail. */
export const MailFolder = Context.Reference<MailFolder>("tentpole/MailFolder", {
  defaultValue: () => ({
    isUsed: false,
    list: Effect.succeed([]),
    read: () => Effect.succeed(null),
    delete: () => Effect.void,
  }),
})
