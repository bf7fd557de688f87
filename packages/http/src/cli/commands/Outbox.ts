// The commands `tentpole outbox …`: the mails that the service wrote to files, because no mail server is set.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { readConfiguration } from "@tentpole/adapters/Launch"
import { attribute, elements } from "@tentpole/core/documents/HtmlElements"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { stat } from "node:fs/promises"
import { setTimeout } from "node:timers/promises"
import { type OutboxMail, outboxPaths, readable, readMail } from "../OutboxFolder.ts"
import { openWith } from "../Opening.ts"
import { attempt, CallFailed } from "../Remote.ts"
import { jsonFlag, show } from "../Output.ts"
import { tableOf } from "../Table.ts"

const listFlags = {
  json: jsonFlag,
  limit: Flag.Int("limit").pipe(Flag.withDescription("Number of mails"), Flag.withDefault(20)),
}

const listMails = ({ json, limit }: Command.Command.Config.Infer<typeof listFlags>) =>
  Effect.gen(function* () {
    const config = yield* readConfiguration
    const paths = yield* attempt(() => outboxPaths(config))
    const mails = yield* attempt(() => Promise.all(paths.slice(0, Math.max(limit, 0)).map(readMail)))
    const rows = mails.map(({ date, from, path, subject, to }, at) => ({ n: at + 1, date, to, from, subject, path }))
    if (json) return yield* show(rows)
    if (paths.length === 0) return yield* Console.log(`No mail is in ${config.dataDir}/outbox.`)
    yield* Console.log(tableOf(rows.map(({ path: _, ...row }) => row)))
    yield* Console.log(`${rows.length} of ${paths.length} mails. \`tentpole outbox show <n>\` prints one.`)
  })

const list = Command.make("list", listFlags, listMails).pipe(
  Command.withDescription("Lists the mails in DATA_DIR/outbox, newest first"),
)

/** The tracking counts what arrives earlier as a request of a machine. */
const age_ms_min = 2_500
const mailProgram = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"

/** Requests the images that this service hosts. Returns their number. */
const loadImages = async ({ html, path }: OutboxMail, { publicApiUrl, publicPagesUrl }: Configuration) => {
  const { mtimeMs } = await stat(path)
  await setTimeout(Math.max(0, mtimeMs + age_ms_min - Date.now()))
  const origins = [publicApiUrl, publicPagesUrl].map((url) => new URL(url).origin)
  const images = elements(parseHtml(html))
    .flatMap((element) => (element.tagName === "img" ? [attribute(element, "src")] : []))
    .filter((source) => URL.canParse(source) && origins.includes(new URL(source).origin))
  for (const image of images) await (await fetch(image, { headers: { "user-agent": mailProgram } })).arrayBuffer()
  return images.length
}

const showOne = Command.make(
  "show",
  {
    number: Argument.Int("n").pipe(
      Argument.withDescription("Number in the list; 1 is the newest"),
      Argument.withDefault(1),
    ),
    json: jsonFlag,
    open: Flag.Boolean("open").pipe(Flag.withDescription("Opens the file in a mail program"), Flag.withDefault(false)),
    images: Flag.Boolean("load-images").pipe(
      Flag.withDescription("Loads the images of this service, as a mail program does: this counts an open"),
      Flag.withDefault(false),
    ),
  },
  (input) =>
    Effect.gen(function* () {
      const config = yield* readConfiguration
      const paths = yield* attempt(() => outboxPaths(config))
      const path = paths[input.number - 1]
      if (path === undefined) {
        return yield* new CallFailed({
          reason: `Mail ${input.number} does not exist: ${config.dataDir}/outbox has ${paths.length} mails.`,
        })
      }
      const mail = yield* attempt(() => readMail(path))
      yield* input.json ? show(mail) : Console.log(readable(mail))
      if (input.images) {
        const count = yield* attempt(() => loadImages(mail, config))
        if (!input.json) yield* Console.log(`Loaded ${count} ${count === 1 ? "image" : "images"}.`)
      }
      if (input.open) yield* openWith(path)
    }),
).pipe(Command.withDescription("Prints a mail of the outbox as text"))

/** Without a subcommand it lists. */
export const outbox = Command.make("outbox", listFlags, listMails).pipe(
  Command.withDescription("Mails that were written to files: list, show. Lists them without a subcommand"),
  Command.withSubcommands([list, showOne]),
)
