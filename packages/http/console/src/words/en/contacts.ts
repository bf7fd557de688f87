// Contacts and a person.
import { pluralsOf } from "../plural.ts"

const plural = pluralsOf("en")

export const contacts = {
  title: "Contacts",
  count: plural({ one: "{n} contact", other: "{n} contacts" }),
}
