// Constructors of the handlers of a group of endpoints, from the services that they use.
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { Effect, type Layer, Record } from "effect"
import { type HttpApi, HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { Api } from "./Api.ts"
import { type Caller, CurrentWorkspace } from "./edge/Auth.ts"
import { type HandledRequest, largeAnswers } from "./LargeAnswers.ts"

type Handler<Endpoint extends HttpApiEndpoint.Constraint> = HttpApiEndpoint.Handler<
  Endpoint,
  HttpApiEndpoint.MiddlewareError<Endpoint>,
  never
>

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never
type IdOf<Api> = Api extends HttpApi.HttpApi<infer Id, infer _Groups> ? Id : never

type Endpoints<Api, Name extends string> = HttpApiGroup.WithIdentifier<GroupsOf<Api>, Name>["endpoints"]

/** The middleware of endpoints, and of these services those that it does not provide. */
type Requirements<Endpoint extends HttpApiEndpoint.Constraint, Services> =
  | HttpApiEndpoint.Middleware<Endpoint>
  | HttpApiEndpoint.MiddlewareServices<Endpoint>
  | HttpApiEndpoint.ExcludeProvided<Endpoint, Services>

type HandlersFor<Api, Caller extends ReadonlyArray<unknown>, CallerServices> = <
  const Name extends HttpApiGroup.Identifier<GroupsOf<Api>>,
  Services,
  E,
  R,
>(
  name: Name,
  services: Effect.Effect<Services, E, R>,
  handlers: (services: Services) => {
    readonly [Each in keyof Endpoints<Api, Name>]: (
      ...args: readonly [...Parameters<Handler<Endpoints<Api, Name>[Each]>>, ...Caller]
    ) => ReturnType<Handler<Endpoints<Api, Name>[Each]>>
  },
) => Layer.Layer<
  HttpApiGroup.Service<IdOf<Api>, Name>,
  E,
  R | Requirements<Endpoints<Api, Name>[keyof Endpoints<Api, Name>], CallerServices>
>

/** The constructor for the groups of an API. `callerOf` runs for each request, behind the API's middleware. */
export const handlersFor = <
  Id extends string,
  Groups extends HttpApiGroup.Constraint,
  Caller extends ReadonlyArray<unknown>,
  CallerServices,
>(
  api: HttpApi.HttpApi<Id, Groups>,
  callerOf: Effect.Effect<Caller, never, CallerServices>,
): HandlersFor<HttpApi.HttpApi<Id, Groups>, Caller, CallerServices> => {
  const answered = largeAnswers(api)
  return ((name: never, services: Effect.Effect<unknown>, handlers: (services: unknown) => AnyHandlers) =>
    HttpApiBuilder.group(
      api,
      name,
      (group) =>
        Effect.map(services, (all) =>
          group.handleAll(
            Record.map(
              handlers(all),
              (handle) => (request: HandledRequest) =>
                callerOf.pipe(
                  Effect.flatMap((caller) => handle(request, ...caller)),
                  Effect.flatMap(answered(request)),
                ),
            ) as never,
          ),
        ) as never,
    )) as never
}

type AnyHandlers = Record<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>>

/**
 * The handlers of a group of the tenants' API. Each is called with its request, the caller's workspace and the caller:
 * `handlersOf("lists", Lists, (lists) => ({ find: ({ params }, { id }) => lists.get(id, params.listId) }))`.
 */
export const handlersOf: HandlersFor<typeof Api, readonly [Workspace, Caller], CurrentWorkspace> = handlersFor(
  Api,
  Effect.map(CurrentWorkspace, ({ workspace, caller }): readonly [Workspace, Caller] => [workspace, caller]),
)
