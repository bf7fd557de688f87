// Errors in the arguments of a command: one line with the nearest match, without the help page.
import { Effect, Runtime, Schema } from "effect"
import { CliError, CliOutput } from "effect/cli"

/** The arguments of a command are wrong. */
export class BadUsage extends Schema.TaggedError<BadUsage>()("BadUsage", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return this.reason
  }
}

const ended = (sentence: string): string => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`)

const sentenceOf = (error: CliError.CliError): string => {
  const [sentence = ""] = error.message.split("\n")
  const near = "suggestions" in error ? error.suggestions : []
  return near.length === 0 ? ended(sentence) : `${ended(sentence)} Did you mean ${near.join(" or ")}?`
}

const helpOf = (path: ReadonlyArray<string>): string => `\`${path.join(" ")} --help\` shows the usage.`

/** Errors in the arguments are reported by the failure, not by the presenter. */
const presenter: CliOutput.Presenter = {
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event)),
}

/** Replaces a failure with the help page by a `BadUsage` of one line. Shown help is a success. */
export const explained = <E, R>(run: Effect.Effect<void, E, R>) =>
  run.pipe(
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.catchIf(
      (error): error is E & CliError.ShowHelp => error instanceof CliError.ShowHelp,
      ({ commandPath, errors }) =>
        errors.length === 0
          ? Effect.void
          : Effect.fail(new BadUsage({ reason: [...errors.map(sentenceOf), helpOf(commandPath)].join(" ") })),
    ),
  )
