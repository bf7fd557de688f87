// The answers of a submission, limited to the form's fields, and the visitor's contact fields among them.
import { Result } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { standardFieldByName } from "../contacts/ContactFields.ts"
import type { ContactPatch } from "../contacts/ContactPatch.ts"
import { type ItemContext, readPatch } from "../contacts/batch/ContactItem.ts"
import { Invalid, type Issue, refusalClass } from "../kernel/Refusal.ts"
import { trim } from "../kernel/Text.ts"
import { honeypot_name } from "../tents/pages/PageDocument.ts"
import type { Form } from "./Form.ts"

export const fields_max = 100
export const field_bytes_max = 10_240

/** Names and values as they were sent, in order. */
export type SentFields = ReadonlyArray<readonly [name: string, value: string]>

export class TooMuchSent extends refusalClass<TooMuchSent>()("TooMuchSent", {
  code: "payload_too_large",
  message: () => `A form takes ${fields_max} fields of ${field_bytes_max} bytes each`,
}) {}

/** By field. Several values of one name, as from check boxes, are joined with commas; together they have the size of a field. */
export type Answers = Readonly<Record<string, string>>

/** Null: a bot filled in the honeypot. Messages are sentences for the visitor. */
export const readAnswers = (form: Form, sent: SentFields): Result.Result<Answers | null, Invalid | TooMuchSent> => {
  const trap = sent.filter(([name]) => name === honeypot_name)
  if (sent.length - trap.length > fields_max) return Result.fail(new TooMuchSent())
  if (sent.some(([, value]) => isTooLong(value))) return Result.fail(new TooMuchSent())
  const broken = sent.find(([name, value]) => unstorableText.test(name) || unstorableText.test(value))
  if (broken !== undefined)
    return Result.fail(
      Invalid.at(broken[0].replace(unstorableText, ""), "Please enter text without control characters"),
    )
  if (trap.some(([, value]) => value !== "")) return Result.succeed(null)
  const taken = new Set(form.fields)
  const answers = new Map<string, string>()
  for (const [name, value] of sent) {
    if (!taken.has(name)) continue
    const before = answers.get(name)
    answers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  if ([...answers.values()].some(isTooLong)) return Result.fail(new TooMuchSent())
  if ([...answers.values()].every((value) => trim(value) === "")) {
    return Result.fail(Invalid.at("", "Please fill in at least one field"))
  }
  return Result.succeed(Object.fromEntries(answers))
}

export const isTooLong = (value: string): boolean => encodeText(value).length > field_bytes_max

/** What PostgreSQL's text can't store. */
const unstorableText = /\0|\p{Cs}/u

/**
 * The visitor as a contact: answers under the names of standard or custom fields. Null without email and phone. A malformed
 * email is refused, so that the visitor can correct it; a malformed phone only without an email. Other invalid values stay
 * in the submission only.
 */
export const readVisitor = (answers: Answers, how: ItemContext): Result.Result<ContactPatch | null, Invalid> => {
  let visitor: ContactPatch = {}
  const broken = new Map<string, Issue>()
  for (const [name, value] of Object.entries(answers)) {
    const text = trim(value)
    const item = text === "" ? null : itemOf(name, text, how)
    if (item === null) continue
    const read = readPatch(item, how)
    if (Result.isSuccess(read)) visitor = joined(visitor, read.success)
    else if (name === "email" || name === "phone") broken.set(name, { path: name, message: corrections[name] })
  }
  if (broken.has("email") || (broken.has("phone") && !visitor.email)) {
    return Result.fail(new Invalid({ issues: [...broken.values()] }))
  }
  return Result.succeed(visitor.email || visitor.phone ? visitor : null)
}

const corrections = {
  email: "Please enter an email address, for example ann@example.com",
  phone: "Please enter a phone number, for example +41 44 668 18 00",
} as const

const itemOf = (name: string, text: string, { fields }: ItemContext): object | null => {
  if (standardFieldByName.get(name)?.writable === true) return { [name]: text }
  return fields.get(name)?.status === "active" ? { custom_fields: { [name]: text } } : null
}

const joined = (left: ContactPatch, right: ContactPatch): ContactPatch => {
  const customFields = new Map([...(left.customFields ?? []), ...(right.customFields ?? [])])
  return { ...left, ...right, ...(customFields.size === 0 ? {} : { customFields }) }
}
