// The data folder: that it can be written, and the secret of development that is kept in it.
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { BadConfiguration, type Configuration } from "./Configuration.ts"

const because = (cause: unknown): string =>
  cause instanceof Error ? cause.message.replace(/^[A-Z]+: /, "") : String(cause)

/** Makes the folder if need be, and proves that files can be made in it. */
export const prepareFolder = ({ dataDir }: Configuration) =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dataDir, { recursive: true })
      const probe = join(dataDir, `.probe-${process.pid}-${randomBytes(4).toString("hex")}`)
      await writeFile(probe, "")
      await rm(probe)
    },
    catch: (cause) =>
      new BadConfiguration({
        reason: `DATA_DIR (${dataDir}) can't be written: ${because(cause)}. Point it at a folder that this user may write.`,
      }),
  })

/** The secret that signs links: the one configured, or one made at the first start of a development and kept. */
export const appSecret = ({ appSecret: configured, dataDir }: Configuration) =>
  configured !== null
    ? Effect.succeed(configured)
    : Effect.tryPromise({
        try: async () => {
          const path = join(dataDir, "app-secret")
          // `wx`: of two processes that start at once, the first one's stays.
          await writeFile(path, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" }).catch(
            (cause: unknown) => {
              const known = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
              if (!known) throw cause
            },
          )
          return Redacted.make((await readFile(path, "utf8")).trim())
        },
        catch: (cause) =>
          new BadConfiguration({
            reason: `The development secret can't be kept in ${dataDir}: ${because(cause)}. Set APP_SECRET, or make DATA_DIR writable.`,
          }),
      })
