// The data folder: the check that it is writable, and the development secret and the API key of the command line in it.
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { BadConfiguration, type Configuration } from "./Configuration.ts"

const because = (cause: unknown): string =>
  cause instanceof Error ? cause.message.replace(/^[A-Z]+: /, "") : String(cause)

/** Creates the folder if it is missing, and checks that files can be created in it. */
export const prepareFolder = ({ dataDir }: Configuration) =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dataDir, { recursive: true, mode: 0o700 })
      const probe = join(dataDir, `.probe-${process.pid}-${randomBytes(4).toString("hex")}`)
      await writeFile(probe, "", { mode: 0o600 })
      await rm(probe)
    },
    catch: (cause) =>
      new BadConfiguration({
        reason: `DATA_DIR (${dataDir}) can't be written: ${because(cause)}. Point it at a folder that this user may write.`,
      }),
  })

/** The secret that signs links: the configured one, or in development one that the first start creates and stores. */
export const appSecret = ({ appSecret: configured, dataDir }: Configuration) =>
  configured !== null
    ? Effect.succeed(configured)
    : Effect.tryPromise({
        try: async () => {
          const path = join(dataDir, "app-secret")
          // `wx`: when two processes start at the same time, the first one's secret stays.
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
            reason: `The development secret can't be stored in ${dataDir}: ${because(cause)}. Set APP_SECRET, or make DATA_DIR writable.`,
          }),
      })

const apiKeyPath = ({ dataDir }: Configuration): string => join(dataDir, "api-key")

/** Stores the key that `tentpole start` created, for commands that call the API. */
export const storeApiKey = (config: Configuration, key: string) =>
  Effect.tryPromise({
    try: () => writeFile(apiKeyPath(config), `${key}\n`, { mode: 0o600 }),
    catch: (cause) =>
      new BadConfiguration({ reason: `The API key can't be stored in ${config.dataDir}: ${because(cause)}.` }),
  })

/** The stored API key, or null. */
export const storedApiKey = (config: Configuration): Effect.Effect<Redacted.Redacted | null> =>
  Effect.tryPromise(() => readFile(apiKeyPath(config), "utf8")).pipe(
    Effect.map((text) => Redacted.make(text.trim())),
    Effect.orElseSucceed(() => null),
  )
