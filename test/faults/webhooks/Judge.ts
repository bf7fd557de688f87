// The invariants of webhooks after faults: every event reached every endpoint, a repeated request is the same request, and all are
// signed.
import { keyOf } from "@tentpole/core/webhooks/Signature"
import { createHmac } from "node:crypto"
import type { LoggedRequest } from "../../support/webhooks/ReceiverProcess.ts"
import { unless } from "../Campaign.ts"
import type { Endpoint, Hooked, World } from "./World.ts"

export interface Judged {
  readonly found: ReadonlyArray<string>
  readonly requests: number
  readonly repeated: number
}

/** `events`: how many each endpoint has to have. */
export const judge = async (world: World, hooked: Hooked, events: number): Promise<Judged> => {
  const log = await world.receiver.log()
  const judged = await Promise.all(
    hooked.endpoints.map((endpoint) =>
      judgeOne(world, hooked, endpoint, { log: log.filter(({ path }) => path === endpoint.path), events }),
    ),
  )
  return {
    found: judged.flatMap(({ found }) => found),
    requests: log.length,
    repeated: judged.reduce((sum, { repeated }) => sum + repeated, 0),
  }
}

const judgeOne = async (
  { deployment: { inside } }: World,
  { id }: Hooked,
  { id: endpointId, mode, path, secret }: Endpoint,
  { events, log }: { readonly log: ReadonlyArray<LoggedRequest>; readonly events: number },
) => {
  const accepted = log.filter(({ answered }) => answered)
  const sequences = accepted.map(sequencesOf)
  const distinct = new Set(sequences.flat())
  const bodies = Map.groupBy(log, (request) => request.id)
  const changed = [...bodies.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1).length
  const forged = log.filter((request) => !isSigned(secret, request)).length
  const repeated = accepted.length - new Set(accepted.map((request) => request.id)).size
  const [counts] = await inside.asOwner<{
    readonly unknown: number
    readonly open: number
  }>(
    `select count(*) filter (where d.status <> 'delivered')::int as open,
       (select count(*)::int from webhook_attempt a
         where a.workspace_id = $1::uuid and a.endpoint_id = $2::uuid and a.error = 'unknown_outcome') as unknown
     from webhook_delivery d where d.workspace_id = $1::uuid and d.endpoint_id = $2::uuid`,
    [id, endpointId],
  )
  const first = firstsOf(sequences.flat())
  const found = [
    ...unless(distinct.size === events, `${path}: ${distinct.size} of ${events} events arrived`),
    ...unless(changed === 0, `${path}: ${changed} requests were repeated with another body`),
    ...unless(forged === 0, `${path}: ${forged} signatures are not valid`),
    ...unless(counts?.open === 0, `${path}: ${counts?.open} deliveries are not delivered`),
    ...unless(
      repeated <= (counts?.unknown ?? 0),
      `${path}: ${repeated} were accepted again, and ${counts?.unknown} attempts have no known outcome`,
    ),
    ...unless(mode !== "ordered" || isAscending(first), `${path}: events came out of order`),
  ]
  return { found, repeated }
}

const sequencesOf = ({ body }: LoggedRequest): ReadonlyArray<string> => {
  const event = JSON.parse(body)
  return event.type === "event.batch"
    ? event.data.events.map(({ sequence }: { readonly sequence: string }) => sequence)
    : [event.sequence]
}

const firstsOf = (sequences: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(sequences)]

const isAscending = (sequences: ReadonlyArray<string>): boolean =>
  sequences.every((sequence, nth) => nth === 0 || (sequences[nth - 1] ?? "") < sequence)

const isSigned = (secret: string, { body, id, signature, timestamp }: LoggedRequest): boolean => {
  const key = keyOf(secret)
  if (key === null) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return signature.split(" ").includes(`v1,${expected}`)
}
