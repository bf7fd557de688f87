// The return paths: one mailbox for each message, verified by the MAC in its name. This service has no other mailboxes.
import { Context, Effect, Layer, Metric, Option } from "effect"
import { Parsers } from "../ports/Parsers.ts"
import { Links } from "../rendering/Links.ts"
import { toPrintableLine } from "../sending/Settlement.ts"
import { reportOf, returnedMailParser } from "./ReturnedMail.ts"
import { reportRecorder } from "./ReportRecording.ts"

const received = Metric.counter("returned_mail_total", {
  description: "Mail that came back to a return path, by what it was read as",
  incremental: true,
})

export class ReturnPaths extends Context.Service<
  ReturnPaths,
  {
    /** Whether the address is a return path of this service. Does not query the database. */
    readonly has: (address: string) => boolean
    /** Reads a returned message and commits its report. Unreadable mail and mail to other addresses change nothing. */
    readonly receive: (address: string, message: Uint8Array) => Effect.Effect<void>
  }
>()("tentpole/ReturnPaths") {
  static readonly layer = Layer.effect(
    ReturnPaths,
    Effect.gen(function* () {
      const links = yield* Links
      const parsers = yield* Parsers
      const record = yield* reportRecorder
      return ReturnPaths.of({
        has: (address) => Option.isSome(links.readReturnPath(address)),
        receive: Effect.fn("ReturnPaths.receive")(function* (address, message) {
          const target = links.readReturnPath(address)
          if (Option.isNone(target)) return
          const { deliveryId, workspaceId } = target.value
          const reading = yield* parsers
            .run(returnedMailParser, message, workspaceId)
            .pipe(Effect.catchTag("TooComplex", () => Effect.succeed({ kind: "unknown" } as const)))
          yield* Metric.update(Metric.withAttributes(received, { kind: reading.kind }), 1)
          const report = reportOf(reading)
          if (report === undefined) return
          const what =
            report._tag === "bounced" && report.words !== null
              ? { ...report, words: toPrintableLine(report.words) }
              : report
          yield* record(workspaceId, [{ deliveryId, what }])
        }),
      })
    }),
  )
}
