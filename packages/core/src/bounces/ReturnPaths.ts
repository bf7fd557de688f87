// The mailboxes that mail comes back to: one for each message, told by the MAC in its name. Nobody else has one here.
import { Context, Effect, Layer, Metric, Option } from "effect"
import { Links } from "../rendering/Links.ts"
import { legible } from "../sending/Settlement.ts"
import { readReturnedMail, reportOf } from "./ReturnedMail.ts"
import { reportRecorder } from "./ReportRecording.ts"

const received = Metric.counter("returned_mail_total", {
  description: "Mail that came back to a return path, by what it was read as",
  incremental: true,
})

export class ReturnPaths extends Context.Service<
  ReturnPaths,
  {
    /** Whether the address is one that this service has given a message. Asks no database. */
    readonly has: (address: string) => boolean
    /**
     * Reads what came back and writes it down. When it is done, it is committed. Mail to an address that is not one of ours
     * changes nothing, nor does what can't be read.
     */
    readonly receive: (address: string, message: Uint8Array) => Effect.Effect<void>
  }
>()("tentpole/ReturnPaths") {
  static readonly layer = Layer.effect(
    ReturnPaths,
    Effect.gen(function* () {
      const links = yield* Links
      const record = yield* reportRecorder
      return ReturnPaths.of({
        has: (address) => Option.isSome(links.readReturnPath(address)),
        receive: Effect.fn("ReturnPaths.receive")(function* (address, message) {
          const target = links.readReturnPath(address)
          if (Option.isNone(target)) return
          const { deliveryId, workspaceId } = target.value
          const reading = yield* readReturnedMail(message)
          yield* Metric.update(Metric.withAttributes(received, { kind: reading.kind }), 1)
          const report = reportOf(reading)
          if (report === undefined) return
          const what =
            report._tag === "bounced" && report.words !== null ? { ...report, words: legible(report.words) } : report
          yield* record(workspaceId, [{ deliveryId, what }])
        }),
      })
    }),
  )
}
