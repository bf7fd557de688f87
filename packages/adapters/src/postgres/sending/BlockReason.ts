// The block reason of a recipient as SQL, generated from the conditions of core.
import type { PgClient } from "@effect/sql-pg"
import { blockConditions, type RecipientFacts } from "@tentpole/core/sending/Suppression"
import type { Statement } from "effect/sql"

const columns: { readonly [Fact in keyof RecipientFacts]: string } = {
  emailNormalized: "c.email_normalized",
  unsubscribed: "c.unsubscribed",
  marketingEmailSubscribed: "c.marketing_email_subscribed",
  marketingEmailInvalid: "c.marketing_email_invalid",
  suppression: "s.reason",
}

const isValue = (column: string, value: string | boolean | null): string =>
  typeof value === "string" ? `${column} = '${value}'` : `${column} is ${value}`

/**
 * The branches of a CASE whose value is the block reason. They read `contact c`, left joined to the `suppression s` of its
 * address. `operational`: the value, or the name of a column.
 */
export const blockBranches = (operational: boolean | string, address: string = columns.emailNormalized): string =>
  blockConditions
    .map(({ marketingOnly, reason, when }) => {
      const holds = when
        .map(([fact, value]) => isValue(fact === "emailNormalized" ? address : columns[fact], value))
        .join(" or ")
      return `when ${marketingOnly ? `not ${operational} and (${holds})` : holds} then '${reason}'`
    })
    .join(" ")

/** The block reason, or null. */
export const blockReasonOf = (sql: PgClient.PgClient, operational: boolean | string): Statement.Fragment =>
  sql.literal(`case ${blockBranches(operational)} end`)
