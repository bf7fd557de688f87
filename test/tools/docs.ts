// Prints the pages of docs/ and the modules of the client that follow from the code.
import { AccountsApi } from "@tentpole/http/accounts/AccountsApi"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { Api } from "@tentpole/http/Api"
import { errorsPage } from "@tentpole/http/edge/ErrorDocs"
import { writeFileSync } from "node:fs"
import { clientModule, errorCodeModule } from "./ClientModule.ts"
import { limitsPage } from "./Limits.ts"
import { stateMachinesPage } from "./StateMachines.ts"

const print = (path: string, text: string): void => writeFileSync(new URL(`../../${path}`, import.meta.url), text)

print("docs/errors.md", errorsPage())
print("docs/limits.md", limitsPage())
print("docs/internals/state-machines.md", stateMachinesPage())
print("packages/client/src/generated/ErrorCode.ts", errorCodeModule())
print("packages/client/src/generated/Api.ts", clientModule(Api, "Client", "API"))
print("packages/client/src/generated/AdminApi.ts", clientModule(AdminApi, "AdminClient", "administration API"))
print("packages/client/src/generated/AccountsApi.ts", clientModule(AccountsApi, "AccountsClient", "API of accounts"))
