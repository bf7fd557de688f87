// The command `tentpole` with its subcommands.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { reportFailure, runCommand, runToEnd } from "@tentpole/adapters/Launch"
import { version } from "@tentpole/core/kernel/values/Version"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { explained } from "./Usage.ts"

/** A command that runs one process. On a signal the process finishes its work in progress. */
const processCommand = <E>(name: "http" | "worker", description: string, load: () => Promise<Effect.Effect<void, E>>) =>
  Command.make(name, {}, () => Effect.flatten(Effect.promise(load))).pipe(Command.withDescription(description))

/** The modules of a command are loaded when it runs, or when all commands are listed: together they take a second. */
const commands = {
  start: async () => (await import("./start/Start.ts")).startCommand,
  http: async () =>
    processCommand("http", "Runs one HTTP process: API, pages and tracking links", async () => {
      return (await import("../Process.ts")).httpProcess
    }),
  worker: async () =>
    processCommand("worker", "Runs one worker process", async () => {
      return (await import("@tentpole/worker/Process")).workerProcess
    }),
  migrate: async () => (await import("./OverPorts.ts")).migrateCommand,
  doctor: async () => (await import("./commands/Doctor.ts")).doctor,
  hello: async () => (await import("./commands/Hello.ts")).hello,
  contact: async () => (await import("./commands/contacts/Contacts.ts")).contact,
  list: async () => (await import("./commands/Lists.ts")).list,
  topic: async () => (await import("./commands/contacts/Topics.ts")).topic,
  blast: async () => (await import("./commands/Blasts.ts")).blast,
  message: async () => (await import("./commands/messages/Messages.ts")).message,
  tent: async () => (await import("./commands/Tents.ts")).tent,
  outbox: async () => (await import("./commands/Outbox.ts")).outbox,
  listen: async () => (await import("./commands/webhooks/Listen.ts")).listen,
  webhook: async () => (await import("./commands/webhooks/Webhooks.ts")).webhook,
  api: async () => (await import("./commands/ApiCalls.ts")).api,
  workspace: async () => (await import("./commands/WorkspaceCommands.ts")).workspace,
  key: async () => (await import("./commands/Keys.ts")).key,
  user: async () => (await import("./commands/Users.ts")).user,
  domain: async () => (await import("./commands/Domains.ts")).domain,
  "page-domain": async () => (await import("./commands/Domains.ts")).pageDomain,
  suppression: async () => (await import("./commands/Suppressions.ts")).suppression,
  "audit-log": async () => (await import("./commands/Audits.ts")).auditLog,
  hook: async () => (await import("./commands/Domains.ts")).hook,
  job: async () => (await import("./commands/DeadJobs.ts")).job,
  audit: async () => (await import("./commands/Audits.ts")).audit,
  restore: async () => (await import("./commands/Restores.ts")).restore,
}

const isCommand = (name: string | undefined): name is keyof typeof commands =>
  name !== undefined && Object.hasOwn(commands, name)

/** The names of the commands. @public */
export const commandNames: ReadonlyArray<string> = Object.keys(commands)

/** `tentpole` with the command of the arguments; with all commands, if they begin with no command. */
const tentpoleFor = async ([first]: ReadonlyArray<string>) =>
  Command.make("tentpole", {}, () => Console.log("No command given. `tentpole --help` lists the commands.")).pipe(
    Command.withDescription("Landing pages with AI, contacts, email blasts and flows"),
    Command.withSubcommands(
      await Promise.all(isCommand(first) ? [commands[first]()] : Object.values(commands).map((load) => load())),
    ),
  )

/** Runs the command of the arguments. Failures have a one-line message, except defects. */
export const commandLine = (args: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Effect.flatMap(
    Effect.promise(() => tentpoleFor(args)),
    (tentpole) => Command.runWith(tentpole, { version })(args),
  ).pipe(explained, Effect.provide(NodeServices.layer))

/** Commands that run until a signal ends them. */
const services: ReadonlySet<string> = new Set(["start", "http", "worker", "listen"])

/** Runs the command of this process's arguments. */
export const run = (): void => {
  const args = process.argv.slice(2)
  commandLine(args).pipe(reportFailure, services.has(args[0] ?? "") ? runToEnd : runCommand)
}
