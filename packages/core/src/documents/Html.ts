// Validation of the HTML of documents: its size, and no active content.
import { Result } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { dangersOf, type Unclean } from "./Clean.ts"
import { isBlank } from "../kernel/Text.ts"
import { HtmlTooLarge } from "./DocumentErrors.ts"

/** The largest HTML that can be rendered and mailed in reasonable time; an installation may set less. */
export const html_size_bytes_max = 4 * 1024 * 1024

/** Makes HTML safe: answers the whole document, or why that is impossible. */
export type Clean = (html: string) => Result.Result<string, Unclean>

/** The active content of HTML; empty when it is safe. */
export type Dangers = (html: string) => ReadonlyArray<string>

/** Returns HTML without active content byte for byte; cleans any other. */
export const cleanUnlessSafe =
  (clean: Clean): Clean =>
  (html) =>
    // The cleaner comes first: it refuses HTML that would take the parser of `dangersOf` a long time.
    Result.map(clean(html), (cleaned) => (dangersOf(html).length === 0 ? html : cleaned))

/** HTML that is neither empty nor too large. */
export const checkHtml = (
  html: string,
  bytes_max = html_size_bytes_max,
): Result.Result<string, Invalid | HtmlTooLarge> => {
  if (isBlank(html)) return Result.fail(Invalid.at("html", "must not be empty"))
  const size_bytes = html.length > bytes_max ? html.length : encodeText(html).length
  return size_bytes > bytes_max ? Result.fail(new HtmlTooLarge({ size_bytes, bytes_max })) : Result.succeed(html)
}

/**
 * HTML that may be stored, or what is wrong with it, reported at the body's `html`. `dangers` shares no code with the cleaner
 * and checks its result.
 */
export const storable =
  (clean: Clean, dangers: Dangers, bytes_max: number) =>
  (html: string): Result.Result<string, Invalid | HtmlTooLarge> =>
    Result.gen(function* () {
      const checked = yield* checkHtml(html, bytes_max)
      const cleaned = yield* Result.mapError(clean(checked), ({ reason }) => Invalid.at("html", reason))
      return dangers(cleaned).length === 0
        ? cleaned
        : yield* Result.fail(Invalid.at("html", "can't be sanitized: it contains active content"))
    })
