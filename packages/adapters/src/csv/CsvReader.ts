// The CSV reader: csv-parse, after a decoder that detects the encoding and a guess of the delimiter.
import * as NodeStream from "@effect/platform-node/NodeStream"
import { CsvReader, type CsvRecord, ImportUnreadable } from "@tentpole/core/imports/CsvReader"
import { CsvError, type InfoRecord, parse } from "csv-parse"
import { Effect, Layer, Option, Result, Sink, Stream } from "effect"
import { Decoder } from "./Decoder.ts"
import { guessDelimiter } from "./Delimiter.ts"

/** A record above this length is an open quote that swallows the file. */
const record_chars_max = 256 * 1024

const refused = (reason: string) => new ImportUnreadable({ reason })

const decoded = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E | ImportUnreadable, R> =>
  bytes.pipe(
    Stream.map((chunk): Uint8Array | "end" => chunk),
    Stream.concat(Stream.succeed("end" as const)),
    Stream.mapAccumEffect(
      () => new Decoder(),
      (decoder, chunk) => {
        const text = chunk === "end" ? decoder.end() : decoder.push(chunk)
        return Result.isSuccess(text)
          ? Effect.succeed([decoder, text.success === "" ? [] : [text.success]] as const)
          : Effect.fail(refused(text.failure))
      },
    ),
  )

/** Excel's declaration of the delimiter: a first line `sep=;`. */
const separatorLine = /^sep=(.)(\r\n|\r|\n)/i

interface Layout {
  readonly delimiter: string
  /** The text before the header. */
  readonly skipped_chars: number
  readonly skipped_lines: number
}

const layoutOf = (head: string): Layout => {
  const named = separatorLine.exec(head)
  if (named?.[1] !== undefined) return { delimiter: named[1], skipped_chars: named[0].length, skipped_lines: 1 }
  return { delimiter: guessDelimiter(head), skipped_chars: 0, skipped_lines: 0 }
}

const toUnreadable = (error: unknown): ImportUnreadable => {
  const record =
    error instanceof CsvError && typeof error["records"] === "number" ? ` after record ${error["records"]}` : ""
  switch (error instanceof CsvError ? error.code : "") {
    case "CSV_QUOTE_NOT_CLOSED":
      return refused(`a quote is opened${record} and not closed before the end of the file`)
    case "CSV_MAX_RECORD_SIZE":
      return refused(`there is a record of more than ${record_chars_max / 1024} KB${record}; a quote may be left open`)
    default:
      return refused(`its quotes and delimiters make no sense${record}`)
  }
}

interface Parsed {
  readonly record: ReadonlyArray<string>
  readonly info: Pick<InfoRecord, "lines">
}

const parsed = <E, R>(text: Stream.Stream<string, E, R>, delimiter: string) =>
  NodeStream.pipeThroughDuplex<R, E, string, Parsed, ImportUnreadable>(text, {
    evaluate: () =>
      parse({
        delimiter,
        // Both line ends are listed, since csv-parse would take the first one for the only one.
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
        max_record_size: record_chars_max,
        info: true,
      }),
    onError: toUnreadable,
  })

const lineBreak = /\r\n|\r|\n/g

/**
 * The line on which each record begins. csv-parse reports the line on which it ends, and counts each CR LF within quotes as
 * two lines.
 */
const located = <E, R>(records: Stream.Stream<Parsed, E, R>, skipped_lines: number): Stream.Stream<CsvRecord, E, R> =>
  Stream.mapAccum(
    records,
    () => ({ counted: 0, twice: -skipped_lines }),
    ({ counted, twice }, { record: cells, info }) => {
      if (info.lines - counted <= 1) return [{ counted: info.lines, twice }, [{ line: info.lines - twice, cells }]]
      const breaks = cells.flatMap((cell) => cell.match(lineBreak) ?? [])
      const twiceNow = twice + breaks.filter((each) => each.length > 1).length
      return [{ counted: info.lines, twice: twiceNow }, [{ line: info.lines - twiceNow - breaks.length, cells }]]
    },
  )

export const layer = Layer.succeed(
  CsvReader,
  CsvReader.of({
    read: (bytes) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const [head, rest] = yield* Stream.peel(decoded(bytes), Sink.head<string>())
          if (Option.isNone(head)) return Stream.fail(refused("it is empty"))
          const { delimiter, skipped_chars, skipped_lines } = layoutOf(head.value)
          const table = Stream.concat(Stream.succeed(head.value.slice(skipped_chars)), rest)
          return located(parsed(table, delimiter), skipped_lines)
        }),
      ),
  }),
)
