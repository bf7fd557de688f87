// Constructors of endpoints and their groups. One object has an endpoint's texts, schemas and error codes.
import { recent_sign_in_minutes } from "@tentpole/core/accounts/Session"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import * as Ids from "@tentpole/core/kernel/Ids"
import { EventId } from "@tentpole/core/webhooks/EventId"
import type { Authority } from "@tentpole/core/workspaces/Role"
import { Context, Option, type Schema } from "effect"
import type { HttpMethod, HttpRouter } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Errors, errors } from "./edge/Errors.ts"

/** The schemas of parameters in paths. `templateId` is not one of them: email templates and tent templates have their own ids. */
const pathParameters = {
  asset_id: Ids.AssetId,
  blastId: Ids.BlastId,
  bulkJobId: Ids.BulkJobId,
  contactId: Ids.ContactId,
  contact_id: Ids.ContactId,
  deliveryId: Ids.WebhookDeliveryId,
  domain_id: Ids.DomainId,
  emailId: Ids.EmailId,
  endpointId: Ids.WebhookEndpointId,
  eventId: EventId,
  exportId: Ids.ExportId,
  fieldDefinitionId: Ids.FieldDefinitionId,
  flowId: Ids.FlowId,
  import_run_id: Ids.ImportRunId,
  invitation_id: Ids.SignInLinkId,
  key_id: Ids.ApiKeyId,
  listId: Ids.ListId,
  membershipId: Ids.MembershipId,
  messageId: Ids.MessageId,
  page_domain_id: Ids.PageDomainId,
  passkey_id: Ids.PasskeyId,
  session_id: Ids.ImportSessionId,
  subscriptionRequestId: Ids.SubscriptionRequestId,
  tentId: Ids.TentId,
  topicId: Ids.TopicId,
  user_id: Ids.UserId,
  workspace_id: Ids.WorkspaceId,
}

type PathParameters = typeof pathParameters

/** The error codes of an endpoint that names none: `not_found` if its path names an id. */
type CodesOf<Path extends string> = Path extends `${string}:${string}` ? readonly ["not_found"] : readonly []

/** The ids that a path names; `never` if it names none. */
type ParamsOf<Path extends string> = Path extends `${string}:${string}`
  ? {
      readonly [
        Name in keyof PathParameters as Path extends `${string}:${Name}` | `${string}:${Name}/${string}` ? Name : never
      ]: PathParameters[Name]
    }
  : never

const isPathParameter = (name: string): name is keyof PathParameters => Object.hasOwn(pathParameters, name)

const paramsOf = (path: string) => {
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name = ""]) => (isPathParameter(name) ? [name] : []))
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, pathParameters[name]]))
}

/** What a caller of an endpoint must be: `anyone`, a signed-in `user`, or have a role. */
export type Needed = Authority | "anyone" | "user"

export class Needs extends Context.Service<Needs, Needed>()("tentpole/http/Needs") {}

interface Annotated {
  readonly annotations: Context.Context<never>
}

/** The role that an endpoint needs. One that names no role needs the highest of a workspace. */
export const authorityOf = ({ annotations }: Annotated): Authority => {
  const needs = Option.getOrElse(Context.getOption(annotations, Needs), () => "owner" as const)
  return needs === "anyone" || needs === "user" ? "owner" : needs
}

/** Whether a session needs a recent sign-in to call an endpoint. */
class RecentSignIn extends Context.Service<RecentSignIn, boolean>()("tentpole/http/RecentSignIn") {}

export const needsRecentSignIn = ({ annotations }: Annotated): boolean =>
  Option.getOrElse(Context.getOption(annotations, RecentSignIn), () => false)

/** On an endpoint whose body may have `MESSAGE_BYTES_MAX` bytes instead of `JSON_BYTES_MAX`, `unless` it is of another kind. */
export class LargeBody extends Context.Service<LargeBody, { readonly unless: (body: unknown) => boolean }>()(
  "tentpole/http/LargeBody",
) {}

/** On an endpoint whose use case stores idempotency keys with its rows. The general keys are not used. */
export class OwnKeys extends Context.Service<OwnKeys, boolean>()("tentpole/http/OwnKeys") {}

const sentenceOf = (needs: Needed, recentSignIn: boolean): string => {
  const needed =
    needs === "anyone" ? "Needs no session." : needs === "user" ? "Needs a session." : `Needs the role \`${needs}\`.`
  return recentSignIn ? `${needed} A session needs a sign-in of the last ${recent_sign_in_minutes} minutes.` : needed
}

const constructor =
  <Method extends HttpMethod.HttpMethod>(method: Method) =>
  <
    const Identifier extends string,
    const Path extends HttpRouter.PathInput,
    Params extends Schema.Top | Schema.Struct.Fields = ParamsOf<Path>,
    Query extends Schema.Top | Schema.Struct.Fields = never,
    Payload extends HttpApiEndpoint.PayloadConstraintCodecs<Method> = never,
    const Success extends HttpApiEndpoint.SuccessConstraint = HttpApiSchema.NoContent,
    const Codes extends ReadonlyArray<ErrorCode> = CodesOf<Path>,
  >(
    identifier: Identifier,
    path: Path,
    options: {
      /** What a caller must be. */
      readonly needs: Needed
      /** A session needs a sign-in of the last 15 minutes. Default: false. */
      readonly recentSignIn?: boolean
      readonly summary: string
      readonly description: string
      /** Default: the ids that the path names. */
      readonly params?: Params
      readonly query?: Query
      readonly payload?: Payload
      readonly success?: Success
      /** Default: `not_found` if the path names an id, else none. */
      readonly errors?: Codes
    },
  ) => {
    const { needs, recentSignIn = false, summary, description, params, ...schemas } = options
    const own: ReadonlyArray<ErrorCode> = options.errors ?? (path.includes(":") ? ["not_found"] : [])
    // The middleware of sessions refuses with it, so that handlers can't.
    const codes: ReadonlyArray<ErrorCode> = recentSignIn ? [...own, "sign_in_again"] : own
    return HttpApiEndpoint.make(method)<Identifier, Path, Params, Query, Payload, never, Success, Errors<Codes>>(
      identifier,
      path,
      { ...schemas, params: (params ?? paramsOf(path)) as never, error: errors(...codes) as never },
    )
      .annotate(OpenApi.Summary, summary)
      .annotate(OpenApi.Description, `${description} ${sentenceOf(needs, recentSignIn)}`)
      .annotate(Needs, needs)
      .annotate(RecentSignIn, recentSignIn)
  }

/** An empty group of endpoints. Its tag in the OpenAPI document has this description, and the identifier in words as its name. */
export const group = <const Identifier extends string>(identifier: Identifier, description: string) =>
  HttpApiGroup.make(identifier).annotate(OpenApi.Title, inWords(identifier)).annotate(OpenApi.Description, description)

/** `bulkTents` in words: "Bulk tents". */
const inWords = (identifier: string): string =>
  identifier.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase())

const get = constructor("GET")
const post = constructor("POST")
const put = constructor("PUT")
const patch = constructor("PATCH")
const del = constructor("DELETE")

export { del as delete, get, patch, post, put }
