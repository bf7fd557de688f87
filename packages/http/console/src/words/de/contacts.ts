// Kontakte und eine Person.
import type { Words } from "../Words.tsx"
import { pluralsOf } from "../plural.ts"

const plural = pluralsOf("de")

export const contacts: Words["contacts"] = {
  title: "Kontakte",
  count: plural({ one: "{n} Kontakt", other: "{n} Kontakte" }),
}
