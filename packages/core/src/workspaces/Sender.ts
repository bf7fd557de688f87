// The sender of an email: display name and address, as schemas for header values.
import { Schema } from "effect"
import { parseEmail } from "../kernel/values/EmailAddress.ts"

/** A header value is one line, so that it cannot end its header. A tab is allowed and reads as a space. */
export const oneLine = Schema.isPattern(/^(?:[^\p{Cc}\p{Zl}\p{Zp}]|\t)*$/u, {
  message: "must be one line, without line breaks and control characters",
})

/** Ends the checks of a longer text: a pattern over megabytes can exhaust the stack. */
export const atMost = (length: number) =>
  Schema.isMaxLength(length, { message: `must have at most ${length} characters` }).abort()

export const FromName = Schema.String.check(atMost(120), oneLine).annotate({
  description: "Sender name, at most 120 characters; can contain merge tokens",
})

/** Only ASCII before the `@`: anything else needs SMTPUTF8 on every server between sender and recipient. */
export const SenderAddress = Schema.String.check(
  atMost(1000),
  oneLine,
  Schema.makeFilter((text: string) => {
    const address = parseEmail(text)
    if (address === null) return "must be an email address, such as news@example.com"
    return /^[\x20-\x7e]*@[^@]*$/.test(address.written) || "must have only ASCII characters before the @"
  }),
).annotate({ description: "An email address, such as news@example.com. The domain can be international" })
