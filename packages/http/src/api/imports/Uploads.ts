// Route that receives import files if the blob store does not sign URLs: `PUT /uploads/<token>`. The token grants access, no
// API key is needed. The bytes are streamed.
import { UploadBroken, UploadTooLarge } from "@tentpole/core/imports/ImportFile"
import { Imports, uploads_path } from "@tentpole/core/imports/Imports"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Stream } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusalResponse } from "../../edge/Edge.ts"

/** Whether `content-length` exceeds the limit: refused before the body is sent. */
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
      }).pipe(
        // The rest of the body is not read: the connection is closed.
        Effect.catch((refusal) => Effect.succeed(refusalResponse(refusal, { connection: "close" }))),
      ),
    )
  }),
)
