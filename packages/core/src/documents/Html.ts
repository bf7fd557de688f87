// The door through which the HTML of emails and templates goes, whoever wrote it: of bearable size, and with nothing in it
// that could act by itself.
import { Result } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { html_size_bytes_max } from "../emails/EmailFields.ts"
import { HtmlTooLarge } from "../emails/EmailErrors.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { dangersOf, type Unclean } from "./Clean.ts"
import { isBlank } from "../kernel/Text.ts"

/** What makes HTML safe: the whole document again, or why it can't be. */
export type Clean = (html: string) => Result.Result<string, Unclean>

/** What could act by itself in HTML; empty when it is safe. */
export type Dangers = (html: string) => ReadonlyArray<string>

/** A page that has no dangers stays as it is, byte for byte; of another one stays what the cleaner leaves. */
export const asWritten =
  (clean: Clean): Clean =>
  (html) =>
    // The cleaner looks first: it bears what would keep a parser busy for long.
    Result.map(clean(html), (cleaned) => (dangersOf(html).length === 0 ? html : cleaned))

/** HTML that says something, and is not too large. */
export const checkHtml = (
  html: string,
  bytes_max = html_size_bytes_max,
): Result.Result<string, Invalid | HtmlTooLarge> => {
  if (isBlank(html)) return Result.fail(Invalid.at("html", "must not be empty"))
  const size_bytes = html.length > bytes_max ? html.length : encodeText(html).length
  return size_bytes > bytes_max ? Result.fail(new HtmlTooLarge({ size_bytes, bytes_max })) : Result.succeed(html)
}

/**
 * HTML that may be kept, or what is wrong with it, told of the body's `html`. What the cleaner let through is looked at once
 * more, by other eyes.
 */
export const keepable =
  (clean: Clean, dangers: Dangers, bytes_max: number) =>
  (html: string): Result.Result<string, Invalid | HtmlTooLarge> =>
    Result.gen(function* () {
      const checked = yield* checkHtml(html, bytes_max)
      const kept = yield* Result.mapError(clean(checked), ({ reason }) => Invalid.at("html", reason))
      return dangers(kept).length === 0
        ? kept
        : yield* Result.fail(Invalid.at("html", "can't be sanitized: it contains active content"))
    })
