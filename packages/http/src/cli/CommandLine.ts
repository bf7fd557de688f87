// What the command line can do: run the service, look after workspaces and what they are set up with, hooks and jobs,
// audit blasts, and find out what is wrong with an installation.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { reportFailure, runToEnd } from "@tentpole/adapters/Launch"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { administration } from "./commands/AdministrationCommands.ts"
import { audit } from "./commands/Audits.ts"
import { doctor } from "./doctor/Doctor.ts"
import { job } from "./commands/DeadJobs.ts"
import { hook } from "./commands/Hooks.ts"
import { migrateCommand } from "./Run.ts"
import { startCommand } from "./Start.ts"

/**
 * Runs one process by itself: many of each, on many machines, over one PostgreSQL. It is loaded when it is wanted, and it is
 * all that this program runs, so that a signal to the program lets it finish what is under way.
 */
const processCommand = <E>(name: "http" | "worker", description: string, load: () => Promise<Effect.Effect<void, E>>) =>
  Command.make(name, {}, () => Effect.flatten(Effect.promise(load))).pipe(Command.withDescription(description))

const httpProcess = () => import("../Process.ts").then(({ httpProcess: process_ }) => process_)
const workerProcess = () => import("@tentpole/worker/Process").then(({ workerProcess: process_ }) => process_)

const tentpole = Command.make("tentpole", {}, () => Console.log("Say what to do: `tentpole --help` lists it.")).pipe(
  Command.withDescription("Landing pages with AI, contacts, email blasts and flows"),
  Command.withSubcommands([
    startCommand,
    processCommand("http", "Runs one HTTP process: the API, pages and tracking", httpProcess),
    processCommand("worker", "Runs one worker process", workerProcess),
    migrateCommand,
    doctor,
    ...administration,
    hook,
    job,
    audit,
  ]),
)

/** Does what the arguments say; what it fails with says why in one sentence, unless it is a defect. */
export const commandLine = (args: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Command.runWith(tentpole, { version: "0.1.0" })(args).pipe(Effect.provide(NodeServices.layer))

/** What may stand first among the arguments. @public */
export const commandNames: ReadonlyArray<string> = tentpole.subcommands.flatMap(({ commands }) =>
  commands.map(({ name }) => name),
)

/** Does what the arguments of this process say, to its end. */
export const run = (): void => commandLine(process.argv.slice(2)).pipe(reportFailure, runToEnd)
