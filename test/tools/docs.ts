// Prints the pages of docs/ that follow from the code.
import { errorsPage } from "@tentpole/http/ErrorDocs"
import { writeFileSync } from "node:fs"

writeFileSync(new URL("../../docs/errors.md", import.meta.url), errorsPage())
