import { Api } from "@tentpole/http/Api"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { clientModule } from "./test/tools/ClientModule.ts"
import { writeFileSync } from "node:fs"
writeFileSync("packages/client/src/generated/Api.ts", clientModule(Api, "Client", "API"))
writeFileSync("packages/client/src/generated/AdminApi.ts", clientModule(AdminApi, "AdminClient", "administration API"))
