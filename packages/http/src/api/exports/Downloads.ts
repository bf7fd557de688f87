// Where exported files are fetched when the store of files signs no addresses of its own: `GET /downloads/<token>`. The
// token is the permission, so no API key is asked for; the bytes go through without being held.
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { downloads_path, Exports } from "@tentpole/core/exports/Exports"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { table, toBody } from "../../edge/Errors.ts"

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
      }).pipe(
        Effect.catch((refusal) =>
          Effect.succeed(HttpServerResponse.jsonUnsafe(toBody(refusal), { status: table[refusal.code].status })),
        ),
      ),
    )
  }),
)
