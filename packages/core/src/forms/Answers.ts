// What a visitor sent, held to what the form takes, and what of it is said of the visitor as a contact.
import { Result, Schema } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { standardFieldByName } from "../contacts/ContactFields.ts"
import type { ContactPatch } from "../contacts/ContactPatch.ts"
import { type ItemContext, readPatch } from "../contacts/batch/ContactItem.ts"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { trim } from "../kernel/Text.ts"
import { honeypot_name } from "../tents/pages/PageDocument.ts"
import type { Form } from "./Form.ts"

export const fields_max = 100
export const field_bytes_max = 10_240

/** Names and values as they were sent, in their order. */
export type Sent = ReadonlyArray<readonly [name: string, value: string]>

export class TooMuchSent extends Schema.TaggedError<TooMuchSent>()("TooMuchSent", {}) {
  readonly code = "payload_too_large" satisfies ErrorCode
  override get message(): string {
    return `A form takes ${fields_max} fields of ${field_bytes_max} bytes each`
  }
}

/** By field: what was sent under a name more than once, as by check boxes, stands with commas between. */
export type Answers = Readonly<Record<string, string>>

/** Null: sent by a machine, which filled in what people don't see. */
export const readAnswers = (form: Form, sent: Sent): Result.Result<Answers | null, Invalid | TooMuchSent> => {
  const trap = sent.filter(([name]) => name === honeypot_name)
  if (sent.length - trap.length > fields_max) return Result.fail(new TooMuchSent())
  if (sent.some(([, value]) => encodeText(value).length > field_bytes_max)) return Result.fail(new TooMuchSent())
  const broken = sent.find(([name, value]) => unstorable.test(name) || unstorable.test(value))
  if (broken !== undefined) return Result.fail(Invalid.at(broken[0].replace(unstorable, ""), "must be text"))
  if (trap.some(([, value]) => value !== "")) return Result.succeed(null)
  const taken = new Set(form.fields)
  const answers = new Map<string, string>()
  for (const [name, value] of sent) {
    if (!taken.has(name)) continue
    const before = answers.get(name)
    answers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  if ([...answers.values()].every((value) => trim(value) === "")) {
    return Result.fail(Invalid.at("", "is empty: fill in a field"))
  }
  return Result.succeed(Object.fromEntries(answers))
}

/** What PostgreSQL's text can't hold. */
const unstorable = /\0|\p{Cs}/u

/**
 * The visitor as a contact: fields by the names that contacts have for them, standard or custom. Null when they left neither
 * email nor phone. An email that is none is refused, so that it can be mended; so is a phone where there is no email.
 * Anything else that no contact can have stays with the submission alone.
 */
export const readVisitor = (answers: Answers, how: ItemContext): Result.Result<ContactPatch | null, Invalid> => {
  let visitor: ContactPatch = {}
  let broken: Invalid | null = null
  for (const [name, value] of Object.entries(answers)) {
    const text = trim(value)
    const item = text === "" ? null : itemOf(name, text, how)
    if (item === null) continue
    const read = readPatch(item, how)
    if (Result.isSuccess(read)) visitor = joined(visitor, read.success)
    else if (name === "email")
      return Result.fail(Invalid.at(name, "must be an email address, such as name@example.com"))
    else if (name === "phone") broken = Invalid.at(name, "must be a phone number, such as +41 44 668 18 00")
  }
  if (visitor.email || visitor.phone) return Result.succeed(visitor)
  return broken === null ? Result.succeed(null) : Result.fail(broken)
}

const itemOf = (name: string, text: string, { fields }: ItemContext): object | null => {
  if (standardFieldByName.get(name)?.writable === true) return { [name]: text }
  return fields.get(name)?.status === "active" ? { custom_fields: { [name]: text } } : null
}

const joined = (left: ContactPatch, right: ContactPatch): ContactPatch => {
  const customFields = new Map([...(left.customFields ?? []), ...(right.customFields ?? [])])
  return { ...left, ...right, ...(customFields.size === 0 ? {} : { customFields }) }
}
