// The refusal of a message that is larger than `MESSAGE_BYTES_MAX`. Values of a contact can fill many tokens, so the size of
// a message is known only when it is rendered.
import { Result, Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

export class MessageTooLarge extends refusalClass<MessageTooLarge>()("MessageTooLarge", {
  code: "message_too_large",
  fields: { bytes_max: Schema.Int },
  message: ({ bytes_max }) =>
    `The message has more than ${bytes_max} bytes with the values of this contact. Use fewer tokens, or shorter values`,
  extras: ({ bytes_max }) => ({ limit: bytes_max }),
}) {}

/** The result of rendering, which throws `MessageTooLarge`. */
export const withinSize = <A>(render: () => A): Result.Result<A, MessageTooLarge> => {
  try {
    return Result.succeed(render())
  } catch (error) {
    if (error instanceof MessageTooLarge) return Result.fail(error)
    throw error
  }
}
