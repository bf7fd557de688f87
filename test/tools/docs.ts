// Prints the pages of docs/ that follow from the code.
import { errorsPage } from "@tentpole/http/edge/ErrorDocs"
import { writeFileSync } from "node:fs"
import { limitsPage } from "./Limits.ts"
import { stateMachinesPage } from "./StateMachines.ts"

const print = (page: string, text: string): void =>
  writeFileSync(new URL(`../../docs/${page}.md`, import.meta.url), text)

print("errors", errorsPage())
print("limits", limitsPage())
print("internals/state-machines", stateMachinesPage())
