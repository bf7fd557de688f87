// A timestamp in the body of a request.
import { DateTime, Result, Schema, SchemaGetter } from "effect"
import { readDate } from "./FieldValue.ts"

const offsetMessage = "must be a timestamp with a UTC offset, such as 2026-05-01T12:30:00+02:00 or 2026-05-01T10:30:00Z"

/** ISO 8601 with a time and a UTC offset. */
export const OffsetInstant = Schema.String.annotate({ format: "date-time", examples: ["2026-05-01T12:30:00+02:00"] })
  .check(
    Schema.makeFilter(
      (text: string) => (text.includes(":") && Result.isSuccess(readDate(text, "json"))) || offsetMessage,
    ),
  )
  .pipe(
    Schema.decodeTo(Schema.DateTimeUtc, {
      decode: SchemaGetter.transform((text: string) =>
        DateTime.makeUnsafe(Result.getOrElse(readDate(text, "json"), () => text) ?? text),
      ),
      encode: SchemaGetter.transform(DateTime.formatIso),
    }),
  )
