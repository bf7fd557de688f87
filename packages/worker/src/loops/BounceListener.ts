// Receives mail to return paths: bounces and complaints. A message is accepted after its report is committed. While the
// database is unreachable, the listener asks the sending server to retry.
import { BadConfiguration, type Configuration } from "@tentpole/adapters/Configuration"
import { listen, type SmtpListenerOptions } from "@tentpole/adapters/smtp/SmtpListener"
import { read_bytes_max } from "@tentpole/core/bounces/ReturnedMail"
import { ReturnPaths } from "@tentpole/core/bounces/ReturnPaths"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Layer } from "effect"

/** Reports may contain whole messages. */
const limits = {
  message_bytes_max: 25 * 2 ** 20,
  kept_bytes_max: read_bytes_max,
  connections_max: 50,
  idle_ms: 60_000,
  connection_ms: 10 * 60_000,
  grace_ms: 5_000,
} as const satisfies Omit<SmtpListenerOptions, "host" | "port" | "name">

/** Listens until the scope ends and returns the port. Tests override `limits`. */
export const start = Effect.fnUntraced(function* (
  at: { readonly host: string; readonly port: number },
  different: Partial<SmtpListenerOptions> = {},
) {
  const returnPaths = yield* ReturnPaths
  const { mailHost } = yield* Settings
  return yield* listen({ ...limits, name: mailHost, ...at, ...different }, returnPaths)
})

/** Listens only if `BOUNCE_SMTP_PORT` is set. */
export const layer = ({ bounceSmtpPort, host }: Pick<Configuration, "bounceSmtpPort" | "host">) =>
  Layer.effectDiscard(
    bounceSmtpPort === null
      ? Effect.void
      : start({ host, port: bounceSmtpPort }).pipe(
          Effect.catchTag(
            "SmtpListenFailed",
            ({ reason }) =>
              new BadConfiguration({
                reason: `${reason}. Set BOUNCE_SMTP_PORT to a free port (below 1024 takes the rights for it), and HOST to an address of this machine.`,
              }),
          ),
          Effect.asVoid,
        ),
  )
