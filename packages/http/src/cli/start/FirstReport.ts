// What the HTTP process reports to `tentpole start`, which has none of the use cases: loading them takes most of a second.
import { Schema } from "effect"

/** The argument of an HTTP process that reports. Only the first one does: a new link would replace the one of the banner. */
export const reports_first_start = "--report-first-start"

/** `key` is the raw API key if it was created now, `link` the token of the first sign-in while there is no user. */
export const FirstStart = Schema.Struct({ key: Schema.NullOr(Schema.String), link: Schema.NullOr(Schema.String) })
export type FirstStart = typeof FirstStart.Type
