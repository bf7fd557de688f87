// `tentpole contact …`: what people may ask for: to be told what is kept of them, and to be forgotten.
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import { DateTime, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { toContactExportWire } from "../../admin/ContactExportWire.ts"
import { named, overPorts, show, workspaceFlag } from "../Run.ts"

const asked = { workspace: workspaceFlag, contact: Argument.String("contact-id").pipe(Argument.withSchema(ContactId)) }

const told = Command.make("export", asked, (said) =>
  overPorts(
    Effect.gen(function* () {
      const { rowsOf } = yield* Privacy
      const { id } = yield* named(said.workspace)
      yield* show(toContactExportWire(said.contact, yield* rowsOf(id, said.contact), yield* DateTime.now))
    }),
  ),
).pipe(Command.withDescription("Shows everything that is kept of a contact, as JSON"))

const erase = Command.make("erase", asked, (said) =>
  overPorts(
    Effect.gen(function* () {
      const { erase } = yield* Privacy
      const { id } = yield* named(said.workspace)
      yield* erase(id, said.contact)
      yield* show({ contact_id: said.contact, erased: true })
    }),
  ),
).pipe(Command.withDescription("Deletes a contact and forgets it, in every table and file. It can't be taken back"))

export const contact = Command.make("contact").pipe(
  Command.withDescription("What is kept of a contact: export, erase"),
  Command.withSubcommands([told, erase]),
)
