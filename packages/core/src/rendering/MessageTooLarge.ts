// The refusal of a message that is larger than `MESSAGE_BYTES_MAX`. Values of a contact can fill many tokens, so the size of
// a message is known only when it is rendered.
import { Effect, Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import { inSteps, type Steps } from "../kernel/runtime/Steps.ts"

export class MessageTooLarge extends refusalClass<MessageTooLarge>()("MessageTooLarge", {
  code: "message_too_large",
  fields: { bytes_max: Schema.Int },
  message: ({ bytes_max }) =>
    `The message has more than ${bytes_max} bytes with the values of this contact. Use fewer tokens, or shorter values`,
  extras: ({ bytes_max }) => ({ limit: bytes_max }),
}) {}

/** Rendering in steps that may throw `MessageTooLarge`. */
export const withinSize = <A>(steps: Steps<A>): Effect.Effect<A, MessageTooLarge> =>
  Effect.catchDefect(inSteps(steps), (error) =>
    error instanceof MessageTooLarge ? Effect.fail(error) : Effect.die(error),
  )
