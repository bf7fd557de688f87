// Route that downloads exported files if the blob store does not sign URLs: `GET /downloads/<token>`. The token grants access,
// no API key is needed. The bytes are streamed.
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { downloads_path, Exports } from "@tentpole/core/exports/Exports"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { refusalResponse } from "../../edge/Edge.ts"

export const downloads = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const exports = yield* Exports
    yield* router.add(
      "GET",
      `${downloads_path}/:token`,
      Effect.gen(function* () {
        const { token = "" } = yield* HttpRouter.params
        const { bytes, contentType, size_bytes, fileName } = yield* exports.download(token)
        return HttpServerResponse.stream(bytes, {
          contentType,
          contentLength: size_bytes,
          headers: { "content-disposition": attachment(fileName), "x-content-type-options": "nosniff" },
        })
      }).pipe(Effect.catch((refusal) => Effect.succeed(refusalResponse(refusal)))),
    )
  }),
)
