// The command `tentpole` with its subcommands.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { reportFailure, runCommand, runToEnd } from "@tentpole/adapters/Launch"
import { version } from "@tentpole/core/kernel/values/Version"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { migrateCommand } from "./Run.ts"
import { explained } from "./Usage.ts"
import { startCommand } from "./Start.ts"
import { api } from "./commands/ApiCalls.ts"
import { audit, auditLog } from "./commands/Audits.ts"
import { blast } from "./commands/Blasts.ts"
import { contact } from "./commands/contacts/Contacts.ts"
import { job } from "./commands/DeadJobs.ts"
import { domain, hook, pageDomain } from "./commands/Domains.ts"
import { hello } from "./commands/Hello.ts"
import { key } from "./commands/Keys.ts"
import { list } from "./commands/Lists.ts"
import { outbox } from "./commands/Outbox.ts"
import { restore } from "./commands/Restores.ts"
import { suppression } from "./commands/Suppressions.ts"
import { tent } from "./commands/Tents.ts"
import { user } from "./commands/Users.ts"
import { workspace } from "./commands/WorkspaceCommands.ts"
import { listen } from "./commands/webhooks/Listen.ts"
import { doctor } from "./commands/Doctor.ts"

/** A command that runs one process. Its module is loaded on demand. On a signal the process finishes its work in progress. */
const processCommand = <E>(name: "http" | "worker", description: string, load: () => Promise<Effect.Effect<void, E>>) =>
  Command.make(name, {}, () => Effect.flatten(Effect.promise(load))).pipe(Command.withDescription(description))

const httpProcess = () => import("../Process.ts").then(({ httpProcess: process_ }) => process_)
const workerProcess = () => import("@tentpole/worker/Process").then(({ workerProcess: process_ }) => process_)

const tentpole = Command.make("tentpole", {}, () =>
  Console.log("No command given. `tentpole --help` lists the commands."),
).pipe(
  Command.withDescription("Landing pages with AI, contacts, email blasts and flows"),
  Command.withSubcommands([
    startCommand,
    processCommand("http", "Runs one HTTP process: API, pages and tracking links", httpProcess),
    processCommand("worker", "Runs one worker process", workerProcess),
    migrateCommand,
    doctor,
    hello,
    contact,
    list,
    blast,
    tent,
    outbox,
    listen,
    api,
    workspace,
    key,
    user,
    domain,
    pageDomain,
    suppression,
    auditLog,
    hook,
    job,
    audit,
    restore,
  ]),
)

/** Runs the command of the arguments. Failures have a one-line message, except defects. */
export const commandLine = (args: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Command.runWith(tentpole, { version })(args).pipe(explained, Effect.provide(NodeServices.layer))

/** The names of the commands. @public */
export const commandNames: ReadonlyArray<string> = tentpole.subcommands.flatMap(({ commands }) =>
  commands.map(({ name }) => name),
)

/** Commands that run until a signal ends them. */
const services: ReadonlySet<string> = new Set(["start", "http", "worker", "listen"])

/** Runs the command of this process's arguments. */
export const run = (): void => {
  const args = process.argv.slice(2)
  commandLine(args).pipe(reportFailure, services.has(args[0] ?? "") ? runToEnd : runCommand)
}
