// The command `tentpole tent create`: a page by the AI, published.
import type { Tent } from "@tentpole/client"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { openWith } from "../Opening.ts"
import { follow } from "../Progress.ts"
import { attempt, CallFailed, connected } from "../Remote.ts"
import { commandGroup, jsonFlag, print } from "../Output.ts"

const name_length_max = 60

/** A name for a page without one: the beginning of its prompt. */
const nameOf = (prompt: string): string => prompt.trim().replace(/\s+/g, " ").slice(0, name_length_max)

const isOver = ({ publication, status }: Tent): boolean =>
  status === "failed" || (status === "completed" && publication !== undefined && publication.status !== "pending")

const doing = ({ status }: Tent): string => (status === "completed" ? "Publishing the page" : "Generating the page")

const create = Command.make(
  "create",
  {
    prompt: Flag.String("prompt").pipe(Flag.withDescription("What the page is about")),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the page. Default: the beginning of the prompt"),
      Flag.optional,
    ),
    alias: Flag.String("alias").pipe(Flag.withDescription("Path of the page, such as spring-sale"), Flag.optional),
    open: Flag.Boolean("open").pipe(Flag.withDescription("Opens the page in a browser"), Flag.withDefault(false)),
    json: jsonFlag,
  },
  ({ alias, json, name, open, prompt }) =>
    Effect.gen(function* () {
      const client = yield* connected
      const payload = {
        name: Option.getOrElse(name, () => nameOf(prompt)),
        prompt,
        auto_publish: true,
        ...(Option.isSome(alias) ? { custom_page_alias: alias.value } : {}),
      }
      const { id } = yield* attempt(() => client.tents.create({ payload }))
      const tent = yield* follow(
        attempt(() => client.tents.show({ params: { tentId: id } })),
        {
          every: "500 millis",
          isFinal: isOver,
          progressOf: (state) => ({ doing: doing(state), done: 0, total: null }),
        },
      ).pipe(Effect.onInterrupt(() => Console.error(`The page ${id} is still being generated.`)))
      const { error, publication } = tent
      const url = publication?.published_url
      if (url === undefined) {
        const reason = error ?? publication?.error?.message ?? "no reason was given"
        return yield* new CallFailed({ reason: `The page ${id} was not published: ${reason}` })
      }
      yield* print(json, { document: tent, text: url })
      if (!json) for (const { message } of publication?.warnings ?? []) yield* Console.error(message)
      // The page exists, whether it can be shown here or not.
      if (open) yield* Effect.catchTag(openWith(url), "CallFailed", ({ reason }) => Console.error(reason))
    }),
).pipe(Command.withDescription("Generates a page, publishes it, and prints its address"))

export const tent = commandGroup("tent", "Pages: create", [create])
