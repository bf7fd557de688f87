// Where files of imports are sent when the store of files signs no addresses of its own: `PUT /uploads/<token>`. The token
// is the permission, so no API key is asked for; the bytes go through without being held.
import { UploadBroken, UploadTooLarge } from "@tentpole/core/imports/ImportFile"
import { Imports, uploads_path } from "@tentpole/core/imports/Imports"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Stream } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { table, toBody } from "../../edge/Errors.ts"

type Refused = Effect.Error<ReturnType<Imports["Service"]["upload"]>>

/** The rest of the body is not waited for: the connection is closed. */
const refuse = (refusal: Refused) =>
  HttpServerResponse.jsonUnsafe(toBody(refusal), {
    status: table[refusal.code].status,
    headers: { connection: "close" },
  })

/** Said beforehand, it need not be sent to be refused. */
const isLonger = (request: HttpServerRequest.HttpServerRequest, bytes_max: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > bytes_max

export const uploads = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const { import_bytes_max } = yield* Settings
    yield* router.add("PUT", `${uploads_path}/:token`, (request) =>
      Effect.gen(function* () {
        const { token = "" } = yield* HttpRouter.params
        if (isLonger(request, import_bytes_max)) return yield* new UploadTooLarge({ bytes_max: import_bytes_max })
        const bytes = request.stream.pipe(Stream.mapError(() => new UploadBroken()))
        yield* imports.upload(token, bytes)
        return HttpServerResponse.empty({ status: 200 })
      }).pipe(Effect.catch((refusal) => Effect.succeed(refuse(refusal)))),
    )
  }),
)
