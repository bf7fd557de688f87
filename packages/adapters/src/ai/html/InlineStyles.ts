// Writes the rules of a model's style sheets to the elements that they are for: some mail programs drop style sheets, and
// models forget to do without them. What people upload is never touched, and what this service composes needs none of it.
import { findTokens } from "@tentpole/core/rendering/MergeTokens"
import { Effect } from "effect"

/** Larger ones stay as they are: rules times elements is work. */
const html_length_max = 300_000

/**
 * The same email with its rules at its elements too. The style sheets stay, for screens and schemes. It never fails: what
 * can't be done without losing a merge token is left undone.
 */
export const inlined = (html: string): Effect.Effect<string> =>
  html.length > html_length_max || !/<style[\s>]/i.test(html)
    ? Effect.succeed(html)
    : Effect.tryPromise(async () => {
        // Loaded when the first email comes: most processes never write one.
        const { default: juice } = await import("juice/client")
        const written = juice(html, { removeStyleTags: false })
        return tokensOf(written) === tokensOf(html) ? written : html
      }).pipe(
        Effect.catch(() =>
          Effect.as(Effect.logDebug("the style sheets of an email could not be written to its elements"), html),
        ),
      )

const tokensOf = (html: string): string =>
  findTokens(html)
    .map(({ start, end }) => html.slice(start, end))
    .join("\n")
