// The doctor of a running service: one examination at a time in each process.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { refusalClass } from "@tentpole/core/kernel/Refusal"
import { Context, Effect, Layer, Option, Semaphore } from "effect"
import { examine } from "./Examinations.ts"
import { type Finding, ok } from "./Finding.ts"
import { judgeSettings } from "./Judgements.ts"

export class DoctorBusy extends refusalClass<DoctorBusy>()("DoctorBusy", {
  code: "conflict",
  message: () => "The doctor is already running. Try again in a few seconds",
}) {}

/** All findings about a valid configuration. */
export const findingsOf = (config: Configuration): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(examine(config), (examined) => [ok("settings", "valid"), ...judgeSettings(config), ...examined])

export class Doctor extends Context.Service<
  Doctor,
  {
    /** Checks settings and dependencies, and changes nothing. Refused while another call of this process runs. */
    readonly run: Effect.Effect<ReadonlyArray<Finding>, DoctorBusy>
  }
>()("tentpole/http/Doctor") {
  static readonly layer = (config: Configuration) =>
    Layer.effect(
      Doctor,
      Effect.map(Semaphore.make(1), (turn) =>
        Doctor.of({
          run: turn
            .withPermitsIfAvailable(1)(findingsOf(config))
            .pipe(
              Effect.flatMap(Option.match({ onNone: () => Effect.fail(new DoctorBusy()), onSome: Effect.succeed })),
            ),
        }),
      ),
    )
}
