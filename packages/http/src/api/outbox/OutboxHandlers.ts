// The handlers of local mail.
import { LocalMails } from "@tentpole/core/operations/localMail/LocalMails"
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { Stream } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, sliced } from "../../Wire.ts"
import { toLocalMail, toOpenedMail } from "./OutboxApi.ts"

const nothing = answer(() => undefined)

export const layer = handlersOf("outbox", LocalMails, (mails) => ({
  list: ({ query: { blast_id, ...query } }, { id }) =>
    mails
      .list(id, { ...query, ...(blast_id === undefined ? {} : { blastId: blast_id }) })
      .pipe(answer(sliced("messages", toLocalMail))),
  find: ({ params }, { id }) => mails.get(id, params.message_id).pipe(answer(toOpenedMail)),
  source: ({ params: { message_id } }, { id }) =>
    mails.source(id, message_id).pipe(
      answer((bytes) =>
        HttpApiSchema.withHeaders({
          body: Stream.succeed(bytes),
          headers: { "content-disposition": attachment(`${message_id}.eml`) },
        }),
      ),
    ),
  simulate: ({ params, payload: { link_index = null, type } }, { id }) =>
    mails.simulate(id, params.message_id, type, link_index).pipe(answer(() => params)),
  clear: (_, { id }) => nothing(mails.deleteAll(id)),
}))
