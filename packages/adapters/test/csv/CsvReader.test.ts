import * as Csv from "@tentpole/adapters/csv/CsvReader"
import { tagged } from "@tentpole/core/contract"
import { CsvReader } from "@tentpole/core/imports/CsvReader"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"

const inChunks = (bytes: Uint8Array, size: number): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size)),
  )

const readWithLines = Effect.fnUntraced(function* (content: string | Uint8Array, chunk_bytes = 1000) {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  const { read } = yield* CsvReader
  return yield* Stream.runCollect(read(inChunks(bytes, chunk_bytes)))
})

const read = (content: string | Uint8Array, chunk_bytes?: number) =>
  Effect.map(readWithLines(content, chunk_bytes), (records) => records.map(({ cells }) => cells))

const utf16 = (text: string, order: "le" | "be", mark: boolean): Uint8Array => {
  const little = Buffer.from((mark ? "\ufeff" : "") + text, "utf16le")
  return order === "le" ? little : little.swap16()
}

layer(Csv.layer)("CSV as people have it", (it) => {
  it.effect("quoted cells may contain delimiters, doubled quotes and line breaks", () =>
    Effect.gen(function* () {
      const text = 'email,note\r\na@b.co,"one\r\ntwo, ""three"""\nb@b.co,"x"\rc@b.co,plain'
      for (const chunk_bytes of [1, 2, 7, 1000]) {
        assert.deepStrictEqual(yield* read(text, chunk_bytes), [
          ["email", "note"],
          ["a@b.co", 'one\r\ntwo, "three"'],
          ["b@b.co", "x"],
          ["c@b.co", "plain"],
        ])
      }
    }),
  )

  it.effect("detects comma, semicolon, tab and pipe, and needs none for one column", () =>
    Effect.gen(function* () {
      for (const delimiter of [",", ";", "\t", "|"]) {
        const text = [
          ["name", "email"],
          ["Ann; B, C", "a@b.co"],
          ["D|E\tF", "d@b.co"],
        ]
        const file = text.map((cells) => cells.map((cell) => `"${cell}"`).join(delimiter)).join("\n") + "\n"
        assert.deepStrictEqual(yield* read(file), text)
      }
      assert.deepStrictEqual(yield* read("email\na@x.com\nb@x.com\n"), [["email"], ["a@x.com"], ["b@x.com"]])
      assert.deepStrictEqual(yield* read("sep=|\r\nemail|n\r\na@x.com|1,2\r\n"), [
        ["email", "n"],
        ["a@x.com", "1,2"],
      ])
    }),
  )

  it.effect("decodes UTF-8, UTF-16 and Windows-1252, with or without a byte order mark", () =>
    Effect.gen(function* () {
      const text = "Straße,email\nZoë “Œuvre” 10 €,zoe@b.co\n"
      const wanted = [
        ["Straße", "email"],
        ["Zoë “Œuvre” 10 €", "zoe@b.co"],
      ]
      const latin = Uint8Array.from(text, (character) => {
        const found = { "“": 0x93, "”": 0x94, Œ: 0x8c, "€": 0x80 }[character]
        return found ?? character.charCodeAt(0)
      })
      for (const bytes of [
        Buffer.from(text),
        Buffer.from(`\ufeff${text}`),
        utf16(text, "le", true),
        utf16(text, "be", true),
        utf16(text, "le", false),
        utf16(text, "be", false),
        latin,
      ]) {
        for (const chunk_bytes of [1, 3, 1000]) assert.deepStrictEqual(yield* read(bytes, chunk_bytes), wanted)
      }
    }),
  )

  it.effect("detects the encoding when the first byte beyond ASCII is late, at the edge of a window", () =>
    Effect.gen(function* () {
      for (const before of [65_529, 65_530, 65_531, 65_532, 65_533, 131_065, 200_000]) {
        const head = "email,name\n" + "a@b.co,plain\n".repeat(Math.floor(before / 13))
        const filled = head + "x".repeat(Math.max(0, before - head.length))
        const ends = [Buffer.from(`${filled}@b.co,Łódź €\n`), Buffer.from(`${filled}@b.co,Zo\xeb\n`, "latin1")]
        for (const [at, bytes] of ends.entries()) {
          for (const chunk_bytes of [1000, 65_536, 1_000_000]) {
            const records = yield* read(bytes, chunk_bytes)
            assert.strictEqual(records.at(-1)?.[1], at === 0 ? "Łódź €" : "Zoë", `${before} ${chunk_bytes}`)
          }
        }
      }
    }),
  )

  it.effect("returns ragged records unchanged and skips empty lines", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read("a,b,c\n\n1,2\r\n\r\n1,2,3,4\n,,\n"), [
        ["a", "b", "c"],
        ["1", "2"],
        ["1", "2", "3", "4"],
        ["", "", ""],
      ])
      assert.deepStrictEqual(yield* read('a,b\n5" pipe,x "y" z\n'), [
        ["a", "b"],
        ['5" pipe', 'x "y" z'],
      ])
    }),
  )

  it.effect("returns the first line of each record, with any line ends", () =>
    Effect.gen(function* () {
      for (const end of ["\n", "\r\n", "\r"]) {
        for (const inside of ["\n", "\r\n", "\r"]) {
          const lines = ["a,b", "1,2", "", "", `3,"x${inside}y${inside}"`, `"${inside}4",z`, "5,6", "", '7,"8"']
          const records = yield* readWithLines(lines.join(end), 3)
          assert.deepStrictEqual(
            records.map(({ line, cells }) => [line, cells.at(0)?.trim()]),
            [1, 2, 5, 8, 10, 12].map((line, index) => [line, ["a", "1", "3", "4", "5", "7"][index]]),
            JSON.stringify([end, inside]),
          )
        }
      }
      const named = yield* readWithLines("sep=;\r\na;b\r\n1;2\r\n")
      assert.deepStrictEqual(
        named.map(({ line }) => line),
        [2, 3],
      )
    }),
  )

  const csvBombTest = tagged(it.effect, "attack/csv-bomb")
  csvBombTest("refuses content that is no CSV, with the reason", () =>
    Effect.gen(function* () {
      const noise = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256)
      const cases: ReadonlyArray<readonly [string | Uint8Array, RegExp]> = [
        ["", /it is empty/],
        [Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0), /Excel workbook/],
        [Uint8Array.of(0x1f, 0x8b, 8, 0), /gzip/],
        ["%PDF-1.7 …", /PDF/],
        ["<!DOCTYPE html><html></html>", /web page/],
        [noise, /not text/],
        ['email,note\na@b.co,"never closed\nb@b.co,x\n', /quote is opened/],
        [`email,note\na@b.co,"${"open for ever\n".repeat(30_000)}`, /more than 256 KB/],
      ]
      for (const [content, reason] of cases) {
        const refusal = yield* Effect.flip(read(content))
        assert.strictEqual(refusal._tag, "ImportUnreadable")
        assert.match(refusal.message, reason)
      }
    }),
  )

  it.effect("passes a failure of the byte stream on unchanged", () =>
    Effect.gen(function* () {
      const { read } = yield* CsvReader
      const head = Stream.succeed(Buffer.from("email\n" + "a@b.co\n".repeat(20_000)))
      const broken = Stream.concat(head, Stream.fail("store gone" as const))
      assert.strictEqual(yield* Effect.flip(Stream.runDrain(read(broken))), "store gone")
    }),
  )

  it.effect("leaves the rest unread after the header", () =>
    Effect.gen(function* () {
      const { read } = yield* CsvReader
      let pulled = 0
      const endless = Stream.fromEffectRepeat(
        Effect.sync(() => {
          pulled++
          return Buffer.from(pulled === 1 ? "email,name\n" : "a@b.co,Ann\n".repeat(1000))
        }),
      )
      const [header] = yield* read(endless).pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(header, { line: 1, cells: ["email", "name"] })
      assert.isBelow(pulled, 200)
    }),
  )

  csvBombTest("refuses an endless line or quote after half a megabyte", () =>
    Effect.gen(function* () {
      const { read } = yield* CsvReader
      const part = Buffer.alloc(64 * 1024, "nothing but text ")
      for (const [beginning, end] of [
        ["", /more than 256 KB/],
        ["email,note\n", /more than 256 KB after record 1/],
        ['email,note\na@b.co,"never closed\n', /more than 256 KB after record 1; a quote may be left open/],
        [`${"column,".repeat(100_000)}\n`, /more than 256 KB/],
        [`${"c,".repeat(60_000)}c\n1\n`, null],
      ] as const) {
        let pulled_bytes = 0
        const gigabyte = Stream.fromEffectRepeat(
          Effect.sync(() => {
            const bytes = pulled_bytes === 0 ? Buffer.from(beginning === "" ? part : beginning) : part
            pulled_bytes += bytes.length
            return bytes
          }),
        ).pipe(Stream.takeUntil(() => pulled_bytes > 2 ** 30))
        if (end === null) {
          // The reader accepts this many columns. The limit is checked by the import.
          const [header] = yield* read(gigabyte).pipe(Stream.take(1), Stream.runCollect)
          assert.strictEqual(header?.cells.length, 60_001)
        } else {
          const refusal = yield* Effect.flip(Stream.runDrain(read(gigabyte)))
          assert.match(refusal.message, end)
        }
        assert.isBelow(pulled_bytes, 2 ** 20 + beginning.length)
      }
    }),
  )
})

const Cell = Schema.String.check(Schema.isPattern(/^[^\0\ud800-\udfff]*$/))
const Table = Schema.Array(Schema.Tuple([Cell, Cell, Cell])).check(Schema.isMinLength(1))

it.effect.prop(
  "reads quoted cells back with any content and any chunking",
  { table: Table, size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })) },
  ({ table, size }) =>
    Effect.gen(function* () {
      const quoted = (cells: ReadonlyArray<string>) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")
      const file = [["a", "b", "c"], ...table].map(quoted).join("\r\n")
      assert.deepStrictEqual(yield* read(`\ufeff${file}`, size), [["a", "b", "c"], ...table.map((cells) => [...cells])])
    }).pipe(Effect.provide(Csv.layer)),
)
